#include <algorithm>
#include <limits>
#include <utility>

#include <wavegrid/exchange/disjoint_runs.hpp>

namespace wavegrid {

namespace {

/// All runs of one side, by rising start.
std::vector<Run> sorted_runs(const RunLists& lists) {
  std::vector<Run> all;
  for (const RunList* list : lists)
    for_each_run(*list, [&](Index start, Index length) { all.push_back({start, length}); });
  std::sort(all.begin(), all.end(), [](const Run& a, const Run& b) { return a.start < b.start; });
  return all;
}

/// True if no element is in both sorted lists.
bool are_disjoint(const std::vector<Run>& a, const std::vector<Run>& b) {
  Index end_of_a = 0;
  auto next = a.begin();
  for (const Run& run : b) {
    for (; next != a.end() && next->start < run.start + run.length; ++next)
      end_of_a = std::max(end_of_a, next->start + next->length);
    if (end_of_a > run.start) return false;
  }
  return true;
}

/// From the first element of the lists to behind the last one.
Range extent(const RunLists& lists) {
  Range all{std::numeric_limits<Index>::max(), 0};
  for (const RunList* list : lists)
    for (const StridedRun run : *list) all = {std::min(all.begin, run.start), std::max(all.end, run.end())};
  return all;
}

/// The same for strided runs, which interleave: compared element by element.
bool are_disjoint_one_by_one(const RunLists& a, const RunLists& b) {
  const Range in_a = extent(a), in_b = extent(b), both{std::max(in_a.begin, in_b.begin), std::min(in_a.end, in_b.end)};
  if (both.empty()) return true;
  std::vector<bool> is_in_a(static_cast<std::size_t>(both.size()));
  const auto cut = [&](Index start, Index length) {
    const Index begin = std::clamp(start, both.begin, both.end), end = std::clamp(start + length, begin, both.end);
    return std::pair(is_in_a.begin() + (begin - both.begin), is_in_a.begin() + (end - both.begin));
  };
  for (const RunList* list : a)
    for_each_run(*list, [&](Index start, Index length) {
      const auto [first, last] = cut(start, length);
      std::fill(first, last, true);
    });
  bool found = false;
  for (const RunList* list : b)
    for_each_run(*list, [&](Index start, Index length) {
      const auto [first, last] = cut(start, length);
      found = found || std::find(first, last, true) != last;
    });
  return !found;
}

bool have_strides(const RunLists& lists) {
  return std::any_of(lists.begin(), lists.end(), [](const RunList* list) { return list->has_strides(); });
}

}  // namespace

bool are_disjoint(const RunLists& a, const RunLists& b) {
  if (have_strides(a) || have_strides(b)) return are_disjoint_one_by_one(a, b);
  return are_disjoint(sorted_runs(a), sorted_runs(b));
}

}  // namespace wavegrid
