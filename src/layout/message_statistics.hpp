// How many messages the two transposes of the compact FFT send, and how large they are, as a function of the partition.
#pragma once

#include <map>
#include <utility>

#include <wavegrid/layout/partition.hpp>

namespace wavegrid {

/// One transpose of one backward transform of one band in double precision complex numbers (16 bytes). Elements that
/// stay on their rank and empty messages are not counted.
struct TransposeStatistics {
  Index messages = 0;      ///< of all ranks
  Index bytes = 0;         ///< of all ranks
  Index max_messages = 0;  ///< of one rank, sent or received, whichever is more
  Index max_bytes = 0;     ///< likewise
};

struct MessageStatistics {
  TransposeStatistics first;   ///< sticks to planes, in a row group (greedy: among all ranks)
  TransposeStatistics second;  ///< planes to sections, in a column group
};

/// The statistics of `partition` on a grid of nx x counts.ny x counts.nz points. Pure. The messages are those of
/// FftLayout, sticks_to_planes() and planes_to_sections() (fft/fft_layout.hpp).
[[nodiscard]] MessageStatistics message_statistics(const Partition& partition, const StickCounts& counts, int nx);

/// The number of sticks of a part on the planes of a row, by (part, row); pairs without sticks are omitted.
[[nodiscard]] std::map<std::pair<int, int>, Index> sticks_on_rows(const Partition& partition,
                                                                  const StickCounts& counts);
/// Planes of each row between the transposes.
[[nodiscard]] std::vector<Index> row_planes(const Partition& partition);

}  // namespace wavegrid
