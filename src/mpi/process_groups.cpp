#include "mpi/process_groups.hpp"

#include "base/error.hpp"

namespace wavegrid {

namespace {

/// The block that `rank` falls into where `ranks` are divided into `groups`.
int group_of(int rank, int ranks, int groups) {
  const int size = ranks / groups, long_groups = ranks % groups, in_long = long_groups * (size + 1);
  return rank < in_long ? rank / (size + 1) : long_groups + (rank - in_long) / size;
}

GroupCounts checked(const GroupCounts& counts, int ranks) {
  const auto text = [](int n) { return std::to_string(n); };
  if (counts.kgroups < 1 || counts.bandgroups < 1)
    throw bad_input("there cannot be " + text(counts.kgroups) + " k-groups of " + text(counts.bandgroups) +
                    " band groups; each number must be at least 1");
  if (counts.kgroups > ranks)
    throw bad_input(text(counts.kgroups) + " k-groups do not fit on " + text(ranks) + " ranks; at most " + text(ranks) +
                    " do");
  const int smallest = smallest_group(ranks, counts.kgroups);
  if (counts.bandgroups > smallest)
    throw bad_input(text(counts.bandgroups) + " band groups do not fit into k-groups of " + text(smallest) +
                    " ranks; with " + text(counts.kgroups) + " k-groups on " + text(ranks) + " ranks at most " +
                    text(smallest) + " do");
  return counts;
}

}  // namespace

ProcessGroups::ProcessGroups(const Comm& world, GroupCounts counts)
    : counts_(checked(counts, world.size())),
      my_kgroup_(group_of(world.rank(), world.size(), counts.kgroups)),
      my_bandgroup_(0),
      world_(world),
      kgroup_(counts.kgroups == 1 ? world : world.split(my_kgroup_, world.rank())),
      bandgroup_(kgroup_) {
  if (counts.bandgroups == 1) return;
  my_bandgroup_ = group_of(kgroup_.rank(), kgroup_.size(), counts.bandgroups);
  bandgroup_ = kgroup_.split(my_bandgroup_, kgroup_.rank());
}

}  // namespace wavegrid
