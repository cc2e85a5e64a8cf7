// Which local elements are exchanged: lists of runs, one list for each partner.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// `length` consecutive local elements from `start`.
struct Run {
  Index start = 0;
  Index length = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

/// The local elements that are sent to (or received from) one partner, in the order of the message.
struct PartnerRuns {
  int partner = 0;
  std::vector<Run> runs;
};

/// Appends a run, merged with the last one if they touch.
void append_run(std::vector<Run>& runs, Run run);

/// Elements of all runs together.
[[nodiscard]] Index total_length(const std::vector<Run>& runs);

}  // namespace wavegrid
