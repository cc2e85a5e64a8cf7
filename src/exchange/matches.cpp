#include <algorithm>
#include <tuple>
#include <utility>

#include <wavegrid/exchange/matches.hpp>

namespace wavegrid {

namespace {

bool is_before(const Match& a, const Match& b) { return std::tie(a.partner, a.target) < std::tie(b.partner, b.target); }

Index target_end(const StridedMatch& match) {
  return match.first.target + (match.count - 1) * match.target_stride + match.first.length;
}

}  // namespace

void Matches::divide_interleaved() {
  const auto begins_inside = [](const Match& next, const StridedMatch& match) {
    return next.partner == match.first.partner && next.target < target_end(match);
  };
  const std::size_t sorted = plain.size();
  std::vector<StridedMatch> whole;
  Index partner = -1, end = 0;  // behind the last element of the matches before
  for (auto match = strided.begin(); match != strided.end(); ++match) {
    if (std::exchange(partner, match->first.partner) != match->first.partner) end = 0;
    const auto next_plain =
        std::upper_bound(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(sorted), match->first, is_before);
    const bool is_interleaved =
        match->first.target < end || (match + 1 != strided.end() && begins_inside(match[1].first, *match)) ||
        (next_plain != plain.begin() + static_cast<std::ptrdiff_t>(sorted) && begins_inside(*next_plain, *match));
    end = std::max(end, target_end(*match));
    if (!is_interleaved) {
      whole.push_back(*match);
      continue;
    }
    for (Index k = 0; k < match->count; ++k) plain.push_back(match->at(k));
  }
  strided = std::move(whole);
  if (plain.size() > sorted) std::sort(plain.begin(), plain.end(), is_before);
}

std::vector<PartnerRuns> Matches::runs(MatchSide side) {
  std::sort(plain.begin(), plain.end(), is_before);
  std::sort(strided.begin(), strided.end(),
            [](const StridedMatch& a, const StridedMatch& b) { return is_before(a.first, b.first); });
  divide_interleaved();

  const bool is_sender = side == MatchSide::sender;
  std::vector<PartnerRuns> entries;
  const auto runs_with = [&](Index partner) -> RunList& {
    if (entries.empty() || entries.back().partner != partner) entries.push_back({static_cast<int>(partner), {}});
    return entries.back().runs;
  };
  auto next = strided.begin();
  const auto append_strided_before = [&](const Match* match) {
    for (; next != strided.end() && (!match || is_before(next->first, *match)); ++next)
      runs_with(next->first.partner)
          .append_strided({is_sender ? next->first.source : next->first.target, next->first.length, next->count,
                           is_sender ? next->source_stride : next->target_stride});
  };
  for (const Match& match : plain) {
    append_strided_before(&match);
    runs_with(match.partner).append({is_sender ? match.source : match.target, match.length});
  }
  append_strided_before(nullptr);
  return entries;
}

}  // namespace wavegrid
