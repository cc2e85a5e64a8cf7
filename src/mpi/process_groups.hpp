// The nested levels of parallelism: world = k-point groups x band groups x (the ranks that share a plane-wave grid).
#pragma once

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The numbers of groups into which ranks are divided.
struct GroupCounts {
  int kpoint_groups = 1;  ///< of the world; each takes a share of the k-points and spins
  int band_groups = 1;    ///< of each k-point group; each transforms a share of the bands
  friend bool operator==(const GroupCounts&, const GroupCounts&) = default;
};

/// The groups of this rank. Groups are blocks of consecutive ranks, of sizes as equal as possible: if the numbers do
/// not divide, the first groups have one rank more.
class ProcessGroups {
 public:
  /// Collective over `world`. Throws bad_input, on all ranks alike, if a count is below 1 or a group would be empty.
  ProcessGroups(const Comm& world, GroupCounts counts);

  [[nodiscard]] GroupCounts counts() const { return counts_; }
  [[nodiscard]] int my_kpoint_group() const { return my_kpoint_group_; }
  [[nodiscard]] int my_band_group() const { return my_band_group_; }  ///< within its k-point group

  [[nodiscard]] const Comm& world() const { return world_; }
  [[nodiscard]] const Comm& kpoint_group() const { return kpoint_group_; }  ///< ranks of my k-point group
  [[nodiscard]] const Comm& band_group() const { return band_group_; }      ///< ranks of my band group

 private:
  GroupCounts counts_;
  int my_kpoint_group_, my_band_group_;
  Comm world_, kpoint_group_, band_group_;
};

/// The size of the smallest group if `ranks` ranks are divided into `groups` groups. Pure.
[[nodiscard]] inline int smallest_group(int ranks, int groups) { return ranks / groups; }

}  // namespace wavegrid
