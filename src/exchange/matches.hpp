// The elements that two ranks exchange, as the directory finds them, and the runs of a plan that follow from them.
#pragma once

#include <vector>

#include <wavegrid/exchange/common_runs.hpp>
#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

/// Fewer repetitions are treated one by one.
constexpr Index least_strided_count = 16;

/// Consecutive elements that are sent from one rank to another; `partner` is the other rank, as seen from the rank that
/// receives this Match.
struct Match {
  Index partner = 0;
  Index source = 0;  ///< place of the first element on the sender
  Index target = 0;  ///< and on the receiver
  Index length = 0;
};

/// A match that is repeated at equal distances.
struct StridedMatch {
  Match first;
  Index count = 1, source_stride = 0, target_stride = 0;

  [[nodiscard]] Match at(Index k) const {
    return {first.partner, first.source + k * source_stride, first.target + k * target_stride, first.length};
  }
};

/// The rank of a match from which its partner is seen.
enum class MatchSide { sender, receiver };

/// All matches of a rank as sender, or as receiver.
struct Matches {
  std::vector<Match> plain;
  std::vector<StridedMatch> strided;

  /// The runs at the places on one side, by rising partner, the elements for one partner in the order of the receiver.
  /// Sorts the matches; strided ones that interleave with others are divided into plain ones. Sender and receiver of a
  /// message find the same order.
  [[nodiscard]] std::vector<PartnerRuns> runs(MatchSide side);

 private:
  void divide_interleaved();
};

}  // namespace wavegrid
