#include "realspace/atom_fields.hpp"

#include <algorithm>
#include <cmath>

#include "atoms/structure_factor.hpp"
#include "base/units.hpp"
#include "terms/core_density.hpp"
#include "terms/structure_derivatives.hpp"

namespace wavegrid {

namespace {

/// The transform of V_loc of one atom in the box, Ha bohr^3.
class LocalInBox {
 public:
  LocalInBox(const MeshBox& box, const Pseudopotential& atom)
      : atom_(atom), charge_(atom.valence_charge()), radius_(box.cutoff_radius()) {
    constexpr double steps = 2.75;  // a quarter of the margin of the cutoff radius
    width_ = steps * units::pi / box.largest_g();
  }

  [[nodiscard]] double operator()(double g) const {
    if (radius_ == 0) return g > 0 ? atom_.local(g) : 0.0;
    const double four_pi_z = 4.0 * units::pi * charge_;
    if (g == 0) return atom_.local_core() - four_pi_z * (0.25 * width_ * width_ + 0.5 * radius_ * radius_);
    return atom_.local(g) + four_pi_z * std::exp(-0.25 * g * g * width_ * width_) * std::cos(g * radius_) / (g * g);
  }

 private:
  const Pseudopotential& atom_;
  double charge_, radius_, width_;
};

/// A function of |G| at every G that the mesh resolves, 0 at others.
template <class Function>
std::vector<double> radial_in_box(const MeshBox& box, const Function& function) {
  const std::vector<double>& kinetic = box.fft().waves().kinetic();
  std::vector<double> values(kinetic.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (box.inside()[i]) values[i] = function(std::sqrt(2.0 * kinetic[i]));
  return values;
}

MeshBox::Coefficients core_in_box(const MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms) {
  MeshBox::Coefficients core = core_density(box.fft().waves(), box.in_box(crystal), atoms);
  for (std::size_t i = 0; i < core.size(); ++i)
    if (!box.inside()[i]) core[i] = 0;
  return core;
}

}  // namespace

FieldValues local_on_mesh(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms) {
  const PlaneWaves& waves = box.fft().waves();
  const Crystal placed = box.in_box(crystal);
  MeshBox::Coefficients potential(static_cast<std::size_t>(waves.size()));
  for (int species = 0; species < placed.num_species(); ++species) {
    const auto factor = structure_factor(waves, placed, species);
    const auto radial = radial_in_box(box, LocalInBox(box, *atoms[static_cast<std::size_t>(species)]));
    for (std::size_t i = 0; i < potential.size(); ++i) potential[i] += radial[i] / waves.lattice().volume() * factor[i];
  }
  return box.to_mesh(potential);
}

MeshPotential make_potential(MeshFields& fields, Xc xc, const Crystal& crystal, const Pseudopotentials& atoms) {
  MeshBox& box = fields.box();
  const bool has_core =
      std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) { return atom->has_core_density(); });
  FieldValues core = has_core ? box.to_mesh(core_in_box(box, crystal, atoms)) : FieldValues();
  return {fields, XcPotential<MeshFields>(fields, std::move(xc), std::move(core), has_core),
          local_on_mesh(box, crystal, atoms)};
}

std::vector<Vec3> local_forces(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                               const FieldValues& density) {
  const MeshBox::Coefficients in_box = box.to_box(density);
  return structure_forces(box.fft(), box.in_box(crystal), [&](int species) {
    const auto radial = radial_in_box(box, LocalInBox(box, *atoms[static_cast<std::size_t>(species)]));
    MeshBox::Coefficients weights(in_box);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= radial[i];
    return weights;
  });
}

}  // namespace wavegrid
