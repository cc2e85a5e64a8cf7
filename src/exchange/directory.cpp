#include <algorithm>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/directory_share.hpp>
#include <wavegrid/mpi/sparse_exchange.hpp>

namespace wavegrid {

namespace {

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
  for (const StridedRun run : list.runs())
    if (run.start < 0 || run.length < 0)
      throw bad_input(side + " of rank " + std::to_string(rank) + ": [" + std::to_string(run.start) + ", " +
                      std::to_string(run.start + run.length) +
                      ") is no range of global indices, which are 0 or more and rise");
}

/// What all ranks know of the directory.
struct Directory {
  Blocks blocks;
  bool has_strides;  ///< on any rank
};

/// Blocks so long that the ranges of a rank are cut at most about as often as there are ranks. Collective.
Directory make_directory(const Comm& comm, const IndexList& source, const IndexList& target) {
  Index lowest = no_index, has_strides = 0;
  for (const IndexList* list : {&source, &target})
    for (const StridedRun run : list->runs()) {
      lowest = std::min(lowest, run.start);
      if (run.count >= least_strided_count) has_strides = 1;
    }
  Index most[] = {target.size(), has_strides};
  comm.max(std::span<Index>(most));
  const Index longest = std::max(comm.sum(source.size()), most[0]);
  return {{comm.min(lowest), std::max<Index>(longest - 1, 0) / comm.size() + 1, comm.size()}, most[1] == 1};
}

/// What a rank sends to the shares of the directory.
class Registration {
 public:
  Registration(const Directory& directory, int rank)
      : blocks_(directory.blocks), has_strides_(directory.has_strides), rank_(rank) {}

  void add(const IndexList& list) {
    for (const StridedRun run : list.runs())
      for (Index k = 0; k < run.count;) {
        const StridedRun rest{run.start + k * run.stride, run.length, run.count - k, run.stride};
        const Index whole = rest.count < least_strided_count ? 0 : whole_runs_in_block(rest);
        if (whole < least_strided_count) {
          add_range({rest.start, rest.start + rest.length});
          ++k;
          continue;
        }
        strided_.of(blocks_.rank_of(rest.start))
            .push_back({{rest.start, rest.length, whole, rest.stride}, local_, rank_});
        local_ += whole * rest.length;
        k += whole;
      }
  }

  /// The pieces of all ranks in this rank's share. Collective.
  [[nodiscard]] DirectoryShare exchange(const Comm& comm) {
    DirectoryShare share;
    for (const PartnerItems<DirectoryPiece>& entry : sparse_exchange(comm, plain_.take()))
      share.plain.insert(share.plain.end(), entry.items.begin(), entry.items.end());
    share.sort();
    if (!has_strides_) return share;
    for (const PartnerItems<StridedDirectoryPiece>& entry : sparse_exchange(comm, strided_.take()))
      share.strided.insert(share.strided.end(), entry.items.begin(), entry.items.end());
    return share;
  }

 private:
  [[nodiscard]] Index whole_runs_in_block(const StridedRun& run) const {
    const Index space = blocks_.rest(run.start);
    return space < run.length ? 0 : std::min((space - run.length) / run.stride + 1, run.count);
  }

  void add_range(Range range) {
    for (Index i = range.begin; i < range.end;) {
      const Index length = std::min(range.end - i, blocks_.rest(i));
      plain_.of(blocks_.rank_of(i)).push_back({{i, i + length}, local_, rank_});
      i += length;
      local_ += length;
    }
  }

  const Blocks& blocks_;
  bool has_strides_;
  Index rank_;
  Index local_ = 0;
  ItemsByPartner<DirectoryPiece> plain_;
  ItemsByPartner<StridedDirectoryPiece> strided_;
};

DirectoryShare register_pieces(const Comm& comm, const Directory& directory, const IndexList& list) {
  Registration registration(directory, comm.rank());
  registration.add(list);
  return registration.exchange(comm);
}

/// If any share has a fault, every rank throws the fault of the lowest index. Collective.
void require_no_fault(const Comm& comm, const LayoutFault& fault) {
  const Index first = comm.min(fault.index);
  if (first == no_index) return;
  comm.collectively([&] {
    if (fault.index == first) throw bad_input(fault.message);
  });
}

/// Sends the ranks of one side the matches found in this rank's share; returns those of this rank. Collective.
Matches send_matches(const Comm& comm, const DirectoryShare& owned, const DirectoryShare& wanted, MatchSide side,
                     bool has_strides) {
  ItemsByPartner<Match> out;
  ItemsByPartner<StridedMatch> strided;
  for_matches(owned, wanted, [&](Index sender, Index receiver, StridedMatch match) {
    match.first.partner = side == MatchSide::sender ? receiver : sender;
    const auto to = static_cast<int>(side == MatchSide::sender ? sender : receiver);
    if (match.count == 1) {
      out.of(to).push_back(match.first);
    } else if (match.count >= least_strided_count) {
      strided.of(to).push_back(match);
    } else {
      for (Index k = 0; k < match.count; ++k) out.of(to).push_back(match.at(k));
    }
  });
  Matches matches;
  for (const PartnerItems<Match>& entry : sparse_exchange(comm, out.take()))
    matches.plain.insert(matches.plain.end(), entry.items.begin(), entry.items.end());
  if (!has_strides) return matches;
  for (const PartnerItems<StridedMatch>& entry : sparse_exchange(comm, strided.take()))
    matches.strided.insert(matches.strided.end(), entry.items.begin(), entry.items.end());
  return matches;
}

}  // namespace

MatchedRuns match_layouts(const Comm& comm, const IndexList& source, const IndexList& target, Unowned unowned,
                          const LayoutNames& names) {
  comm.collectively([&] {
    require_ranges(source, names.source, comm.rank());
    require_ranges(target, names.target, comm.rank());
  });
  const Directory directory = make_directory(comm, source, target);
  DirectoryShare owned = register_pieces(comm, directory, source);
  const DirectoryShare wanted = register_pieces(comm, directory, target);
  expand_if_cheaper(owned, wanted);
  require_no_fault(comm, owned_twice(owned, names.source));
  if (unowned == Unowned::refuse) require_no_fault(comm, not_owned(owned, wanted, names.target));
  const auto runs_of = [&](MatchSide side) {
    return send_matches(comm, owned, wanted, side, directory.has_strides).runs(side);
  };
  return {runs_of(MatchSide::sender), runs_of(MatchSide::receiver)};
}

}  // namespace wavegrid
