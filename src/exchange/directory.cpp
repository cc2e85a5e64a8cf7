#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/mpi/sparse_exchange.hpp>

namespace wavegrid {

IndexList::IndexList(std::initializer_list<Range> ranges) : IndexList(std::span(ranges.begin(), ranges.size())) {}

IndexList::IndexList(std::span<const Range> ranges) {
  for (const Range& range : ranges) append(range);
}

IndexList IndexList::of(std::span<const Index> indices) {
  IndexList list;
  for (const Index i : indices) list.append({i, i + 1});
  return list;
}

void IndexList::append(Range range) {
  if (range.size() == 0) return;
  // A range with end < begin is kept as it is: match_layouts() throws for it, on all ranks together.
  const bool continues = !ranges_.empty() && ranges_.back().end == range.begin;
  if (continues && !range.empty() && !ranges_.back().empty())
    ranges_.back().end = range.end;
  else
    ranges_.push_back(range);
}

Index IndexList::size() const {
  return std::accumulate(ranges_.begin(), ranges_.end(), Index{0},
                         [](Index sum, const Range& range) { return sum + range.size(); });
}

namespace {

constexpr Index none = std::numeric_limits<Index>::max();  // no index: larger than all indices

/// Consecutive global indices of consecutive local elements of one rank, inside one block of the directory.
struct Piece {
  Range global;
  Index local = 0;  ///< location of global.begin on `rank`
  Index rank = 0;
};

/// Consecutive elements that are sent from one rank to another; `partner` is the other rank, as seen from the rank that
/// receives this Match.
struct Match {
  Index partner = 0;
  Index source = 0;  ///< location of the first element on the sender
  Index target = 0;  ///< and on the receiver
  Index length = 0;
};

/// Which rank stores the directory entry of an index: blocks of indices are distributed cyclically, one per rank in
/// each round. A layout without gaps takes one round, so that its long ranges are cut as rarely as possible; each later
/// round begins at a random rank, because with sparse indices (the band in the high bits, for example) a fixed order
/// could assign all to one rank.
class Blocks {
 public:
  Blocks(Index lowest, Index length, int ranks) : lowest_(lowest), length_(length), ranks_(ranks) {}
  [[nodiscard]] int rank_of(Index i) const {
    const Index block = (i - lowest_) / length_, round = block / ranks_;
    const auto first =
        round == 0 ? Index{0} : static_cast<Index>((random_at({round}) + 1) / 2 * static_cast<double>(ranks_));
    return static_cast<int>((first + block % ranks_) % ranks_);
  }
  /// Indices from i to the end of its block.
  [[nodiscard]] Index rest(Index i) const { return length_ - (i - lowest_) % length_; }

 private:
  Index lowest_, length_;
  Index ranks_;
};

void require_ranges(const IndexList& list, const std::string& side, int rank) {
  for (const Range& range : list.ranges())
    if (range.begin < 0 || range.empty())
      throw bad_input(side + " layout of rank " + std::to_string(rank) + ": [" + std::to_string(range.begin) + ", " +
                      std::to_string(range.end) + ") is no range of global indices, which are 0 or more and rise");
}

/// Blocks so long that the ranges of a rank are cut at most about as often as there are ranks. Collective.
Blocks distribute_blocks(const Comm& comm, const IndexList& source, const IndexList& target) {
  Index lowest = none;
  for (const IndexList* list : {&source, &target})
    for (const Range& range : list->ranges()) lowest = std::min(lowest, range.begin);
  const Index longest = std::max(comm.sum(source.size()), comm.max(target.size()));
  return {comm.min(lowest), std::max<Index>(longest - 1, 0) / comm.size() + 1, comm.size()};
}

/// Sends the pieces of this rank to the directory; returns the pieces of all ranks in this rank's share of it, by
/// rising index and rank. Collective.
std::vector<Piece> register_pieces(const Comm& comm, const Blocks& blocks, const IndexList& list) {
  ItemsByPartner<Piece> out;
  Index local = 0;
  for (const Range& range : list.ranges())
    for (Index i = range.begin; i < range.end;) {
      const Index length = std::min(range.end - i, blocks.rest(i));
      out.of(blocks.rank_of(i)).push_back({{i, i + length}, local, comm.rank()});
      i += length;
      local += length;
    }
  std::vector<Piece> pieces;
  for (const PartnerItems<Piece>& entry : sparse_exchange(comm, out.take()))
    pieces.insert(pieces.end(), entry.items.begin(), entry.items.end());
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.global.begin, a.rank, a.local) < std::tie(b.global.begin, b.rank, b.local);
  });
  return pieces;
}

/// The lowest index that is wrong in this rank's share of the directory.
struct Fault {
  Index index = none;
  std::string message;
};

/// If any share has a fault, every rank throws the fault of the lowest index. Collective.
void require_no_fault(const Comm& comm, const Fault& fault) {
  const Index first = comm.min(fault.index);
  if (first == none) return;
  comm.collectively([&] {
    if (fault.index == first) throw bad_input(fault.message);
  });
}

Fault owned_twice(const std::vector<Piece>& owned) {
  for (std::size_t p = 1; p < owned.size(); ++p) {  // all before are disjoint: only the last one can overlap
    const Piece &before = owned[p - 1], &piece = owned[p];
    if (piece.global.begin < before.global.end)
      return {piece.global.begin, "source layout: index " + std::to_string(piece.global.begin) +
                                      " is owned twice, by rank " + std::to_string(std::min(before.rank, piece.rank)) +
                                      " and by rank " + std::to_string(std::max(before.rank, piece.rank)) +
                                      "; each index may have one owner"};
  }
  return {};
}

/// The first of the owned pieces that ends behind index i.
auto first_behind(const std::vector<Piece>& owned, Index i) {
  return std::partition_point(owned.begin(), owned.end(), [i](const Piece& piece) { return piece.global.end <= i; });
}

/// The first index of `wanted` that no piece owns; wanted.end if there is none.
Index first_missing(const std::vector<Piece>& owned, const Range& wanted) {
  Index next = wanted.begin;
  for (auto piece = first_behind(owned, next); next < wanted.end; ++piece) {
    if (piece == owned.end() || piece->global.begin > next) return next;
    next = std::min(piece->global.end, wanted.end);
  }
  return wanted.end;
}

Fault not_owned(const std::vector<Piece>& owned, const std::vector<Piece>& wanted) {
  Index first = none, requester = none;
  for (const Piece& piece : wanted) {
    const Index missing = first_missing(owned, piece.global);
    if (missing < piece.global.end)
      std::tie(first, requester) = std::min(std::pair(first, requester), {missing, piece.rank});
  }
  if (first == none) return {};
  return {first, "target layout: index " + std::to_string(first) + " is wanted by rank " + std::to_string(requester) +
                     ", but no rank owns it"};
}

/// Calls `visit(owner, requester, match)` for every common range of an owned and a wanted piece.
template <class Visit>
void for_matches(const std::vector<Piece>& owned, const std::vector<Piece>& wanted, Visit visit) {
  for (const Piece& want : wanted)
    for (auto have = first_behind(owned, want.global.begin);
         have != owned.end() && have->global.begin < want.global.end; ++have) {
      const Index begin = std::max(have->global.begin, want.global.begin);
      const Index end = std::min(have->global.end, want.global.end);
      visit(have->rank, want.rank,
            Match{.source = have->local + (begin - have->global.begin),
                  .target = want.local + (begin - want.global.begin),
                  .length = end - begin});
    }
}

/// The rank to which a match is sent.
enum class Side { sender, receiver };

/// Sends the ranks of one side the matches found in this rank's share; returns those of this rank, by rising partner
/// and location on the receiver, the same order on both sides. Collective.
std::vector<Match> send_matches(const Comm& comm, const std::vector<Piece>& owned, const std::vector<Piece>& wanted,
                                Side side) {
  ItemsByPartner<Match> out;
  for_matches(owned, wanted, [&](Index sender, Index receiver, Match match) {
    match.partner = side == Side::sender ? receiver : sender;
    out.of(static_cast<int>(side == Side::sender ? sender : receiver)).push_back(match);
  });
  std::vector<Match> matches;
  for (const PartnerItems<Match>& entry : sparse_exchange(comm, out.take()))
    matches.insert(matches.end(), entry.items.begin(), entry.items.end());
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return std::tie(a.partner, a.target) < std::tie(b.partner, b.target);
  });
  return matches;
}

/// The runs of sorted matches at their locations on this rank.
std::vector<PartnerRuns> runs_of(const std::vector<Match>& matches, Index Match::*location) {
  std::vector<PartnerRuns> entries;
  for (const Match& match : matches) {
    if (entries.empty() || entries.back().partner != match.partner)
      entries.push_back({static_cast<int>(match.partner), {}});
    append_run(entries.back().runs, {match.*location, match.length});
  }
  return entries;
}

}  // namespace

MatchedRuns match_layouts(const Comm& comm, const IndexList& source, const IndexList& target, Unowned unowned) {
  comm.collectively([&] {
    require_ranges(source, "source", comm.rank());
    require_ranges(target, "target", comm.rank());
  });
  const Blocks blocks = distribute_blocks(comm, source, target);
  const std::vector<Piece> owned = register_pieces(comm, blocks, source),
                           wanted = register_pieces(comm, blocks, target);
  require_no_fault(comm, owned_twice(owned));
  if (unowned == Unowned::refuse) require_no_fault(comm, not_owned(owned, wanted));
  return {runs_of(send_matches(comm, owned, wanted, Side::sender), &Match::source),
          runs_of(send_matches(comm, owned, wanted, Side::receiver), &Match::target)};
}

}  // namespace wavegrid
