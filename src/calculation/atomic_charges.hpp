// Charges and magnetic moments of the atoms, by Hirshfeld's partition of the density.
//
//   q_a = Z_a - int w_a(r) rho(r) d^3r,   w_a(r) = rho_a(|r - tau_a|) / sum_b rho_b(|r - tau_b|)
//
// with the densities rho_a of the pseudo-atoms, and the moment int w_a m d^3r of the magnetisation density m.
// F. L. Hirshfeld, Theor. Chim. Acta 44, 129 (1977), 10.1007/BF00549096.
#pragma once

#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>

namespace wavegrid {

/// In the crystal's order of atoms, the same on all ranks.
struct AtomicCharges {
  std::vector<double> charges;         ///< e: valence charge of the ion minus electrons
  std::vector<double> moments;         ///< mu_B; empty without spin, and with vectors
  std::vector<Vec3> moment_vectors{};  ///< mu_B, Cartesian; of spinors with a magnetisation
  std::vector<Vec3> torques{};         ///< Ha, on moments whose directions are held (terms/moment_constraint.hpp)
  double unassigned = 0;               ///< electrons at points where no atom has density
};

/// Each rank evaluates the atoms on its own block of the grid, and only near each atom. `density` in the components of
/// the field space. Its bits give the same bits on any number of ranks. Collective.
[[nodiscard]] AtomicCharges atomic_charges(GridFields& fields, const Problem& problem,
                                           const std::vector<PseudoAtom>& atoms, const SpinCoefficients& density);
/// The same at the points of a mesh. Collective.
[[nodiscard]] AtomicCharges atomic_charges(const MeshFields& fields, const Problem& problem,
                                           const std::vector<PseudoAtom>& atoms, const SpinFields& density);

}  // namespace wavegrid
