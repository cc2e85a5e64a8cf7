// The initial density: superposed pseudo-atoms.
#pragma once

#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/fields/symmetrise_components.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// The functional of solve_pseudo_atoms().
[[nodiscard]] LocalXc atomic_xc();
/// One solved pseudo-atom per species.
[[nodiscard]] std::vector<PseudoAtom> solve_pseudo_atoms(const Pseudopotentials& potentials);

/// For each atom its initial magnetic moment over its valence charge. The problem has moments. Pure.
[[nodiscard]] std::vector<double> polarisations(const Problem& problem);
/// The same along a Cartesian axis, of moments that are vectors. Pure.
[[nodiscard]] std::vector<double> polarisations(const Problem& problem, std::size_t axis);

/// rho_ij of these atoms, by components, with the magnetisation of initial_density(); 0 without a PAW dataset. Shells
/// of DFT+U have the occupations of the input, or those of Hund's rules. Pure.
[[nodiscard]] SpinMatrices initial_matrices(const Problem& problem, const std::vector<PseudoAtom>& atoms,
                                            double electrons);

/// Superposed atoms, scaled to the number of electrons; with two spins also the initial magnetisation: that of the
/// atoms' moments, or the given total in proportion to the density; of spinors that of vectors. Collective over the
/// space, which provides superposed_density() and scale_to_electrons().
template <FieldSpace Space>
[[nodiscard]] SpinComponents<Space> initial_density(Space& space, const Problem& problem,
                                                    const std::vector<PseudoAtom>& atoms, double electrons) {
  SpinComponents<Space> density{superposed_density(space, problem.crystal, atoms)};
  scale_to_electrons(space, electrons, density[0]);
  for (std::size_t axis = 0; axis < 3 && problem.has_vector_magnetisation(); ++axis)
    density.push_back(superposed_density(space, problem.crystal, atoms, polarisations(problem, axis)));
  if (problem.has_vector_magnetisation()) symmetrise_components(space, density);  // of moments that are rounded
  if (problem.spins == 1) return density;
  if (problem.initial_magnetic_moments.empty()) {
    density.push_back(density[0]);
    for (auto& value : density[1]) value *= problem.total_magnetisation.value_or(0.0) / electrons;
  } else {
    density.push_back(superposed_density(space, problem.crystal, atoms, polarisations(problem)));
  }
  return density;
}

/// Sets the exact number of electrons of a density and applies the symmetry of the space. Collective.
template <FieldSpace Space>
void normalise_density(Space& space, double electrons, SpinComponents<Space>& density) {
  fix_electrons(space, electrons, density[0]);
  symmetrise_components(space, density);
}

}  // namespace wavegrid
