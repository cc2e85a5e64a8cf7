#include "calculation/initial_density.hpp"

#include <algorithm>
#include <cmath>

#include "atoms/structure_factor.hpp"
#include "basis/radial_table.hpp"
#include "terms/structure_derivatives.hpp"
#include "xc/xc.hpp"

namespace wavegrid {

std::vector<PseudoAtom> solve_pseudo_atoms(const Pseudopotentials& potentials) {
  const Xc lda = Xc::parse("LDA_XC_TETER93");
  const LocalXc evaluate = [&lda](auto rho, auto exc, auto vxc) { lda.evaluate(rho, exc, vxc); };
  std::vector<PseudoAtom> atoms;
  for (const auto& potential : potentials) atoms.push_back(solve_pseudo_atom(*potential, evaluate));
  return atoms;
}

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

namespace {

/// The magnetisation of the atoms' initial moments, or the given total distributed in proportion to the electron
/// density.
GridFft::Coefficients initial_magnetisation(const PlaneWaves& box, const Problem& problem,
                                            const std::vector<PseudoAtom>& atoms, const GridFft::Coefficients& density,
                                            double electrons) {
  const std::vector<double>& moments = problem.initial_magnetic_moments;
  if (moments.empty()) {
    GridFft::Coefficients even(density);
    for (auto& value : even) value *= problem.total_magnetisation.value_or(0.0) / electrons;
    return even;
  }
  std::vector<double> shares;
  for (std::size_t a = 0; a < moments.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    shares.push_back(moments[a] / problem.pseudopotentials[species]->valence_charge());
  }
  return superposed_density(box, problem.crystal, atoms, shares);
}

}  // namespace

SpinCoefficients initial_density(const GridFft& grid, const Problem& problem, const std::vector<PseudoAtom>& atoms,
                                 double electrons) {
  SpinCoefficients density{superposed_density(grid.waves(), problem.crystal, atoms)};
  const Index zero = grid.waves().zero();
  const double mean = grid.comm().sum(zero >= 0 ? density[0][static_cast<std::size_t>(zero)].real() : 0.0);
  const double scale = electrons / problem.crystal.lattice.volume() / mean;
  for (auto& value : density[0]) value *= scale;
  if (problem.spins == 2) density.push_back(initial_magnetisation(grid.waves(), problem, atoms, density[0], electrons));
  return density;
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
