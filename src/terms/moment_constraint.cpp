#include <cmath>
#include <span>

#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/terms/moment_constraint.hpp>
#include <wavegrid/terms/structure_derivatives.hpp>

namespace wavegrid {

namespace {

constexpr double smooth_share = 1.0 / 6.0;  // of the radius

/// s(x) and s'(x).
std::array<double, 2> sphere_shape(double x) {
  if (x < 0.05) {
    const double x2 = x * x;
    return {1.0 - x2 / 10.0 + x2 * x2 / 280.0, -x / 5.0 + x * x2 / 70.0};
  }
  const double s = 3.0 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
  return {s, (3.0 * std::sin(x) / x - 3.0 * s) / x};
}

/// w(G) and its derivative.
std::array<double, 2> sphere_at(double g, double radius) {
  const double width = smooth_share * radius, volume = 4.0 / 3.0 * units::pi * radius * radius * radius;
  const auto [s, slope] = sphere_shape(g * radius);
  const double gauss = volume * std::exp(-0.5 * g * g * width * width);
  return {gauss * s, gauss * (radius * slope - g * width * width * s)};
}

}  // namespace

MomentConstraint::MomentConstraint(const FourierBox& box, const Crystal& crystal, const std::vector<Vec3>& moments,
                                   const MomentPenalty& penalty)
    : atoms_{crystal.lattice, {}, crystal.atoms}, penalty_(penalty) {
  for (std::size_t a = 0; a < atoms_.atoms.size(); ++a) {
    atoms_.atoms[a].species = static_cast<int>(a);
    atoms_.species.push_back(crystal.element(static_cast<int>(a)));
    const double length = norm(moments[a]);
    directions_.push_back(length > 0 ? (1.0 / length) * moments[a] : Vec3{0, 0, 0});
  }
  for (std::size_t i = 0; i < box.waves().kinetic().size(); ++i) {
    const bool is_there = box.resolved == nullptr || (*box.resolved)[i] != 0;
    const auto [value, slope] = sphere_at(std::sqrt(2.0 * box.waves().kinetic()[i]), penalty.radius);
    radial_.push_back(is_there ? value : 0.0);
    slopes_.push_back(is_there ? slope : 0.0);
  }
}

std::vector<Vec3> MomentConstraint::moments(const FourierBox& box, const Components& m) const {
  std::vector<Vec3> found;
  GridFft::Coefficients phases(radial_.size());
  for (const Atom& atom : atoms_.atoms) {
    atom_phases(box.waves(), atom.position, phases.data());
    Vec3& moment = found.emplace_back();
    box.fft.over_waves().arrays(moment, [&](Range elements, std::span<double> sums) {
      for (Index n = elements.begin; n < elements.end; ++n) {
        const auto i = static_cast<std::size_t>(n);
        for (std::size_t axis = 0; axis < 3; ++axis)
          sums[axis] += radial_[i] * (std::conj(phases[i]) * (*m[axis])[i]).real();
      }
    });
  }
  return found;
}

std::vector<Vec3> MomentConstraint::across(std::vector<Vec3> moments) const {
  for (std::size_t a = 0; a < moments.size(); ++a) {
    const Vec3& e = directions_[a];
    moments[a] = norm2(e) > 0 ? moments[a] - dot(e, moments[a]) * e : Vec3{0, 0, 0};
  }
  return moments;
}

double MomentConstraint::energy(const std::vector<Vec3>& moments) const {
  double sum = 0;
  for (const Vec3& part : across(moments)) sum += penalty_.strength * norm2(part);
  return sum;
}

std::vector<Vec3> MomentConstraint::torques(const std::vector<Vec3>& moments) const {
  std::vector<Vec3> found;
  for (std::size_t a = 0; a < moments.size(); ++a) {
    const Vec3& e = directions_[a];
    found.push_back(2.0 * penalty_.strength * dot(e, moments[a]) * cross(e, moments[a]));
  }
  return found;
}

GridFft::Coefficients MomentConstraint::field(const FourierBox& box, const std::vector<Vec3>& moments,
                                              std::size_t axis) const {
  const std::vector<Vec3> parts = across(moments);
  GridFft::Coefficients sum(radial_.size()), phases(radial_.size());
  for (std::size_t a = 0; a < parts.size(); ++a) {
    const double factor = 2.0 * penalty_.strength * parts[a][axis] / atoms_.lattice.volume();
    if (factor == 0) continue;
    atom_phases(box.waves(), atoms_.atoms[a].position, phases.data());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * radial_[i] * phases[i];
  }
  return sum;
}

GridFft::Coefficients MomentConstraint::weights(const std::vector<double>& radial, const Vec3& across,
                                                const Components& m) const {
  GridFft::Coefficients found(radial.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      found[i] += 2.0 * penalty_.strength * radial[i] * across[axis] * (*m[axis])[i];
  return found;
}

std::vector<Vec3> MomentConstraint::forces(const FourierBox& box, const Components& m) const {
  const std::vector<Vec3> parts = across(moments(box, m));
  return structure_forces(box.fft, atoms_,
                          [&](int atom) { return weights(radial_, parts[static_cast<std::size_t>(atom)], m); });
}

Mat3 MomentConstraint::strain(const FourierBox& box, const Components& m) const {
  const std::vector<Vec3> found = moments(box, m), parts = across(found);
  return isotropic(-2.0 * energy(found)) + structure_strain(box.fft, atoms_, [&](int atom) {
           return weights(slopes_, parts[static_cast<std::size_t>(atom)], m);
         });
}

}  // namespace wavegrid
