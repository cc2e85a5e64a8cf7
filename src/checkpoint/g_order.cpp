#include <algorithm>
#include <utility>

#include <wavegrid/checkpoint/g_order.hpp>

namespace wavegrid {

GOrder::GOrder(const GSphere& sphere) : starts_{0} {
  std::vector<std::pair<Int3, int>> sticks;
  for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick) {
    const int count = sphere.counts().count[static_cast<std::size_t>(stick)];
    if (count > 0) sticks.emplace_back(sphere.g(stick, 0), count);
  }
  std::sort(sticks.begin(), sticks.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first[2], a.first[1]) < std::pair(b.first[2], b.first[1]);
  });
  for (const auto& [g, count] : sticks) {
    first_.push_back(g);
    starts_.push_back(starts_.back() + count);
  }
}

std::vector<Int3> GOrder::range(const Range& places) const {
  std::vector<Int3> all;
  all.reserve(static_cast<std::size_t>(places.size()));
  auto stick =
      static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), places.begin) - starts_.begin());
  for (Index place = places.begin; place < places.end; ++stick) {
    const Int3& first = first_[stick - 1];
    for (; place < std::min(places.end, starts_[stick]); ++place)
      all.push_back({first[0] + static_cast<int>(place - starts_[stick - 1]), first[1], first[2]});
  }
  return all;
}

std::vector<Int3> box_order(const Int3& grid, const Range& places) {
  std::vector<Int3> all;
  all.reserve(static_cast<std::size_t>(places.size()));
  for (Index place = places.begin; place < places.end; ++place) {
    const Index line = place / grid[0];
    all.push_back({static_cast<int>(place % grid[0]) - grid[0] / 2, static_cast<int>(line % grid[1]) - grid[1] / 2,
                   static_cast<int>(line / grid[1]) - grid[2] / 2});
  }
  return all;
}

}  // namespace wavegrid
