// Wave functions of the k-points of a whole mesh from those of its irreducible part.
#pragma once

#include <span>
#include <vector>

#include "atoms/irreducible_kpoints.hpp"
#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

/// Which irreducible k-point a point of a mesh follows from, and how.
struct UnfoldedKPoint {
  int irreducible = 0;  ///< index into IrreducibleKPoints::kpoints
  WaveMap map;
};

/// One for each of `full`, which is monkhorst_pack() of the mesh that `points` were reduced from. Time reversal keeps
/// the spin: energies are even in k for each spin alone. Pure. Throws an internal error where `full` is another mesh.
[[nodiscard]] std::vector<UnfoldedKPoint> unfold(const IrreducibleKPoints& points, std::span<const KPoint> full);

/// The plan that carries wave functions of one k-point to an equivalent one, redistributing them on the way; the two
/// k-points may live on different ranks of `comm`, those without either pass empty lists. Of one spin, `sets` bands at
/// a time: WaveTransfer::forward(source, target, sets).
///
/// Norms and orthogonality stay, energies too; the k-points' spheres must correspond G by G, as those of one cutoff do.
/// Throws an internal error on all ranks where they do not, and as WaveTransfer does. Collective.
[[nodiscard]] WaveTransfer plan_rotation(const Comm& comm, const WaveList& source, const WaveList& target,
                                         const WaveMap& map, Transport transport = Transport::alltoallv);

}  // namespace wavegrid
