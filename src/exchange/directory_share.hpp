// One rank's share of the directory: which pieces of the layouts of all ranks lie in it, and what they have in common.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/exchange/common_runs.hpp>
#include <wavegrid/exchange/matches.hpp>
#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

/// Consecutive global indices of consecutive local elements of one rank, inside one block of the directory.
struct DirectoryPiece {
  Range global;
  Index local = 0;  ///< location of global.begin on `rank`
  Index rank = 0;
};

/// The same for ranges at equal distances.
struct StridedDirectoryPiece {
  StridedRun global;
  Index local = 0;
  Index rank = 0;
};

/// What one side of the layouts, source or target, has in a share.
struct DirectoryShare {
  std::vector<DirectoryPiece> plain;  ///< by rising index, rank and place
  std::vector<StridedDirectoryPiece> strided;

  [[nodiscard]] Index size() const;
  void sort();
  /// All pieces as plain ones.
  [[nodiscard]] DirectoryShare expanded() const;
};

/// Every strided owned piece is compared with all pieces: not where one by one costs less.
void expand_if_cheaper(DirectoryShare& owned, const DirectoryShare& wanted);

constexpr Index no_index = std::numeric_limits<Index>::max();  ///< larger than all indices

/// The lowest index that is wrong in a share.
struct LayoutFault {
  Index index = no_index;
  std::string message;
};

/// An index that two pieces of the layout `name` own.
[[nodiscard]] LayoutFault owned_twice(const DirectoryShare& owned, const std::string& name);
/// An index that the layout `name` wants, but nobody owns.
[[nodiscard]] LayoutFault not_owned(const DirectoryShare& owned, const DirectoryShare& wanted, const std::string& name);

/// The first of the owned pieces that ends behind index i.
inline auto first_behind(const std::vector<DirectoryPiece>& owned, Index i) {
  return std::partition_point(owned.begin(), owned.end(),
                              [i](const DirectoryPiece& piece) { return piece.global.end <= i; });
}

/// Calls visit(piece, common) for the common elements of plain pieces that do not overlap and of a strided run.
template <class Visit>
void for_common_pieces(const std::vector<DirectoryPiece>& pieces, const StridedRun& run, Visit visit) {
  for (Index next = run.start;;) {
    const auto piece = first_behind(pieces, next);
    if (piece == pieces.end() || piece->global.begin >= run.end()) return;
    for_common_runs({piece->global.begin, piece->global.size()}, run,
                    [&](const CommonRun& common) { visit(*piece, common); });
    const Index k = first_run_behind(run, piece->global.end);
    if (k >= run.count) return;
    next = std::max(piece->global.end, run.start + k * run.stride);
  }
}

/// Calls visit(owner, requester, match) for the common elements of owned and wanted pieces.
template <class Visit>
void for_matches(const DirectoryShare& owned, const DirectoryShare& wanted, Visit visit) {
  const auto match = [&](const auto& have, const auto& want, const CommonRun& common) {
    visit(have.rank, want.rank,
          StridedMatch{{0, have.local + common.in_a, want.local + common.in_b, common.length},
                       common.count,
                       common.a_stride,
                       common.b_stride});
  };
  const auto match_strided = [&](const auto& want, const StridedRun& run) {
    for (const StridedDirectoryPiece& have : owned.strided)
      for_common_runs(have.global, run, [&](const CommonRun& common) { match(have, want, common); });
  };
  for (const DirectoryPiece& want : wanted.plain) {
    for (auto have = first_behind(owned.plain, want.global.begin);
         have != owned.plain.end() && have->global.begin < want.global.end; ++have) {
      const Index begin = std::max(have->global.begin, want.global.begin);
      const Index end = std::min(have->global.end, want.global.end);
      match(*have, want, {begin - have->global.begin, begin - want.global.begin, end - begin});
    }
    match_strided(want, {want.global.begin, want.global.size()});
  }
  for (const StridedDirectoryPiece& want : wanted.strided) {
    for_common_pieces(owned.plain, want.global,
                      [&](const DirectoryPiece& have, const CommonRun& common) { match(have, want, common); });
    match_strided(want, want.global);
  }
}

}  // namespace wavegrid
