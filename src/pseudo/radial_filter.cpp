#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/pseudo/radial_filter.hpp>

namespace wavegrid {

namespace {

constexpr double farthest = 4;  ///< times g2: beyond it F of a smooth f is negligible

/// Nodes g of the integrals, and g sqrt(weight of the node times w(g)).
struct WeightedNodes {
  std::vector<double> x, factor;
};

/// The functions of the header's equation at one x = r / R, and their derivatives with respect to x.
void evaluate_basis(int l, double x, std::span<double> values, std::span<double> slopes) {
  const double s = 1 - x * x, t = 2 * x * x - 1;
  const double power = std::pow(x, l), envelope = power * s * s;
  const double of_envelope = (l > 0 ? l * std::pow(x, l - 1) * s * s : 0.0) - 4 * power * x * s;
  double last = t, now = 1, last_slope = 1, now_slope = 0;  // T_-1 = T_1
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = envelope * now;
    slopes[n] = of_envelope * now + envelope * 4 * x * now_slope;
    const double next = n == 0 ? t : 2 * t * now - last;
    const double next_slope = n == 0 ? 1 : 2 * now + 2 * t * now_slope - last_slope;
    last = now, now = next;
    last_slope = now_slope, now_slope = next_slope;
  }
}

/// sqrt(weight) g times the transforms F of all functions at the nodes, and, with stretching, as many rows with g F'
/// instead of F: (rows, functions).
Matrix<double> transforms(int l, Index functions, double radius, const WeightedNodes& g, bool stretched) {
  GaussNodes r;
  r.add(0, radius, nodes_for_phase(radius * g.x.back()));
  const auto points = static_cast<Index>(r.size()), waves = static_cast<Index>(g.x.size());
  const Index columns = stretched ? 2 * functions : functions;
  Matrix<double> values(columns, points), bessel(points, waves), found(waves, columns);
  std::vector<double> slopes(static_cast<std::size_t>(functions));
  std::array<double, 8> j{};
  for (Index i = 0; i < points; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double x = r.x[at] / radius;
    evaluate_basis(l, x, std::span(&values(0, i), slopes.size()), slopes);
    if (stretched)  // g F' is the transform of -(3 f + r f')
      for (Index n = 0; n < functions; ++n)
        values(functions + n, i) = -3 * values(n, i) - x * slopes[static_cast<std::size_t>(n)];
    const double volume = 4 * units::pi * r.weight[at] * r.x[at] * r.x[at];
    for (Index k = 0; k < waves; ++k) {
      const auto wave = static_cast<std::size_t>(k);
      spherical_bessel(g.x[wave] * r.x[at], std::span(j).first(static_cast<std::size_t>(l) + 1));
      bessel(i, k) = volume * g.factor[wave] * j[static_cast<std::size_t>(l)];
    }
  }
  lapack::gemm<double>('T', 'T', waves, columns, points, 1.0, bessel.data(), points, values.data(), columns, 0.0,
                       found.data(), waves);
  if (!stretched) return found;
  Matrix<double> result(2 * waves, functions);
  for (Index n = 0; n < functions; ++n)
    for (Index half = 0; half < 2; ++half)
      std::copy_n(&found(0, half * functions + n), waves, &result(half * waves, n));
  return result;
}

/// The x with the least |m x - y|^2 + |damping x|^2 (damping in units of the longest column), which is not large along
/// directions that m nearly maps to 0: f with all of its wave numbers between the two. By Householder reflections:
/// normal equations, whose condition is the square, limit the errors of hard projectors to 1e-6 Ha.
std::vector<double> least_squares(const Matrix<double>& m, const std::vector<double>& y, double damping) {
  const Index n = m.columns(), rows = m.rows() + n;
  Matrix<double> a(rows, n + 1);  // m over a diagonal matrix, and y
  double longest = 0;
  for (Index c = 0; c < n; ++c) {
    std::fill(std::copy_n(&m(0, c), m.rows(), &a(0, c)), &a(0, c) + rows, 0.0);
    longest = std::max(longest, std::inner_product(&m(0, c), &m(0, c) + m.rows(), &m(0, c), 0.0));
  }
  for (Index c = 0; c < n; ++c) a(m.rows() + c, c) = damping * std::sqrt(longest);
  std::fill(std::copy(y.begin(), y.end(), &a(0, n)), &a(0, n) + rows, 0.0);
  for (Index k = 0; k < n; ++k) {
    double* const v = &a(k, k);
    const Index length = rows - k;
    const double norm = std::sqrt(std::inner_product(v, v + length, v, 0.0)), diagonal = v[0] > 0 ? -norm : norm;
    v[0] -= diagonal;
    const double half = -diagonal * v[0];  // |v|^2 / 2
    for (Index c = k + 1; c <= n; ++c) {
      double* const to = &a(k, c);
      const double share = std::inner_product(v, v + length, to, 0.0) / half;
      for (Index i = 0; i < length; ++i) to[i] -= share * v[i];
    }
    v[0] = diagonal;
  }
  std::vector<double> x(static_cast<std::size_t>(n));
  for (Index k = n; k-- > 0;) {
    double left = a(k, n);
    for (Index c = k + 1; c < n; ++c) left -= a(k, c) * x[static_cast<std::size_t>(c)];
    x[static_cast<std::size_t>(k)] = left / a(k, k);
  }
  return x;
}

}  // namespace

FilteredFunction filtered(int l, const RadialSpectrum& given, const FilterRange& range) {
  GaussNodes g;
  g.add(0, range.inner_g, nodes_for_phase(range.radius * range.inner_g));
  const std::size_t inner = g.size();
  g.add(range.largest_g, farthest * range.largest_g, nodes_for_phase((farthest - 1) * range.radius * range.largest_g));
  WeightedNodes nodes{g.x, {}};
  for (std::size_t k = 0; k < g.size(); ++k) {
    const double weight = (k < inner ? range.weight_below : range.weight_beyond)(g.x[k]);
    nodes.factor.push_back(g.x[k] * std::sqrt(g.weight[k] * weight));
  }
  std::vector<double> wanted((range.stretched ? 2 : 1) * g.size(), 0.0);
  for (std::size_t k = 0; k < inner; ++k) {
    wanted[k] = nodes.factor[k] * given.value(g.x[k]);
    if (range.stretched) wanted[g.size() + k] = nodes.factor[k] * g.x[k] * given.slope(g.x[k]);
  }
  // As many functions as half-waves of g2 in the radius, and some more.
  const auto functions = static_cast<std::size_t>(1.3 * range.radius * range.largest_g / units::pi) + 10;
  const std::vector<double> c = least_squares(
      transforms(l, static_cast<Index>(functions), range.radius, nodes, range.stretched), wanted, range.damping);

  // T_n of degree n varies over R / n^2 near the radius.
  const int samples = static_cast<int>(functions * functions);
  std::vector<double> r, f, slope, values(functions), slopes(functions);
  for (int i = 0; i <= samples; ++i) {
    const double x = static_cast<double>(i) / samples;
    evaluate_basis(l, x, values, slopes);
    double sum = 0, slope_sum = 0;
    for (std::size_t n = 0; n < functions; ++n) sum += c[n] * values[n], slope_sum += c[n] * slopes[n];
    r.push_back(range.radius * x);
    f.push_back(sum);
    slope.push_back(slope_sum / range.radius);
  }
  return {{r, f, l}, {r, slope, l == 0 ? 1 : l - 1}};
}

}  // namespace wavegrid
