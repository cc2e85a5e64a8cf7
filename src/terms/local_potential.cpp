#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/terms/local_potential.hpp>
#include <wavegrid/terms/structure_derivatives.hpp>

namespace wavegrid {

namespace {

/// V_loc of one atom at a G that electrostatic potentials have, Ha bohr^3. Where the box is not periodic, the tail of a
/// Gaussian charge has the interaction of the box.
double local_at(const FourierBox& box, const Pseudopotential& atom, std::size_t i) {
  const bool zero = static_cast<Index>(i) == box.waves().zero();
  if (!box.inside[i] || (zero && box.periodic)) return 0.0;
  const double width = box.smooth_width, charge = atom.valence_charge(), g2 = 2.0 * box.waves().kinetic()[i];
  if (zero) return atom.local_core() - charge * (units::pi * width * width + box.interaction(i));
  const double local = atom.local(std::sqrt(g2));
  if (box.periodic) return local;
  return local + charge * std::exp(-0.25 * g2 * width * width) * (4.0 * units::pi / g2 - box.interaction(i));
}

/// The derivative of the same by |G|, in a periodic box.
double local_slope_at(const FourierBox& box, const Pseudopotential& atom, std::size_t i) {
  if (!box.inside[i] || static_cast<Index>(i) == box.waves().zero()) return 0.0;
  return atom.local_slope(std::sqrt(2.0 * box.waves().kinetic()[i]));
}

/// The density times a radial function of each species.
template <class Radial>
SpeciesWeights times_radial(const FourierBox& box, const Pseudopotentials& atoms, const GridFft::Coefficients& density,
                            Radial radial) {
  return [&box, &atoms, &density, radial](int species) {
    GridFft::Coefficients weights(density.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = radial(box, *atoms[static_cast<std::size_t>(species)], i) * density[i];
    return weights;
  };
}

}  // namespace

GridFft::Coefficients local_potential(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms) {
  const PlaneWaves& waves = box.waves();
  GridFft::Coefficients potential(static_cast<std::size_t>(waves.size()));
  for (int species = 0; species < crystal.num_species(); ++species) {
    const auto factor = structure_factor(waves, crystal, species);
    const Pseudopotential& atom = *atoms[static_cast<std::size_t>(species)];
    for (std::size_t i = 0; i < potential.size(); ++i)
      potential[i] += local_at(box, atom, i) / waves.lattice().volume() * factor[i];
  }
  return potential;
}

std::vector<Vec3> local_forces(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                               const GridFft::Coefficients& density) {
  return structure_forces(box.fft, crystal, times_radial(box, atoms, density, local_at));
}

Mat3 local_strain(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                  const GridFft::Coefficients& density, double local_energy) {
  return isotropic(-local_energy) +
         structure_strain(box.fft, crystal, times_radial(box, atoms, density, local_slope_at));
}

double local_g0_energy(const Crystal& crystal, const Pseudopotentials& atoms, double electrons) {
  double sum = 0;
  for (const Atom& atom : crystal.atoms) sum += atoms[static_cast<std::size_t>(atom.species)]->local_core();
  return sum * electrons / crystal.lattice.volume();
}

}  // namespace wavegrid
