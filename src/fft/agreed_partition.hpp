// Partition and transport as arguments of a collective call: valid, and the same on all ranks.
#pragma once

#include <optional>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/exchange/transport.hpp>
#include <wavegrid/layout/partition.hpp>
#include <wavegrid/mpi/process_grid.hpp>

namespace wavegrid {

/// The partition itself, if it divides the sticks of the sphere (check_partition) over the ranks of the process grid
/// and is the same on all of them, as is the transport (none: to be found). If not, all throw the same bad_input, which
/// names a stick or plane, and the rank. Collective over ranks.all(): one reduction.
[[nodiscard]] const Partition& agreed(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere,
                                      const std::optional<Transport>& transport);

}  // namespace wavegrid
