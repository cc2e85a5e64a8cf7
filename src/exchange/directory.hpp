// From two layouts to the runs of an exchange plan: a distributed directory finds the partners.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The global indices of one rank's local elements, in local order: element 0 is the first index of the first range.
/// Global indices are 64-bit numbers from 0, in any order; the cost of a range does not depend on its length.
class IndexList {
 public:
  IndexList() = default;
  /// The ranges one after the other.
  IndexList(std::initializer_list<Range> ranges);
  explicit IndexList(std::span<const Range> ranges);
  /// One index after the other; consecutive ones are merged into ranges.
  [[nodiscard]] static IndexList of(std::span<const Index> indices);

  /// Adds a range behind the last element, merged with the last range if it continues that range.
  void append(Range range);

  [[nodiscard]] Index size() const;                                           ///< local elements
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }  ///< in local order, none of size 0

 private:
  std::vector<Range> ranges_;
};

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

/// Finds, for every element of each rank's `target`, the rank and location of the same global index among all
/// `source`s.
///
/// An index may be in the targets of many ranks, several times in one, or in none; ranks may be empty on either side.
/// Collective over `comm`. Throws the same bad_input on all ranks if a range is negative or has end < begin, if an
/// index is owned twice, and, unless Unowned::leave_out, if an index of a target is owned by no rank: the error names
/// the lowest such index and its ranks, and does not depend on the order of the layouts. Memory on a rank: its own
/// ranges, the ranges of its share of the directory (the indices in blocks, distributed over the ranks), and the runs
/// of its result.
[[nodiscard]] MatchedRuns match_layouts(const Comm& comm, const IndexList& source, const IndexList& target,
                                        Unowned unowned = Unowned::refuse);

}  // namespace wavegrid
