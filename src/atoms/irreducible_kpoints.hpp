// A mesh of k-points reduced by symmetry: one point for each star.
#pragma once

#include <string>
#include <vector>

#include "atoms/space_group.hpp"
#include "basis/kpoints.hpp"

namespace wavegrid {

/// How a point of the full mesh is obtained from an irreducible one.
///
/// k = S k_irr + G0, or k = -S k_irr + G0 where `time_reversed`; S = W^T of operation {W|w}, G0 folds k back. The wave
/// functions are psi_k(r) = psi_irr(W r + w), complex conjugated where time reversed. Not reversed, with tau = -W^-1 w:
/// c_k(G) = exp(-2 pi i (G + G0).tau) c_irr(S^-1 (G + G0)), up to a common phase.
struct KPointImage {
  int irreducible = 0;  ///< index into IrreducibleKPoints::kpoints
  int operation = 0;    ///< index into the operations of IrreducibleKPoints::group
  bool time_reversed = false;
};

struct IrreducibleKPoints {
  std::vector<KPoint> kpoints;    ///< the first of each star, in the order of the mesh; folded to (-1/2, 1/2]
  SpaceGroup group;               ///< the operations that map the mesh onto itself, for symmetrising densities
  std::vector<KPointImage> full;  ///< of each point of monkhorst_pack(mesh), in its order
  std::string sentence;           ///< description of the reduction for the output
};

/// Reduces the mesh by the rotations of `group` and, where `time_reversal`, by k -> -k (energies even in k: no
/// magnetic field, no spin-orbit coupling with moments).
///
/// Operations that do not map the mesh onto itself, with or without time reversal where that is allowed, are left out;
/// sums over the irreducible points are exact if densities are symmetrised by the `group` of the result. Computed in
/// integers, without a tolerance. Pure, the same on all ranks. Throws bad_input for an invalid mesh.
[[nodiscard]] IrreducibleKPoints irreducible(const KMesh& mesh, const SpaceGroup& group, bool time_reversal);

}  // namespace wavegrid
