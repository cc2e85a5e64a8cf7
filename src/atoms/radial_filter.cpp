#include "atoms/radial_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "basis/gauss_nodes.hpp"
#include "basis/spherical_bessel.hpp"
#include "linalg/bands.hpp"
#include "linalg/lapack.hpp"

namespace wavegrid {

namespace {

constexpr double farthest = 4;  ///< times g2: beyond it F of a smooth f is negligible

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

/// sqrt(weight) g times the transforms of all functions at the nodes: (nodes of g, functions).
Matrix<double> transforms(int l, Index functions, double radius, const GaussNodes& g) {
  GaussNodes r;
  r.add(0, radius, nodes_for_phase(radius * g.x.back()));
  const auto points = static_cast<Index>(r.size()), waves = static_cast<Index>(g.size());
  Matrix<double> values(functions, points), bessel(points, waves), result(waves, functions);
  std::vector<double> unused(static_cast<std::size_t>(functions));
  std::array<double, 8> j{};
  for (Index i = 0; i < points; ++i) {
    const auto at = static_cast<std::size_t>(i);
    evaluate_basis(l, r.x[at] / radius, std::span(&values(0, i), unused.size()), unused);
    const double volume = 4 * units::pi * r.weight[at] * r.x[at] * r.x[at];
    for (Index k = 0; k < waves; ++k) {
      const auto wave = static_cast<std::size_t>(k);
      spherical_bessel(g.x[wave] * r.x[at], std::span(j).first(static_cast<std::size_t>(l) + 1));
      bessel(i, k) = volume * std::sqrt(g.weight[wave]) * g.x[wave] * j[static_cast<std::size_t>(l)];
    }
  }
  lapack::gemm<double>('T', 'T', waves, functions, points, 1.0, bessel.data(), points, values.data(), functions, 0.0,
                       result.data(), waves);
  return result;
}

/// The x with the least |m x - y|, not large along directions that m nearly maps to 0: f with all of its wave numbers
/// between the two. A damped solution, which is repeated for what is left of y.
std::vector<double> least_squares(const Matrix<double>& m, std::vector<double> y) {
  constexpr double damping = 1e-15;
  constexpr int repeats = 4;
  const Index rows = m.rows(), n = m.columns();
  Matrix<double> a(n, n);
  lapack::gemm<double>('T', 'N', n, n, rows, 1.0, m.data(), rows, m.data(), rows, 0.0, a.data(), n);
  std::vector<double> values(static_cast<std::size_t>(n)), x(values), b(values), shares(values);
  lapack::eigen_in_place(n, a.data(), n, values.data());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    lapack::gemm<double>('T', 'N', n, 1, rows, 1.0, m.data(), rows, y.data(), rows, 0.0, b.data(), n);
    lapack::gemm<double>('T', 'N', n, 1, n, 1.0, a.data(), n, b.data(), n, 0.0, shares.data(), n);
    for (std::size_t v = 0; v < shares.size(); ++v) shares[v] /= std::max(values[v], 0.0) + damping * values.back();
    lapack::gemm<double>('N', 'N', n, 1, n, 1.0, a.data(), n, shares.data(), n, 0.0, b.data(), n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += b[i];
    lapack::gemm<double>('N', 'N', rows, 1, n, -1.0, m.data(), rows, b.data(), n, 1.0, y.data(), rows);
  }
  return x;
}

}  // namespace

FilteredFunction filtered(int l, const std::function<double(double)>& transform, const FilterRange& range) {
  GaussNodes g;
  g.add(0, range.inner_g, nodes_for_phase(range.radius * range.inner_g));
  const std::size_t inner = g.size();
  g.add(range.largest_g, farthest * range.largest_g, nodes_for_phase((farthest - 1) * range.radius * range.largest_g));
  std::vector<double> given(g.size(), 0.0);
  for (std::size_t k = 0; k < inner; ++k) given[k] = std::sqrt(g.weight[k]) * g.x[k] * transform(g.x[k]);
  // As many functions as half-waves of g2 in the radius, and some more.
  const auto functions = static_cast<std::size_t>(1.3 * range.radius * range.largest_g / units::pi) + 10;
  const std::vector<double> c = least_squares(transforms(l, static_cast<Index>(functions), range.radius, g), given);

  // T_n of degree n varies over R / n^2 near the radius.
  const int samples = static_cast<int>(functions * functions);
  std::vector<double> r, f, slope, values(functions), slopes(functions);
  for (int i = 0; i <= samples; ++i) {
    const double x = static_cast<double>(i) / samples;
    evaluate_basis(l, x, values, slopes);
    double sum = 0, of_slope = 0;
    for (std::size_t n = 0; n < functions; ++n) sum += c[n] * values[n], of_slope += c[n] * slopes[n];
    r.push_back(range.radius * x);
    f.push_back(sum);
    slope.push_back(of_slope / range.radius);
  }
  return {{r, f, l}, {r, slope, l == 0 ? 1 : l - 1}};
}

}  // namespace wavegrid
