// Wave functions of a k-point from those of an equivalent one.
#pragma once

#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

/// The plan that makes wave functions of one k-point from those of an equivalent one and redistributes them in the same
/// exchange. The two k-points may be on different ranks of `comm`; ranks with neither pass empty lists. For one spin,
/// `sets` bands at a time: WaveTransfer::forward(source, target, sets).
///
/// Norms, orthogonality and energies are preserved; the spheres of the k-points must correspond G by G, as those of one
/// cutoff do. Throws an internal error on all ranks if they do not, and as WaveTransfer does. Collective.
[[nodiscard]] WaveTransfer plan_rotation(const Comm& comm, const WaveList& source, const WaveList& target,
                                         const WaveMap& map, Transport transport = Transport::alltoallv);

}  // namespace wavegrid
