#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/atom/radial_basis.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {
namespace {

constexpr int num_exponents = 18;
constexpr double smallest_exponent = 0.03, largest_exponent = 60.0;  // 1/bohr^2

std::vector<double> exponents() {
  std::vector<double> a(num_exponents);
  const double ratio = std::pow(largest_exponent / smallest_exponent, 1.0 / (num_exponents - 1));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = smallest_exponent * std::pow(ratio, static_cast<double>(i));
  return a;
}

/// Normalised r^l exp(-a r^2), (points, exponents).
Matrix<double> gaussians(int l, const std::vector<double>& a, const RadialValues& r) {
  Matrix<double> g(std::ssize(r), std::ssize(a));
  double* value = g.data();
  for (const double exponent : a) {
    const double norm = std::sqrt(2.0 * std::pow(2.0 * exponent, l + 1.5) / std::tgamma(l + 1.5));
    for (const double radius : r) *value++ = norm * std::pow(radius, l) * std::exp(-exponent * radius * radius);
  }
  return g;
}

/// Overlap and kinetic energy of the normalised Gaussians, in closed form.
std::pair<Matrix<double>, Matrix<double>> overlap_and_kinetic(int l, const std::vector<double>& a) {
  const Index n = std::ssize(a);
  Matrix<double> s(n, n), t(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      const double ai = a[static_cast<std::size_t>(i)], aj = a[static_cast<std::size_t>(j)];
      s(i, j) = std::pow(2.0 * std::sqrt(ai * aj) / (ai + aj), l + 1.5);
      t(i, j) = (2 * l + 3) * ai * aj / (ai + aj) * s(i, j);
    }
  return {std::move(s), std::move(t)};
}

/// op(a) b.
Matrix<double> product(char op, const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(op == 'T' ? a.columns() : a.rows(), b.columns());
  lapack::gemm<double>(op, 'N', c.rows(), c.columns(), b.rows(), 1.0, a.data(), a.rows(), b.data(), b.rows(), 0.0,
                       c.data(), c.rows());
  return c;
}

/// Canonical orthogonalisation: columns x with x^T s x = 1, nearly dependent combinations left out.
Matrix<double> orthogonaliser(Matrix<double> s) {
  const Index n = s.rows();
  std::vector<double> values(static_cast<std::size_t>(n));
  lapack::eigen_in_place(n, s.data(), n, values.data());
  const Index dropped = std::count_if(values.begin(), values.end(), [](double v) { return v <= 1e-7; });
  Matrix<double> x(n, n - dropped);
  for (Index k = dropped; k < n; ++k)
    for (Index i = 0; i < n; ++i) x(i, k - dropped) = s(i, k) / std::sqrt(values[static_cast<std::size_t>(k)]);
  return x;
}

}  // namespace

RadialBasis::RadialBasis(const RadialGrid& grid, int l) : weights_(grid.r()) {
  for (double& weight : weights_) weight *= RadialGrid::spacing * weight;
  const std::vector<double> a = exponents();
  auto [overlap, kinetic] = overlap_and_kinetic(l, a);
  const Matrix<double> x = orthogonaliser(std::move(overlap));
  functions_ = product('N', gaussians(l, a, grid.r()), x);
  kinetic_ = product('T', x, product('N', kinetic, x));
}

void RadialBasis::add_potential(const RadialValues& potential, Matrix<double>& h) const {
  const Index points = functions_.rows(), n = size();
  Matrix<double> scaled(points, n);
  for (Index j = 0; j < n; ++j)
    for (Index p = 1; p < points; ++p)
      scaled(p, j) = weights_[static_cast<std::size_t>(p)] * potential[static_cast<std::size_t>(p)] * functions_(p, j);
  lapack::gemm<double>('T', 'N', n, n, points, 1.0, functions_.data(), points, scaled.data(), points, 1.0, h.data(), n);
}

std::vector<double> RadialBasis::overlaps(const RadialValues& g) const {
  std::vector<double> out(static_cast<std::size_t>(size()), 0.0);
  for (Index i = 0; i < size(); ++i)
    for (Index p = 1; p < functions_.rows(); ++p)
      out[static_cast<std::size_t>(i)] +=
          weights_[static_cast<std::size_t>(p)] * g[static_cast<std::size_t>(p)] * functions_(p, i);
  return out;
}

RadialValues RadialBasis::combine(std::span<const double> coefficients) const {
  RadialValues out(static_cast<std::size_t>(functions_.rows()), 0.0);
  for (Index i = 0; i < size(); ++i)
    for (Index p = 0; p < functions_.rows(); ++p)
      out[static_cast<std::size_t>(p)] += coefficients[static_cast<std::size_t>(i)] * functions_(p, i);
  return out;
}

}  // namespace wavegrid
