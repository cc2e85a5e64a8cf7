// Whether a partition divides the sticks of a sphere: for partitions that make_partition() did not make.
#pragma once

#include <wavegrid/layout/partition.hpp>

namespace wavegrid {

/// Throws bad_input, which names the stick or plane and the part, unless
/// - stick_owner has an entry for each stick and plane_row one for each plane of fixed iz,
/// - every stick with plane waves has a part, 0 <= part < parts, and every plane with such sticks a process row; an
///   empty stick or plane may have -1,
/// - the shape fits the parts, and, where rows_are_closed(), each stick belongs to a part of its plane's row.
/// Pure.
void check_partition(const Partition& partition, const StickCounts& counts);

/// "the stick (iy, iz) = (3, 2)": of an address iz * ny + iy. Pure.
[[nodiscard]] std::string stick_name(int address, int ny);

}  // namespace wavegrid
