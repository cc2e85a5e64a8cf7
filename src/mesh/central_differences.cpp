#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/mesh/central_differences.hpp>

namespace wavegrid {

namespace {

using Coefficients = std::vector<double>;

/// kappa^2 = sum over j >= 1 of the j-th coefficient times z^j; the first is 0.
Coefficients series_of_square(int terms) {
  Coefficients a{0, 1};
  for (double j = 1; static_cast<int>(a.size()) <= terms; ++j)
    a.push_back(a.back() * j * j / ((2 * j + 1) * (2 * j + 2)));
  return a;
}

/// The solution of m x = y for a positive definite matrix. Not by a library, whose rounding may differ between ranks.
Coefficients solve(std::vector<Coefficients> m, Coefficients y) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t row = i + 1; row < n; ++row) {
      const double factor = m[row][i] / m[i][i];
      for (std::size_t c = i; c < n; ++c) m[row][c] -= factor * m[i][c];
      y[row] -= factor * y[i];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) y[i] -= m[i][c] * y[c];
    y[i] /= m[i][i];
  }
  return y;
}

/// Replaces the coefficients of factor(kappa) z^j from `first` on by those of least error from wanted(kappa).
/// The weight of a wave falls by 10^8 up to the shortest one, as in bands of C and O at spacings of 1e-4 Ha per atom.
void fit(Coefficients& of, std::size_t first, const std::function<double(double)>& factor,
         const std::function<double(double)>& wanted) {
  if (first >= of.size()) return;
  constexpr double decades = 8;
  const std::size_t n = of.size() - first;
  std::vector<Coefficients> matrix(n, Coefficients(n, 0));
  Coefficients right(n, 0), powers(of.size());
  GaussNodes nodes;
  nodes.add(0, units::pi, 60);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double kappa = nodes.x[k], z = 4 * std::pow(std::sin(0.5 * kappa), 2);
    const double weight = nodes.weight[k] * std::pow(10.0, -2 * decades * kappa / units::pi);
    double rest = wanted(kappa);
    for (std::size_t j = 0; j < of.size(); ++j) powers[j] = factor(kappa) * std::pow(z, static_cast<double>(j));
    for (std::size_t j = 0; j < first; ++j) rest -= of[j] * powers[j];
    for (std::size_t i = 0; i < n; ++i) {
      right[i] += weight * powers[first + i] * rest;
      for (std::size_t j = 0; j < n; ++j) matrix[i][j] += weight * powers[first + i] * powers[first + j];
    }
  }
  const Coefficients found = solve(std::move(matrix), std::move(right));
  std::copy(found.begin(), found.end(), of.begin() + static_cast<std::ptrdiff_t>(first));
}

/// The weights w of sum_j c_j z^j = w_0 + sum_m w_m (S^m + S^-m), S being the shift by a point: z = 2 - S - S^-1.
Coefficients on_points(const Coefficients& c) {
  const std::size_t reach = c.size() - 1;
  Coefficients weights(reach + 2, 0), power(reach + 2, 0), next(power);
  power[0] = 1;
  for (std::size_t j = 0; j <= reach; ++j) {
    for (std::size_t m = 0; m <= reach; ++m) weights[m] += c[j] * power[m];
    for (std::size_t m = 0; m <= reach; ++m) next[m] = 2 * power[m] - power[m == 0 ? 1 : m - 1] - power[m + 1];
    power = next;
  }
  return weights;
}

}  // namespace

CentralDifferences::CentralDifferences(int order, DifferenceWeights weights) {
  if (order < 2 || order > 12 || order % 2 != 0)
    throw bad_input("the order of the finite differences is " + std::to_string(order) +
                    "; it must be 2, 4, 6, 8, 10 or 12");
  const auto reach = static_cast<std::size_t>(order / 2);
  Coefficients a = series_of_square(order / 2), b;
  for (std::size_t j = 1; j <= reach; ++j) b.push_back(static_cast<double>(j) * a[j]);
  if (weights == DifferenceWeights::smallest_error && order >= 8) {
    fit(
        a, 3, [](double) { return 1.0; }, [](double kappa) { return kappa * kappa; });
    fit(
        b, 2, [](double kappa) { return std::sin(kappa); }, [](double kappa) { return kappa; });
  }
  second = on_points(a);
  second.resize(reach + 1);
  for (double& weight : second) weight = -weight;
  const Coefficients even = on_points(b);
  first.assign(reach + 1, 0);
  for (std::size_t m = 1; m <= reach; ++m) first[m] = 0.5 * (even[m - 1] - (m + 1 < even.size() ? even[m + 1] : 0.0));
}

double CentralDifferences::minus_second(double kappa) const {
  double sum = -second[0];
  for (std::size_t m = 1; m < second.size(); ++m) sum -= 2 * second[m] * std::cos(static_cast<double>(m) * kappa);
  return sum;
}

}  // namespace wavegrid
