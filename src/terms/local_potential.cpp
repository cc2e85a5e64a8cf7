#include "terms/local_potential.hpp"

#include <cmath>

#include "atoms/structure_factor.hpp"
#include "terms/structure_derivatives.hpp"

namespace wavegrid {

namespace {

/// The density times a radial function of each species, at all G inside but 0.
SpeciesWeights times_radial(const PlaneWaves& box, const std::vector<char>& inside, const Pseudopotentials& atoms,
                            const GridFft::Coefficients& density, double (Pseudopotential::*function)(double) const) {
  return [&box, &inside, &atoms, &density, function](int species) {
    const Pseudopotential& atom = *atoms[static_cast<std::size_t>(species)];
    GridFft::Coefficients weights(density.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (inside[i] && static_cast<Index>(i) != box.zero())
        weights[i] = (atom.*function)(std::sqrt(2.0 * box.kinetic()[i])) * density[i];
    return weights;
  };
}

}  // namespace

std::vector<std::complex<double>> local_potential(const PlaneWaves& box, const std::vector<char>& inside,
                                                  const Crystal& crystal, const Pseudopotentials& atoms) {
  std::vector<std::complex<double>> potential(static_cast<std::size_t>(box.size()));
  for (int species = 0; species < crystal.num_species(); ++species) {
    const auto factor = structure_factor(box, crystal, species);
    const Pseudopotential& atom = *atoms[static_cast<std::size_t>(species)];
    for (std::size_t i = 0; i < potential.size(); ++i)
      if (inside[i] && static_cast<Index>(i) != box.zero())
        potential[i] += atom.local(std::sqrt(2.0 * box.kinetic()[i])) / crystal.lattice.volume() * factor[i];
  }
  return potential;
}

std::vector<Vec3> local_forces(const GridFft& grid, const std::vector<char>& inside, const Crystal& crystal,
                               const Pseudopotentials& atoms, const GridFft::Coefficients& density) {
  return structure_forces(grid, crystal, times_radial(grid.waves(), inside, atoms, density, &Pseudopotential::local));
}

Mat3 local_strain(const GridFft& grid, const std::vector<char>& inside, const Crystal& crystal,
                  const Pseudopotentials& atoms, const GridFft::Coefficients& density, double local_energy) {
  return isotropic(-local_energy) +
         structure_strain(grid, crystal,
                          times_radial(grid.waves(), inside, atoms, density, &Pseudopotential::local_slope));
}

double core_energy(const Crystal& crystal, const Pseudopotentials& atoms, double electrons) {
  double sum = 0;
  for (const Atom& atom : crystal.atoms) sum += atoms[static_cast<std::size_t>(atom.species)]->local_core();
  return sum * electrons / crystal.lattice.volume();
}

}  // namespace wavegrid
