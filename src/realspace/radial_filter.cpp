#include "realspace/radial_filter.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "base/units.hpp"
#include "basis/spherical_bessel.hpp"
#include "linalg/bands.hpp"
#include "linalg/lapack.hpp"

namespace wavegrid {

namespace {

constexpr double inner_share = 0.7;  ///< of the largest wave number: up to there F is as given
constexpr int inner_nodes = 96, outer_nodes = 48, radial_nodes = 128;

struct Nodes {
  std::vector<double> x, weight;
};

/// Nodes of Gauss and Legendre between a and b, added to `nodes`.
void add_gauss_nodes(double a, double b, int count, Nodes& nodes) {
  for (int i = 0; i < count; ++i) {
    double x = std::cos(units::pi * (i + 0.75) / (count + 0.5)), slope = 0;
    for (int step = 0; step < 8; ++step) {  // Newton's method; it converges in five
      double last = 1, value = x;
      for (int n = 2; n <= count; ++n) {
        const double next = ((2 * n - 1) * x * value - (n - 1) * last) / n;
        last = value;
        value = next;
      }
      slope = count * (x * value - last) / (x * x - 1);
      x -= value / slope;
    }
    nodes.x.push_back(0.5 * (a + b) - 0.5 * (b - a) * x);
    nodes.weight.push_back((b - a) / ((1 - x * x) * slope * slope));
  }
}

double bessel(int l, double x) {
  std::array<double, 8> j{};
  spherical_bessel(x, std::span(j).first(static_cast<std::size_t>(l) + 1));
  return j[static_cast<std::size_t>(l)];
}

/// sqrt(weights) g r j_l(g r) of all pairs: the product of two columns is the overlap of two waves inside the radius.
Matrix<double> waves_inside(int l, const Nodes& g, double radius) {
  Nodes r;
  add_gauss_nodes(0, radius, radial_nodes, r);
  Matrix<double> waves(radial_nodes, static_cast<Index>(g.x.size()));
  for (std::size_t k = 0; k < g.x.size(); ++k)
    for (std::size_t i = 0; i < r.x.size(); ++i)
      waves(static_cast<Index>(i), static_cast<Index>(k)) =
          std::sqrt(r.weight[i] * g.weight[k]) * r.x[i] * g.x[k] * bessel(l, g.x[k] * r.x[i]);
  return waves;
}

/// The solution of a x = b with a symmetric, positive matrix; directions in which it nearly vanishes are left out.
std::vector<double> solve_positive(Matrix<double> a, const std::vector<double>& b) {
  constexpr double smallest = 1e-9;
  const Index n = a.rows();
  std::vector<double> values(static_cast<std::size_t>(n)), x(static_cast<std::size_t>(n), 0.0);
  lapack::eigen_in_place(n, a.data(), n, values.data());
  for (Index v = 0; v < n; ++v) {
    if (values[static_cast<std::size_t>(v)] < smallest) continue;
    double share = 0;
    for (Index i = 0; i < n; ++i) share += a(i, v) * b[static_cast<std::size_t>(i)];
    for (Index i = 0; i < n; ++i)
      x[static_cast<std::size_t>(i)] += share / values[static_cast<std::size_t>(v)] * a(i, v);
  }
  return x;
}

/// sqrt(weight) g F(g) at all nodes, the outer ones by the minimisation.
std::vector<double> optimal(const Matrix<double>& waves, std::vector<double> values) {
  Matrix<double> a(outer_nodes, outer_nodes);
  const Index n = static_cast<Index>(values.size());
  std::vector<double> b(outer_nodes, 0.0);
  const auto product = [&](Index k, Index m) {
    double sum = 0;
    for (Index i = 0; i < waves.rows(); ++i) sum += waves(i, k) * waves(i, m);
    return sum;
  };
  for (Index k = inner_nodes; k < n; ++k) {
    for (Index m = 0; m < inner_nodes; ++m)
      b[static_cast<std::size_t>(k - inner_nodes)] += product(k, m) * values[static_cast<std::size_t>(m)];
    for (Index m = inner_nodes; m < n; ++m)
      a(k - inner_nodes, m - inner_nodes) = (k == m ? 0.5 * units::pi : 0.0) - product(k, m);
  }
  const std::vector<double> outer = solve_positive(std::move(a), b);
  std::copy(outer.begin(), outer.end(), values.begin() + inner_nodes);
  return values;
}

}  // namespace

RadialFunction filtered(int l, const std::function<double(double)>& transform, double radius, double largest_g) {
  Nodes g;
  add_gauss_nodes(0, inner_share * largest_g, inner_nodes, g);
  add_gauss_nodes(inner_share * largest_g, largest_g, outer_nodes, g);
  std::vector<double> values(g.x.size(), 0.0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(inner_nodes); ++k)
    values[k] = std::sqrt(g.weight[k]) * g.x[k] * transform(g.x[k]);
  values = optimal(waves_inside(l, g, radius), std::move(values));

  const int samples = static_cast<int>(std::ceil(4 * radius * largest_g)) + 10;
  std::vector<double> r, f;
  for (int i = 0; i <= samples; ++i) {
    r.push_back(radius * i / samples);
    double sum = 0;
    for (std::size_t k = 0; k < g.x.size(); ++k)
      sum += std::sqrt(g.weight[k]) * g.x[k] * bessel(l, g.x[k] * r.back()) * values[k];
    f.push_back(sum / (2.0 * units::pi * units::pi));
  }
  return {r, f, l};
}

}  // namespace wavegrid
