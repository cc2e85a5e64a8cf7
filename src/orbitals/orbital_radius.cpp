#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>
#include <wavegrid/orbitals/orbital_radius.hpp>
#include <wavegrid/orbitals/sampled_orbitals.hpp>

namespace wavegrid {

namespace {

constexpr double step = 0.25;  // bohr, of radii; integrals over r have a tenth of it

/// phi(r) = (2/pi) int q^2 j_l(qr) w(q) F(q)/(4 pi) dq, of which int r^2 phi^2 dr = (2/pi) int q^2 (w F / 4 pi)^2 dq.
class LimitedFunction {
 public:
  LimitedFunction(const NumericalOrbital& orbital, double ecut) : l_(orbital.l) {
    const double largest = std::min(std::sqrt(2.0 * ecut), orbital.largest_g);
    const auto waves = static_cast<std::size_t>(std::ceil(largest / 0.02));  // aliases beyond r = 300 bohr
    const double spacing = largest / static_cast<double>(waves);
    for (std::size_t i = 1; i <= waves; ++i) {
      const double q = spacing * static_cast<double>(i);
      const double f = orbital_window(q, ecut) * (*orbital.transform)(q) / (4 * units::pi);
      q_.push_back(q);
      weights_.push_back(2 / units::pi * spacing * q * q * f);
      norm_ += weights_.back() * f;
    }
  }

  [[nodiscard]] double norm() const { return norm_; }
  [[nodiscard]] double operator()(double r) const {
    std::vector<double> j(static_cast<std::size_t>(l_ + 1));
    double sum = 0;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      spherical_bessel(q_[i] * r, j);
      sum += weights_[i] * j.back();
    }
    return sum;
  }

 private:
  int l_;
  double norm_ = 0;
  std::vector<double> q_, weights_;
};

/// int_from^to r^2 phi^2 dr by the midpoint rule.
double norm_between(const LimitedFunction& phi, double from, double to) {
  const int parts = std::max(1, static_cast<int>(std::lround((to - from) / (0.2 * step))));
  const double h = (to - from) / parts;
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    const double r = from + (i + 0.5) * h, value = phi(r);
    sum += h * r * r * value * value;
  }
  return sum;
}

}  // namespace

double share_outside(const NumericalOrbital& orbital, double ecut, double radius) {
  const LimitedFunction phi(orbital, ecut);
  const double farthest = std::max(40.0, 3 * radius);
  return norm_between(phi, radius, farthest) / phi.norm();
}

double orbital_radius(const std::vector<NumericalOrbital>& orbitals, double ecut, double outside, double limit) {
  double radius = step;
  for (const NumericalOrbital& orbital : orbitals) {
    const LimitedFunction phi(orbital, ecut);
    double left = 0;
    double r = std::max(40.0, limit);
    while (r > radius) {  // from outside: the tail is a sum of small numbers
      left += norm_between(phi, r - step, r);
      if (left > outside * phi.norm()) break;
      r -= step;
    }
    radius = std::max(radius, r);
  }
  return std::min(radius, limit);
}

}  // namespace wavegrid
