#include <algorithm>
#include <cmath>

#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/scf/mixing_weights.hpp>

namespace wavegrid {

std::vector<double> broyden_weights(const MixingProducts& products) {
  const std::size_t n = products.size();
  std::vector<double> c(n, 0.0);
  c.front() = 1.0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    // dF = F_k - F_(k+1), products from the latest on
    const double square = products[k][k] - 2.0 * products[k][k + 1] + products[k + 1][k + 1];
    if (!(square > 0)) continue;
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += c[i] * (products[i][k] - products[i][k + 1]);
    c[k] -= along / square;
    c[k + 1] += along / square;
  }
  return c;
}

std::vector<double> pulay_weights(const MixingProducts& products, const std::deque<double>& noise) {
  // With A = <F_i|F_j> + noise_i delta_ij and sum_i c_i = 1: solve A y = 1 and scale. Eigenvectors of the scaled A
  // whose eigenvalues are at rounding level are left out.
  const Index n = static_cast<Index>(products.size());
  Matrix<double> a(n, n), vectors(n, n);
  std::vector<double> values(static_cast<std::size_t>(n)), scale(values);
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  for (Index i = 0; i < n; ++i) scale[at(i)] = 1.0 / std::sqrt(std::max(products[at(i)][at(i)], 1e-300));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) a(i, j) = products[at(i)][at(j)] * scale[at(i)] * scale[at(j)];
    a(i, i) += noise[at(i)] * scale[at(i)] * scale[at(i)];
  }
  lapack::eigen<double>(n, a.data(), n, n, values.data(), vectors.data(), n);
  std::vector<double> c(static_cast<std::size_t>(n));
  if (!(values[at(n - 1)] > 0)) {  // all F_i are 0: the latest input is the fixed point
    c.front() = 1.0;
    return c;
  }
  double total = 0;
  for (Index v = 0; v < n; ++v) {
    if (values[at(v)] < 1e-12 * values[at(n - 1)]) continue;
    double projection = 0;
    for (Index i = 0; i < n; ++i) projection += vectors(i, v) * scale[at(i)];
    for (Index i = 0; i < n; ++i) c[at(i)] += vectors(i, v) * projection / values[at(v)] * scale[at(i)];
  }
  for (const double ci : c) total += ci;
  for (double& ci : c) ci /= total;
  return c;
}

}  // namespace wavegrid
