#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/terms/spinor_couplings.hpp>
#include <wavegrid/terms/total_momentum.hpp>

namespace wavegrid {

std::vector<TotalMomentum> total_momenta(int l) {
  std::vector<TotalMomentum> found;
  for (const int twice_j : {2 * l - 1, 2 * l + 1})
    for (int twice_m = -twice_j; twice_m <= twice_j; twice_m += 2) found.push_back({twice_j, twice_m});
  return found;
}

Matrix<std::complex<double>> total_momentum_states(int l) {
  // The eigenvectors of L.S + J_z / (8l + 8): L.S alone separates j, by l + 1/2.
  const Index n = 2 * l + 1;
  Matrix<std::complex<double>> sum = spin_orbit_matrix(l), vectors(2 * n, 2 * n);
  const Matrix<std::complex<double>> ls = sum;
  const double share = 1.0 / (8 * l + 8);
  for (Index a = 0; a < n; ++a) {
    for (Index b = 0; b < n; ++b) {
      const std::complex<double> z = 2.0 * ls(a, b);  // L_z
      sum(a, b) += share * z;
      sum(n + a, n + b) += share * z;
    }
    sum(a, a) += 0.5 * share;
    sum(n + a, n + a) -= 0.5 * share;
  }
  std::vector<double> values(static_cast<std::size_t>(2 * n));
  lapack::eigen<std::complex<double>>(2 * n, sum.data(), 2 * n, 2 * n, values.data(), vectors.data(), 2 * n);
  return vectors;
}

}  // namespace wavegrid
