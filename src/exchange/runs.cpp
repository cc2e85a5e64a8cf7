#include <numeric>

#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

void append_run(std::vector<Run>& runs, Run run) {
  if (run.length == 0) return;
  if (!runs.empty() && runs.back().start + runs.back().length == run.start)
    runs.back().length += run.length;
  else
    runs.push_back(run);
}

Index total_length(const std::vector<Run>& runs) {
  return std::accumulate(runs.begin(), runs.end(), Index{0},
                         [](Index sum, const Run& run) { return sum + run.length; });
}

}  // namespace wavegrid
