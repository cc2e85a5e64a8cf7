// The global indices of a rank's elements.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

/// The global indices of one rank's local elements, in local order: element 0 is the first index of the first range.
/// Global indices are 64-bit numbers from 0, in any order. The cost of a range does not depend on its length, and
/// neither does the cost of ranges of equal length at equal distances on their number, as those of a block-cyclic
/// layout.
class IndexList {
 public:
  IndexList() = default;
  /// The ranges one after the other.
  IndexList(std::initializer_list<Range> ranges);
  explicit IndexList(std::span<const Range> ranges);
  /// One index after the other; consecutive ones are merged into ranges.
  [[nodiscard]] static IndexList of(std::span<const Index> indices);

  /// Adds a range behind the last element, merged with the last range if it continues that range.
  void append(Range range) { runs_.append({range.begin, range.size()}); }
  /// Adds `count` ranges of `length` indices, whose first indices are `stride` > `length` apart.
  void append_strided(const StridedRun& ranges) { runs_.append_strided(ranges); }

  [[nodiscard]] Index size() const { return total_length(runs_); }  ///< local elements
  [[nodiscard]] std::vector<Range> ranges() const;                  ///< one by one in local order, none of size 0
  [[nodiscard]] const RunList& runs() const { return runs_; }       ///< the same, as they are stored

 private:
  RunList runs_;
};

}  // namespace wavegrid
