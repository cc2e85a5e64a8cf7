// From two layouts to the runs of an exchange plan: a distributed directory finds the partners.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "exchange/runs.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// The global indices of one rank's local elements, in local order: element 0 is the first index of the first range.
/// Global indices are 64-bit numbers from 0, in any order; a range costs the same whatever its length.
class IndexList {
 public:
  IndexList() = default;
  /// The ranges one behind the other.
  IndexList(std::initializer_list<Range> ranges);
  explicit IndexList(std::span<const Range> ranges);
  /// One index after the other; neighbours become ranges.
  [[nodiscard]] static IndexList of(std::span<const Index> indices);

  /// Adds a range behind the last element, merged with the last range where it continues it.
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

/// What becomes of an index that is wanted and that no rank owns.
enum class Unowned {
  refuse,    ///< an error
  leave_out  ///< no run names it: its element of the target stays untouched
};

/// Finds, for every element of each rank's `target`, the rank and location of the same global index among all
/// `source`s.
///
/// An index may be wanted by many ranks, several times by one, or by none; ranks may be empty on either side.
/// Collective over `comm`. Throws the same bad_input on all ranks where a range is negative or runs backwards, where an
/// index is owned twice, and, unless Unowned::leave_out, where one is wanted but owned by no rank: the error names the
/// lowest such index and its ranks, and is the same however the layouts are ordered.
/// Memory on a rank: its own ranges, the ranges of its share of the directory (the indices in blocks, distributed over
/// the ranks), and the runs of its result.
[[nodiscard]] MatchedRuns match_layouts(const Comm& comm, const IndexList& source, const IndexList& target,
                                        Unowned unowned = Unowned::refuse);

}  // namespace wavegrid
