#include <algorithm>
#include <limits>

#include <wavegrid/fft/band_blocks.hpp>

namespace wavegrid {

BandBlocks::BandBlocks(const std::map<int, double>& seconds, double single) {
  double least = single;
  for (const auto& [bands, time] : seconds)
    if (time / bands < least) least = time / bands, best_ = bands;
  if (best_ == 0) return;
  std::vector<double> times{0};  // of so many bands, by the best division
  for (int bands = 1; bands <= seconds.rbegin()->first; ++bands) {
    times.push_back(std::numeric_limits<double>::max());
    first_.push_back(0);
    for (const auto& [block, time] : seconds) {
      const double all = time + times[static_cast<std::size_t>(std::max(bands - block, 0))];
      if (all < times.back()) times.back() = all, first_.back() = std::min(block, bands);
    }
  }
  most_ = std::max(best_, *std::max_element(first_.begin(), first_.end()));
}

int BandBlocks::first(Index bands) const {
  return bands < static_cast<Index>(first_.size()) ? first_[static_cast<std::size_t>(bands)] : best_;
}

}  // namespace wavegrid
