#include <algorithm>

#include <wavegrid/layout/wave_blocks.hpp>

namespace wavegrid {

namespace {

constexpr Index wanted_waves = 256;  ///< enough rows for BLAS-3, enough blocks for many ranks
constexpr Index wanted_blocks = 16;  ///< at least, if there are enough sticks

}  // namespace

WaveBlocks::WaveBlocks(const StickCounts& counts) : sticks{0}, waves{0} {
  const Index all = counts.total(), blocks = std::max(wanted_blocks, all / wanted_waves);
  Index sum = 0;
  for (int stick = 0; stick < counts.num_sticks(); ++stick) {
    sum += counts.count[static_cast<std::size_t>(stick)];
    // The n-th block ends with the first stick at which the sum reaches n / blocks of all plane waves.
    if (sum == waves.back() || sum == all || sum * blocks < static_cast<Index>(waves.size()) * all) continue;
    sticks.push_back(stick + 1);
    waves.push_back(sum);
  }
  sticks.push_back(counts.num_sticks());
  waves.push_back(all);
}

std::vector<Index> WaveBlocks::starts(int ranks) const {
  std::vector<Index> first{0};
  for (int rank = 1; rank < ranks; ++rank) {
    // The block boundary nearest to the even share.
    Index block = first.back();
    const auto distance = [&](Index b) {
      return std::abs(waves[static_cast<std::size_t>(b)] * ranks - waves.back() * rank);
    };
    while (block < count() && distance(block + 1) < distance(block)) ++block;
    first.push_back(block);
  }
  first.push_back(count());
  return first;
}

Partition WaveBlocks::partition(const StickCounts& counts, int ranks) const {
  Partition partition = make_partition(Scheme::greedy, counts, GridShape{1, ranks}, ranks);
  const std::vector<Index> first = starts(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto stick = [&](int r) { return sticks[static_cast<std::size_t>(first[static_cast<std::size_t>(r)])]; };
    for (int s = stick(rank); s < stick(rank + 1); ++s)
      if (int& owner = partition.stick_owner[static_cast<std::size_t>(s)]; owner >= 0) owner = rank;
  }
  return partition;
}

}  // namespace wavegrid
