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

/// c of dv/d eps_ab = -c p_a p_b for the V_loc above, where some directions are free; p: FourierBox::periodic_wave().
double free_slope_at(const FourierBox& box, const Pseudopotential& atom, std::size_t i) {
  if (!box.inside[i] || static_cast<Index>(i) == box.waves().zero()) return 0.0;
  const double width2 = 0.5 * box.smooth_width * box.smooth_width, g2 = 2.0 * box.waves().kinetic()[i];
  const double tail = atom.valence_charge() * std::exp(-0.5 * width2 * g2), coulomb = 4.0 * units::pi / g2;
  return atom.local_slope(std::sqrt(g2)) / std::sqrt(g2) - tail * coulomb * (width2 + 2.0 / g2) +
         tail * (width2 * box.interaction(i) - box.interaction_slope(i));
}

Mat3 free_strain(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                 const GridFft::Coefficients& density) {
  Mat3 strain{};
  for (int species = 0; species < crystal.num_species(); ++species) {
    const auto factor = structure_factor(box.waves(), crystal, species);
    const Pseudopotential& atom = *atoms[static_cast<std::size_t>(species)];
    strain = strain + product_sum(
                          box.fft,
                          [&](std::size_t i) {
                            return -free_slope_at(box, atom, i) * (std::conj(factor[i]) * density[i]).real();
                          },
                          [&](std::size_t i) { return box.periodic_wave(i); });
  }
  return strain;
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
  if (!box.periodic) return isotropic(-local_energy) + free_strain(box, crystal, atoms, density);
  return isotropic(-local_energy) +
         structure_strain(box.fft, crystal, times_radial(box, atoms, density, local_slope_at));
}

double local_g0_energy(const Crystal& crystal, const Pseudopotentials& atoms, double electrons) {
  double sum = 0;
  for (const Atom& atom : crystal.atoms) sum += atoms[static_cast<std::size_t>(atom.species)]->local_core();
  return sum * electrons / crystal.lattice.volume();
}

}  // namespace wavegrid
