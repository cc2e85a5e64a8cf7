// The nested levels of parallelism: world = k-groups x band groups x (the ranks that share a plane-wave grid).
#pragma once

#include "mpi/comm.hpp"

namespace wavegrid {

/// Into how many groups ranks are divided.
struct GroupCounts {
  int kgroups = 1;     ///< of the world; each takes a share of the k-points and spins
  int bandgroups = 1;  ///< of each k-group; each transforms a share of the bands
  friend bool operator==(const GroupCounts&, const GroupCounts&) = default;
};

/// The groups of this rank. Groups are blocks of consecutive ranks, as even as can be: where ranks do not divide, the
/// first groups have one more.
class ProcessGroups {
 public:
  /// Collective over `world`. Throws bad_input, on all ranks alike, where a count is below 1 or a group would be empty.
  ProcessGroups(const Comm& world, GroupCounts counts);

  [[nodiscard]] GroupCounts counts() const { return counts_; }
  [[nodiscard]] int my_kgroup() const { return my_kgroup_; }
  [[nodiscard]] int my_bandgroup() const { return my_bandgroup_; }  ///< within its k-group

  [[nodiscard]] const Comm& world() const { return world_; }
  [[nodiscard]] const Comm& kgroup() const { return kgroup_; }        ///< ranks of my k-group
  [[nodiscard]] const Comm& bandgroup() const { return bandgroup_; }  ///< ranks of my band group

 private:
  GroupCounts counts_;
  int my_kgroup_, my_bandgroup_;
  Comm world_, kgroup_, bandgroup_;
};

/// Ranks of the smallest group where `ranks` are divided into `groups`. Pure.
[[nodiscard]] inline int smallest_group(int ranks, int groups) { return ranks / groups; }

}  // namespace wavegrid
