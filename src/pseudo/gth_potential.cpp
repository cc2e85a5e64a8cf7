#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/pseudo/gth_potential.hpp>

namespace wavegrid {

namespace {

constexpr int max_projectors = 3;
constexpr std::size_t max_local = 4;

/// M_n = 2^n n! L_n^(l+1/2)(q^2/2), the polynomial of a Gaussian's Bessel transform:
///   int_0^inf r^(2+l+2n) j_l(g r) exp(-r^2/(2 s^2)) dr = sqrt(pi/2) s^(l+2n+3) q^l M_n exp(-q^2/2),  q = g s
/// (Gradshteyn-Ryzhik 6.631.1). M_1 = 2l+3 - q^2, M_2 = (2l+3)(2l+5) - 2(2l+5) q^2 + q^4, ...
double gaussian_polynomial(int l, int n, double q2) {
  double before = 0.0;
  double now = 1.0;
  for (int k = 0; k < n; ++k) {
    const double next = (4 * k + 2 * l + 3 - q2) * now - 2.0 * k * (2 * k + 2 * l + 1) * before;
    before = std::exchange(now, next);
  }
  return now;
}

/// dM_n / d(q^2), as dL_n^(a) / dx = -L_n-1^(a+1).
double gaussian_polynomial_slope(int l, int n, double q2) {
  return n == 0 ? 0.0 : -n * gaussian_polynomial(l + 1, n - 1, q2);
}

/// x^n for small n >= 0.
double power(double x, int n) {
  double result = 1.0;
  for (int k = 0; k < n; ++k) result *= x;
  return result;
}

/// sqrt Gamma(l + (4i-1)/2) with i counted from 1, here from 0: the norm of projector i.
double root_gamma(int l, int i) {
  static const auto table = [] {
    std::array<std::array<double, max_projectors>, highest_l + 1> t{};
    for (std::size_t a = 0; a < t.size(); ++a)
      for (std::size_t b = 0; b < t[a].size(); ++b)
        t[a][b] = std::sqrt(std::tgamma(static_cast<double>(a) + 2.0 * static_cast<double>(b) + 1.5));
    return t;
  }();
  return table[static_cast<std::size_t>(l)][static_cast<std::size_t>(i)];
}

/// The number of projectors whose upper triangle has `size` elements; 0 if there is no such number.
int projectors_of_triangle(std::size_t size) {
  for (int n = 1; n <= max_projectors; ++n)
    if (size == static_cast<std::size_t>(n * (n + 1) / 2)) return n;
  return 0;
}

void require_radius(const std::string& what, double radius) {
  if (!(radius >= 0.001 && radius < 100.0))
    throw bad_input(what + " is " + to_text(radius) + " bohr; valid are radii from 0.001 to below 100");
}

void require_bounded_parameters(const std::string& what, const std::vector<double>& values) {
  for (const double v : values)
    if (!(std::abs(v) <= 1e6)) throw bad_input(what + " contains " + to_text(v) + "; valid are numbers up to 1000000");
}

void require_electrons(const std::string& element, const std::vector<double>& electrons) {
  if (electrons.empty() || electrons.size() > highest_l + 1)
    throw bad_input("electrons are given for " + std::to_string(electrons.size()) +
                    " shells; valid are 1 to 4 (s, p, d, f)");
  require_bounded_parameters("the electron row", electrons);
  if (*std::min_element(electrons.begin(), electrons.end()) < 0.0)
    throw bad_input("a shell has a negative number of electrons; valid are 0 or more");
  const double sum = std::accumulate(electrons.begin(), electrons.end(), 0.0);
  if (!(sum > 0.0)) throw bad_input("the electron row sums to 0; a pseudopotential needs valence electrons");
  if (const int number = atomic_number(element); number > 0 && sum > number)
    throw bad_input("there are " + to_text(sum) + " valence electrons, and " + element + " has " +
                    std::to_string(number) + "; valid are up to that number");
  for (std::size_t l = 0; l < electrons.size(); ++l)
    if (const int most = max_electrons(static_cast<int>(l)); electrons[l] > most)
      throw bad_input("there are " + to_text(electrons[l]) + " electrons of l = " + std::to_string(l) +
                      "; valid are up to " + std::to_string(most));
}

/// Element ij of a symmetric matrix whose upper triangle is given row by row.
double triangle_element(const std::vector<double>& triangle, int i, int j) {
  if (i > j) std::swap(i, j);
  const int row_start = i * projectors_of_triangle(triangle.size()) - i * (i - 1) / 2;
  return triangle[static_cast<std::size_t>(row_start + j - i)];
}

void require_channel(const GthChannel& channel) {
  if (channel.l < 0 || channel.l > highest_l)
    throw bad_input("a nonlocal channel has l = " + std::to_string(channel.l) + "; valid are 0 to 3");
  const std::string name = "the nonlocal channel l = " + std::to_string(channel.l);
  require_radius("the radius of " + name, channel.radius);
  require_bounded_parameters(name, channel.h);
  if (projectors_of_triangle(channel.h.size()) == 0)
    throw bad_input(name + " has " + std::to_string(channel.h.size()) +
                    " h coefficients; valid are 1, 3 or 6 (the upper triangle for 1, 2 or 3 projectors)");
  require_bounded_parameters(name, channel.k);
  if (!channel.k.empty() && channel.k.size() != channel.h.size())
    throw bad_input(name + " has " + std::to_string(channel.k.size()) + " k coefficients and " +
                    std::to_string(channel.h.size()) + " h coefficients; valid are as many, or none");
}

void require_valid(const GthParameters& p) {
  require_electrons(p.element, p.electrons);
  require_radius("the local radius", p.local_radius);
  if (p.local_coefficients.size() > max_local)
    throw bad_input("the local part has " + std::to_string(p.local_coefficients.size()) +
                    " coefficients; valid are 0 to 4");
  require_bounded_parameters("the local part", p.local_coefficients);
  std::array<bool, highest_l + 1> seen{};
  for (const GthChannel& channel : p.channels) {
    require_channel(channel);
    if (std::exchange(seen[static_cast<std::size_t>(channel.l)], true))
      throw bad_input("the nonlocal channel l = " + std::to_string(channel.l) + " is given twice; give each l once");
  }
}

/// (2 pi)^(3/2) r_loc^3 sum_n C_n+1 M_n(q^2): the local part's polynomial without its Gaussian, Ha bohr^3; with the
/// slopes of M_n, its derivative.
double polynomial_part(const GthParameters& parameters, double (*m)(int, int, double), double q2) {
  const double s = parameters.local_radius;
  double sum = 0.0;
  int n = 0;
  for (const double c : parameters.local_coefficients) sum += c * m(0, n++, q2);
  return std::pow(2.0 * units::pi, 1.5) * s * s * s * sum;
}

}  // namespace

GthPotential::GthPotential(GthParameters parameters) : parameters_(std::move(parameters)) {
  require_valid(parameters_);
  charge_ = std::accumulate(parameters_.electrons.begin(), parameters_.electrons.end(), 0.0);
}

double GthPotential::short_range(double q2) const { return polynomial_part(parameters_, gaussian_polynomial, q2); }

double GthPotential::short_range_slope(double q2) const {
  return polynomial_part(parameters_, gaussian_polynomial_slope, q2);
}

// exp(-q^2/2) { -4 pi Z / g^2 + (2 pi)^(3/2) r_loc^3 [C_1 + C_2 (3 - q^2) + C_3 (15 - 10 q^2 + q^4) + ...] }, q = g
// r_loc.
double GthPotential::local(double g) const {
  const double q = g * parameters_.local_radius;
  return std::exp(-0.5 * q * q) * (short_range(q * q) - 4.0 * units::pi * charge_ / (g * g));
}

double GthPotential::local_slope(double g) const {
  const double s = parameters_.local_radius, q2 = g * g * s * s;
  const double coulomb = 8.0 * units::pi * charge_ / (g * g * g);
  return std::exp(-0.5 * q2) * (coulomb + 2.0 * g * s * s * short_range_slope(q2)) - g * s * s * local(g);
}

double GthPotential::local_core() const {
  const double s = parameters_.local_radius;
  return 2.0 * units::pi * charge_ * s * s + short_range(0.0);
}

double GthPotential::local_radial(double r) const {
  const double x = r / parameters_.local_radius;
  const double coulomb = x > 1e-8 ? std::erf(x / std::sqrt(2.0)) / x : std::sqrt(2.0 / units::pi);
  double sum = 0.0;
  double x_power = 1.0;
  for (const double c : parameters_.local_coefficients) {
    sum += c * x_power;
    x_power *= x * x;
  }
  return -charge_ / parameters_.local_radius * coulomb + std::exp(-0.5 * x * x) * sum;
}

int GthPotential::num_projectors(int c) const { return projectors_of_triangle(channel(c).h.size()); }

double GthPotential::coupling(int c, int i, int j) const { return triangle_element(channel(c).h, i, j); }

bool GthPotential::has_spin_orbit() const {
  return std::any_of(parameters_.channels.begin(), parameters_.channels.end(),
                     [](const GthChannel& one) { return !one.k.empty(); });
}

double GthPotential::spin_orbit_coupling(int c, int i, int j) const {
  return channel(c).k.empty() ? 0.0 : triangle_element(channel(c).k, i, j);
}

// 4 pi^(3/2) r_l^(3/2) q^l M_i(q^2) exp(-q^2/2) / sqrt Gamma(l+2i+3/2), i from 0: combines Eqs. (7)-(15) of HGH (1998),
// including the l = 2, 3 projectors that are not printed there. (In the printed Eq. (8) the first 8 is under the root
// by mistake.)
double GthPotential::projector(int c, int i, double g) const {
  const auto& [l, s, h, k] = channel(c);
  const double q = g * s;
  const double scale = 4.0 * units::pi * std::sqrt(units::pi) * s * std::sqrt(s) / root_gamma(l, i);
  return scale * power(q, l) * gaussian_polynomial(l, i, q * q) * std::exp(-0.5 * q * q);
}

double GthPotential::projector_slope(int c, int i, double g) const {
  const auto& [l, s, h, k] = channel(c);
  const double q = g * s, q2 = q * q;
  const double scale = 4.0 * units::pi * std::sqrt(units::pi) * s * std::sqrt(s) / root_gamma(l, i);
  const double m = gaussian_polynomial(l, i, q2);
  const double of_power = l == 0 ? 0.0 : l * power(q, l - 1) * m;
  const double rest = power(q, l + 1) * (2.0 * gaussian_polynomial_slope(l, i, q2) - m);
  return s * scale * (of_power + rest) * std::exp(-0.5 * q2);
}

double GthPotential::projector_radial(int c, int i, double r) const {
  const auto& [l, s, h, k] = channel(c);
  const double x = r / s;
  return std::sqrt(2.0) * power(x, l + 2 * i) * std::exp(-0.5 * x * x) / (s * std::sqrt(s) * root_gamma(l, i));
}

}  // namespace wavegrid
