// Wave functions of a k-point from those of an equivalent one.
#pragma once

#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

/// The plan that carries wave functions of one k-point to an equivalent one, redistributing them on the way; the two
/// k-points may live on different ranks of `comm`, those without either pass empty lists. Of one spin, `sets` bands at
/// a time: WaveTransfer::forward(source, target, sets).
///
/// Norms and orthogonality stay, energies too; the k-points' spheres must correspond G by G, as those of one cutoff do.
/// Throws an internal error on all ranks where they do not, and as WaveTransfer does. Collective.
[[nodiscard]] WaveTransfer plan_rotation(const Comm& comm, const WaveList& source, const WaveList& target,
                                         const WaveMap& map, Transport transport = Transport::alltoallv);

}  // namespace wavegrid
