// Wave functions of the k-points of a whole mesh from those of its irreducible part.
#pragma once

#include <span>
#include <vector>

#include "atoms/irreducible_kpoints.hpp"
#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

/// The irreducible k-point that a point of a mesh is equivalent to, and the map between them.
struct UnfoldedKPoint {
  int irreducible = 0;  ///< index into IrreducibleKPoints::kpoints
  WaveMap map;
};

/// One for each of `full`, which is monkhorst_pack() of the mesh that `points` were reduced from. Time reversal does
/// not change the spin: energies are even in k for each spin. Pure. Throws an internal error if `full` is another mesh.
[[nodiscard]] std::vector<UnfoldedKPoint> unfold(const IrreducibleKPoints& points, std::span<const KPoint> full);

/// The plan that makes wave functions of one k-point from those of an equivalent one and redistributes them in the same
/// exchange. The two k-points may be on different ranks of `comm`; ranks with neither pass empty lists. For one spin,
/// `sets` bands at a time: WaveTransfer::forward(source, target, sets).
///
/// Norms, orthogonality and energies are preserved; the spheres of the k-points must correspond G by G, as those of one
/// cutoff do. Throws an internal error on all ranks if they do not, and as WaveTransfer does. Collective.
[[nodiscard]] WaveTransfer plan_rotation(const Comm& comm, const WaveList& source, const WaveList& target,
                                         const WaveMap& map, Transport transport = Transport::alltoallv);

}  // namespace wavegrid
