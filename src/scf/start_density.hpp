// Start of the density: pseudo-atoms superposed.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "basis/plane_waves.hpp"
#include "scf/pseudo_atom.hpp"
#include "terms/local_potential.hpp"

namespace wavegrid {

/// One solved pseudo-atom per species.
[[nodiscard]] std::vector<PseudoAtom> solve_pseudo_atoms(const Pseudopotentials& potentials);

/// rho(G) = 1/Omega sum_a w_a rho_a(|G|) exp(-iG.tau_a) on this rank's G of the box, electrons/bohr^3, with one factor
/// w_a for each atom; none means 1 for all. Local.
[[nodiscard]] std::vector<std::complex<double>> superposed_density(const PlaneWaves& box, const Crystal& crystal,
                                                                   const std::vector<PseudoAtom>& atoms,
                                                                   std::span<const double> factors = {});

}  // namespace wavegrid
