// Chooses the partition for a machine by estimated cost: greedy, or optimized on some process grid.
#pragma once

#include <optional>
#include <string>

#include <wavegrid/costmodel/machine.hpp>

namespace wavegrid {

/// A partition and the reason for the choice, as a sentence with the estimated times.
struct PartitionChoice {
  Partition partition;
  std::string reason;
};

/// The partition of `scheme`; if that is empty ("auto"), greedy, unless the estimated cost of optimized is more than 1%
/// lower. Pure, the same on all ranks. Throws bad_input if parts < 1.
///
/// The trade-off is that of Gao et al. 2016, section 5: greedy has one transpose, of p-1 messages per rank; the other
/// has two, of about 2 (sqrt(p) - 1) messages together and about three times the bytes.
[[nodiscard]] PartitionChoice choose_partition(std::optional<Scheme> scheme, const StickCounts& counts, int nx,
                                               int parts, const Machine& machine = {});

}  // namespace wavegrid
