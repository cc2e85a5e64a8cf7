#include <wavegrid/exchange/index_list.hpp>

namespace wavegrid {

IndexList::IndexList(std::initializer_list<Range> ranges) : IndexList(std::span(ranges.begin(), ranges.size())) {}

IndexList::IndexList(std::span<const Range> ranges) {
  // A range with end < begin is kept as it is: match_layouts() throws for it, on all ranks together.
  for (const Range& range : ranges) append(range);
}

IndexList IndexList::of(std::span<const Index> indices) {
  IndexList list;
  for (std::size_t first = 0, end = 0; first < indices.size(); first = end) {
    for (end = first + 1; end < indices.size() && indices[end] == indices[end - 1] + 1;) ++end;
    list.append({indices[first], indices[end - 1] + 1});
  }
  return list;
}

std::vector<Range> IndexList::ranges() const {
  std::vector<Range> all;
  for_each_run(runs_, [&](Index start, Index length) { all.push_back({start, start + length}); });
  return all;
}

}  // namespace wavegrid
