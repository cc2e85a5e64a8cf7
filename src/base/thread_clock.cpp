#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include <wavegrid/base/thread_clock.hpp>

namespace wavegrid {

double thread_seconds() {
  timespec now{};
  // Parentheses: SimGrid's macro of this name would let another rank run, while a lock is held.
  (clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<double> least_times(std::span<const std::function<void()>> candidates, const TimingOptions& options) {
  const auto seconds = [](const std::function<void()>& call, int calls) {
    const double begin = thread_seconds();
    for (int i = 0; i < calls; ++i) call();
    return (thread_seconds() - begin) / calls;
  };
  std::vector<int> calls;
  double round = 0;
  for (const auto& call : candidates) {
    call();
    const double once = std::max(seconds(call, 1), 1e-9);
    calls.push_back(std::clamp(static_cast<int>(std::ceil(options.sample / once)), 1, 1000));
    round += calls.back() * once;
  }
  std::vector<double> least(candidates.size(), std::numeric_limits<double>::max());
  const int rounds = std::clamp(static_cast<int>(options.total / round), options.least, options.most);
  for (int i = 0; i < rounds; ++i)
    for (std::size_t j = 0; j < candidates.size(); ++j) least[j] = std::min(least[j], seconds(candidates[j], calls[j]));
  return least;
}

}  // namespace wavegrid
