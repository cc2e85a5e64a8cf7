// From two layouts to the runs of an exchange plan: a distributed directory finds the partners.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/exchange/index_list.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The two sides of an ExchangePlan on this rank, by rising partner; touching runs are merged.
/// Elements are sent between two ranks in the receiver's local order.
struct MatchedRuns {
  std::vector<PartnerRuns> sends;     ///< local elements of the source layout
  std::vector<PartnerRuns> receives;  ///< local elements of the target layout
};

/// What happens to an index of a target layout that no rank owns.
enum class Unowned {
  refuse,    ///< an error
  leave_out  ///< it is in no run: its element of the target is not changed
};

/// What errors call the two layouts.
struct LayoutNames {
  std::string source = "source layout", target = "target layout";
};

/// Finds, for every element of each rank's `target`, the rank and location of the same global index among all
/// `source`s.
///
/// An index may be in the targets of many ranks, several times in one, or in none; ranks may be empty on either side.
/// Collective over `comm`. Throws the same bad_input on all ranks if a range is negative or has end < begin, if an
/// index is owned twice, and, unless Unowned::leave_out, if an index of a target is owned by no rank: the error names
/// the lowest such index and its ranks, and does not depend on the order of the layouts. Memory on a rank: its own
/// ranges, the ranges of its share of the directory (the indices in blocks, distributed over the ranks), and the runs
/// of its result. Ranges at equal distances are matched as one, unless their elements interleave in a message.
[[nodiscard]] MatchedRuns match_layouts(const Comm& comm, const IndexList& source, const IndexList& target,
                                        Unowned unowned = Unowned::refuse, const LayoutNames& names = {});

}  // namespace wavegrid
