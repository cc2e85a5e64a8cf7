#include <algorithm>
#include <cmath>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/pseudo/radial_coordinate.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>

namespace wavegrid {
namespace {

constexpr int nodes_per_interval = 5;  // of each interval: exact up to degree 9

/// Lagrange's polynomial k of `count` points at x.
double lagrange(const double* points, std::size_t count, std::size_t k, double x) {
  double value = 1.0;
  for (std::size_t i = 0; i < count; ++i)
    if (i != k) value *= (x - points[i]) / (points[k] - points[i]);
  return value;
}

/// f(r) r^power at every point; a product that is infinite at r = 0 is set to 0 there.
std::vector<double> times_power(const std::vector<double>& f, const std::vector<double>& r, int power) {
  std::vector<double> product(f);
  for (std::size_t i = 0; i < product.size(); ++i)
    product[i] = r[i] == 0.0 && power < 0 ? 0.0 : f[i] * std::pow(r[i], power);
  return product;
}

}  // namespace

RadialQuadrature::RadialQuadrature(const std::vector<double>& r) : r_(r) {
  if (r.size() < stencil || std::adjacent_find(r.begin(), r.end(), std::greater_equal<>{}) != r.end() || r[0] < 0.0)
    throw internal_error("RadialQuadrature: " + std::to_string(r.size()) + " points; valid are 8 or more that rise");
  const RadialCoordinate coordinate(r);
  const std::vector<double> x = coordinate.points(r);
  for (std::size_t i = 0; i + 1 < r.size(); ++i) {
    const std::size_t before = std::min(i, stencil / 2 - 1);
    Interval interval{std::min(i - before, r.size() - stencil), {}};
    GaussNodes gauss;
    gauss.add(x[i], x[i + 1], nodes_per_interval);
    for (std::size_t g = 0; g < gauss.size(); ++g)
      for (std::size_t k = 0; k < stencil; ++k)
        interval.weight[k] += gauss.weight[g] * coordinate.slope(gauss.x[g]) *
                              lagrange(x.data() + interval.first, stencil, k, gauss.x[g]);
    intervals_.push_back(interval);
  }
}

double RadialQuadrature::sum(const Interval& interval, const std::vector<double>& f) const {
  double total = 0.0;
  for (std::size_t k = 0; k < stencil; ++k) total += interval.weight[k] * value_or_zero(f, interval.first + k);
  return total;
}

double RadialQuadrature::integrate(const std::vector<double>& f, int power) const {
  double total = value_or_zero(f, 0) * r_[0] / (power + 1);
  for (const Interval& interval : intervals_) total += sum(interval, f);
  return total;
}

double RadialQuadrature::moment(const std::vector<double>& r2_f, int l) const {
  return integrate(times_power(r2_f, r_, l), 2 * l + 2);
}

std::vector<double> RadialQuadrature::cumulative(const std::vector<double>& f, int power) const {
  std::vector<double> found{value_or_zero(f, 0) * r_[0] / (power + 1)};
  for (const Interval& interval : intervals_) found.push_back(found.back() + sum(interval, f));
  return found;
}

std::vector<double> r_times_multipole_potential(const RadialQuadrature& mesh, const std::vector<double>& r2_n, int l) {
  const std::vector<double>& r = mesh.r();
  const std::vector<double> inside = mesh.cumulative(times_power(r2_n, r, l), 2 * l + 2),
                            outside = mesh.cumulative(times_power(r2_n, r, -l - 1), 1);
  std::vector<double> potential(r.size(), 0.0);
  for (std::size_t i = 0; i < r.size(); ++i)
    if (r[i] > 0.0)
      potential[i] = 4.0 * units::pi / (2 * l + 1) *
                     (inside[i] * std::pow(r[i], -l) + (outside.back() - outside[i]) * std::pow(r[i], l + 1));
  return potential;
}

double potential_integral(const RadialQuadrature& mesh, const std::vector<double>& r2_a,
                          std::vector<double> r_times_potential, int l) {
  for (std::size_t i = 0; i < r_times_potential.size(); ++i)
    r_times_potential[i] *= mesh.r()[i] > 0.0 ? value_or_zero(r2_a, i) / mesh.r()[i] : 0.0;
  return mesh.integrate(r_times_potential, 2 * l + 2);
}

double multipole_interaction(const RadialQuadrature& mesh, const std::vector<double>& r2_a,
                             const std::vector<double>& r2_b, int l) {
  return potential_integral(mesh, r2_a, r_times_multipole_potential(mesh, r2_b, l), l);
}

}  // namespace wavegrid
