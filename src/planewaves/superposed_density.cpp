#include <algorithm>
#include <cmath>

#include <wavegrid/basis/radial_table.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/planewaves/superposed_density.hpp>
#include <wavegrid/terms/structure_derivatives.hpp>

namespace wavegrid {

namespace {

/// rho_a(|G|) of an atom at every G of the box, electrons, or its derivative with respect to |G|, electrons bohr.
std::vector<double> radial_density(const PlaneWaves& box, const PseudoAtom& atom, bool derivative = false) {
  const double g_max = std::min(1.001 * std::sqrt(2.0 * box.kinetic_bound()) + 1e-3, atom.largest_g());
  const RadialTable form_factor(0, atom.spacing, atom.density, g_max);
  std::vector<double> radial;
  for (const double kinetic : box.kinetic()) {
    const double g = std::sqrt(2.0 * kinetic);
    radial.push_back(g > g_max ? 0.0 : derivative ? form_factor.derivative(g) : form_factor(g));
  }
  return radial;
}

/// The potential times the radial density of each species.
SpeciesWeights times_density(const PlaneWaves& box, const std::vector<PseudoAtom>& atoms,
                             const GridFft::Coefficients& potential, bool derivative) {
  return [&box, &atoms, &potential, derivative](int species) {
    GridFft::Coefficients weights = potential;
    const std::vector<double> radial = radial_density(box, atoms[static_cast<std::size_t>(species)], derivative);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= radial[i];
    return weights;
  };
}

}  // namespace

std::vector<std::complex<double>> superposed_density(const PlaneWaves& box, const Crystal& crystal,
                                                     const std::vector<PseudoAtom>& atoms,
                                                     std::span<const double> factors) {
  std::vector<std::complex<double>> density(box.kinetic().size());
  for (int species = 0; species < crystal.num_species(); ++species) {
    const std::vector<double> radial = radial_density(box, atoms[static_cast<std::size_t>(species)]);
    const auto structure = structure_factor(box, crystal, species, factors);
    for (std::size_t i = 0; i < density.size(); ++i) density[i] += radial[i] / crystal.lattice.volume() * structure[i];
  }
  return density;
}

GridFft::Coefficients superposed_density(GridFields& fields, const Crystal& crystal,
                                         const std::vector<PseudoAtom>& atoms, std::span<const double> factors) {
  return superposed_density(fields.grid().waves(), crystal, atoms, factors);
}

void scale_to_electrons(const GridFields& fields, double electrons, GridFft::Coefficients& density) {
  const PlaneWaves& box = fields.grid().waves();
  const double mean =
      fields.grid().comm().sum(box.zero() >= 0 ? density[static_cast<std::size_t>(box.zero())].real() : 0.0);
  const double scale = electrons / box.lattice().volume() / mean;
  for (auto& value : density) value *= scale;
}

void fix_electrons(const GridFields& fields, double electrons, GridFft::Coefficients& density) {
  const PlaneWaves& box = fields.grid().waves();
  if (const Index zero = box.zero(); zero >= 0)
    density[static_cast<std::size_t>(zero)] = electrons / box.lattice().volume();
}

std::vector<Vec3> superposed_forces(const GridFft& grid, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                                    const GridFft::Coefficients& potential) {
  return structure_forces(grid, crystal, times_density(grid.waves(), atoms, potential, false));
}

Mat3 superposed_strain(const GridFft& grid, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                       const GridFft::Coefficients& potential) {
  return structure_strain(grid, crystal, times_density(grid.waves(), atoms, potential, true));
}

}  // namespace wavegrid
