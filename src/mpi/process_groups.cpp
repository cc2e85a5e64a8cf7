#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

namespace {

/// The group of `rank` if `ranks` ranks are divided into `groups` groups.
int group_of(int rank, int ranks, int groups) {
  const int size = ranks / groups, long_groups = ranks % groups, in_long = long_groups * (size + 1);
  return rank < in_long ? rank / (size + 1) : long_groups + (rank - in_long) / size;
}

GroupCounts checked(const GroupCounts& counts, int ranks) {
  const auto text = [](int n) { return std::to_string(n); };
  if (counts.kpoint_groups < 1 || counts.band_groups < 1)
    throw bad_input("there cannot be " + text(counts.kpoint_groups) + " k-point groups of " + text(counts.band_groups) +
                    " band groups; each number must be at least 1");
  if (counts.kpoint_groups > ranks)
    throw bad_input(text(counts.kpoint_groups) + " k-point groups do not fit on " + text(ranks) + " ranks; at most " +
                    text(ranks) + " do");
  const int smallest = smallest_group(ranks, counts.kpoint_groups);
  if (counts.band_groups > smallest)
    throw bad_input(text(counts.band_groups) + " band groups do not fit into k-point groups of " + text(smallest) +
                    " ranks; with " + text(counts.kpoint_groups) + " k-point groups on " + text(ranks) +
                    " ranks at most " + text(smallest) + " do");
  return counts;
}

}  // namespace

ProcessGroups::ProcessGroups(const Comm& world, GroupCounts counts)
    : counts_(checked(counts, world.size())),
      my_kpoint_group_(group_of(world.rank(), world.size(), counts.kpoint_groups)),
      my_band_group_(0),
      world_(world),
      kpoint_group_(counts.kpoint_groups == 1 ? world : world.split(my_kpoint_group_, world.rank())),
      band_group_(kpoint_group_) {
  if (counts.band_groups == 1) return;
  my_band_group_ = group_of(kpoint_group_.rank(), kpoint_group_.size(), counts.band_groups);
  band_group_ = kpoint_group_.split(my_band_group_, kpoint_group_.rank());
}

}  // namespace wavegrid
