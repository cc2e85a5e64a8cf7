#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>
#include <wavegrid/pseudo/shape_function.hpp>

namespace wavegrid {
namespace {

constexpr double negligible = 1e-30;
constexpr std::size_t orders = 10;  // of spherical Bessel functions: L up to 8

double bessel_value(int l, double x) {
  std::array<double, orders> values{};
  spherical_bessel(x, values);
  return values[static_cast<std::size_t>(l)];
}

/// The zero of j_l between two points where its signs differ, by bisection.
double zero_between(int l, double low, double high) {
  const bool rises = bessel_value(l, low) < 0.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    ((bessel_value(l, middle) < 0.0) == rises ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// The first two positive zeros of j_l.
std::array<double, 2> first_zeros(int l) {
  std::array<double, 2> found{};
  std::size_t count = 0;
  for (double x = l + 1.0; count < 2; x += 0.1)
    if (bessel_value(l, x) * bessel_value(l, x + 0.1) < 0.0) found[count++] = zero_between(l, x, x + 0.1);
  return found;
}

double sinc(double x) { return std::abs(x) < 1e-6 ? 1.0 : std::sin(x) / x; }

using Function = std::function<double(double)>;

/// At a zero x = q r_c of j_l: int_0^r_c r^(l+2) j_l(q r) dr = r_c^(l+2) j_(l+1)(x) / q, and j_l'(x) = -j_(l+1)(x).
Function bessel_shape(int l, double rc) {
  const std::array<double, 2> x = first_zeros(l);
  std::array<double, 2> a{}, slope{}, moment{};
  for (std::size_t i = 0; i < 2; ++i) {
    slope[i] = -x[i] * bessel_value(l + 1, x[i]);
    moment[i] = std::pow(rc, l + 3) * bessel_value(l + 1, x[i]) / x[i];
  }
  a[0] = slope[1] / (moment[0] * slope[1] - moment[1] * slope[0]);
  a[1] = -a[0] * slope[0] / slope[1];
  return [=](double r) {
    return r < rc ? a[0] * bessel_value(l, x[0] * r / rc) + a[1] * bessel_value(l, x[1] * r / rc) : 0.0;
  };
}

/// r^l k(r), not yet normalised.
Function unnormalised(const ShapeFormula& shape, int l) {
  const double rc = shape.radius, lambda = shape.lambda;
  if (shape.type == "gauss") return [=](double r) { return std::pow(r, l) * std::exp(-std::pow(r / rc, 2)); };
  if (shape.type == "exp") return [=](double r) { return std::pow(r, l) * std::exp(-std::pow(r / rc, lambda)); };
  if (shape.type == "sinc")
    return [=](double r) { return r < rc ? std::pow(r, l) * std::pow(sinc(units::pi * r / rc), 2) : 0.0; };
  throw internal_error("no formula for the shape function " + shape.type);
}

}  // namespace

bool ShapeFormula::is_known(const std::string& type) {
  return type == "gauss" || type == "sinc" || type == "exp" || type == "bessel";
}

double ShapeFormula::end() const {
  if (type == "gauss") return 9.0 * radius;
  return type == "exp" ? radius * std::pow(80.0, 1.0 / lambda) : radius;
}

Function ShapeFormula::function(int l) const {
  if (type == "bessel") return bessel_shape(l, radius);
  const Function f = unnormalised(*this, l);
  GaussNodes gauss;
  constexpr int pieces = 8, nodes = 24;
  for (int p = 0; p < pieces; ++p) gauss.add(end() * p / pieces, end() * (p + 1) / pieces, nodes);
  double moment = 0.0;
  for (std::size_t i = 0; i < gauss.size(); ++i)
    moment += gauss.weight[i] * std::pow(gauss.x[i], l + 2) * f(gauss.x[i]);
  return [f, moment](double r) { return f(r) / moment; };
}

std::vector<double> ShapeFormula::r2_g(const std::vector<double>& r, int l) const {
  const Function g = function(l);
  std::vector<double> values;
  for (const double radius : r) values.push_back(radius * radius * g(radius));
  while (values.size() > 2 && std::abs(values.back()) < negligible) values.pop_back();
  return values;
}

}  // namespace wavegrid
