// The initial density: superposed pseudo-atoms.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "basis/plane_waves.hpp"
#include "calculation/problem.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// One solved pseudo-atom per species.
[[nodiscard]] std::vector<PseudoAtom> solve_pseudo_atoms(const Pseudopotentials& potentials);

/// rho(G) = 1/Omega sum_a w_a rho_a(|G|) exp(-iG.tau_a) on this rank's G of the box, electrons/bohr^3, with one factor
/// w_a for each atom; none means 1 for all. Local.
[[nodiscard]] std::vector<std::complex<double>> superposed_density(const PlaneWaves& box, const Crystal& crystal,
                                                                   const std::vector<PseudoAtom>& atoms,
                                                                   std::span<const double> factors = {});

/// Superposed atoms, scaled to the exact number of electrons; with two spins also the initial magnetisation.
/// Collective.
[[nodiscard]] SpinCoefficients initial_density(const GridFft& grid, const Problem& problem,
                                               const std::vector<PseudoAtom>& atoms, double electrons);

/// Forces on the atoms from a potential that acts on their densities, which move with them (structure_derivatives.hpp,
/// w_s = rho_s V), Ha/bohr: Cartesian, the same on all ranks. `potential` on this rank's G of the box, Ha. Collective.
[[nodiscard]] std::vector<Vec3> superposed_forces(const GridFft& grid, const Crystal& crystal,
                                                  const std::vector<PseudoAtom>& atoms,
                                                  const GridFft::Coefficients& potential);

/// The strain derivative of the same energy, with atomic densities that follow the strain: -sum_G rho_s' G_a G_b / |G|
/// times the potential (structure_strain), Ha, symmetric, the same on all ranks. Collective.
[[nodiscard]] Mat3 superposed_strain(const GridFft& grid, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                                     const GridFft::Coefficients& potential);

}  // namespace wavegrid
