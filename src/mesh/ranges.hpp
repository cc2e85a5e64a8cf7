// Unions of ranges.
#pragma once

#include <algorithm>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// The union of ranges: disjoint, not touching, rising.
[[nodiscard]] inline std::vector<Range> united(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> out;
  for (const Range& range : ranges) {
    if (!out.empty() && range.begin <= out.back().end)
      out.back().end = std::max(out.back().end, range.end);
    else
      out.push_back(range);
  }
  return out;
}

}  // namespace wavegrid
