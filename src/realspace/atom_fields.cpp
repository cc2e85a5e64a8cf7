#include "realspace/atom_fields.hpp"

#include <algorithm>
#include <cmath>

#include "atoms/structure_factor.hpp"
#include "base/units.hpp"
#include "terms/core_density.hpp"
#include "terms/structure_derivatives.hpp"

namespace wavegrid {

namespace {

/// The transform of V_loc of one atom at every G of the box that the mesh resolves, Ha bohr^3; 0 at others.
std::vector<double> local_in_box(const MeshBox& box, const Pseudopotential& atom) {
  const double width = box.smooth_width(), charge = atom.valence_charge();
  const std::vector<double>& kinetic = box.fft().waves().kinetic();
  std::vector<double> values(kinetic.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double g2 = 2.0 * kinetic[i], smooth = std::exp(-0.25 * g2 * width * width);
    const bool zero = static_cast<Index>(i) == box.fft().waves().zero();
    if (!box.inside()[i] || (zero && box.is_periodic())) continue;
    if (zero)
      values[i] = atom.local_core() - charge * (units::pi * width * width + box.coulomb()[i]);
    else
      values[i] = atom.local(std::sqrt(g2));
    if (!zero && !box.is_periodic()) values[i] += charge * smooth * (4.0 * units::pi / g2 - box.coulomb()[i]);
  }
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
    const auto radial = local_in_box(box, *atoms[static_cast<std::size_t>(species)]);
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
    const auto radial = local_in_box(box, *atoms[static_cast<std::size_t>(species)]);
    MeshBox::Coefficients weights(in_box);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= radial[i];
    return weights;
  });
}

}  // namespace wavegrid
