#include <tuple>
#include <utility>

#include <wavegrid/exchange/directory_share.hpp>

namespace wavegrid {

Index DirectoryShare::size() const {
  Index sum = 0;
  for (const DirectoryPiece& piece : plain) sum += piece.global.size();
  for (const StridedDirectoryPiece& piece : strided) sum += piece.global.size();
  return sum;
}

void DirectoryShare::sort() {
  std::sort(plain.begin(), plain.end(), [](const DirectoryPiece& a, const DirectoryPiece& b) {
    return std::tie(a.global.begin, a.rank, a.local) < std::tie(b.global.begin, b.rank, b.local);
  });
}

DirectoryShare DirectoryShare::expanded() const {
  DirectoryShare all{plain, {}};
  for (const auto& [run, local, rank] : strided)
    for (Index k = 0; k < run.count; ++k) {
      const Index begin = run.start + k * run.stride;
      all.plain.push_back({{begin, begin + run.length}, local + k * run.length, rank});
    }
  all.sort();
  return all;
}

void expand_if_cheaper(DirectoryShare& owned, const DirectoryShare& wanted) {
  const auto pairs = static_cast<double>(owned.strided.size()) *
                     static_cast<double>(owned.strided.size() + wanted.strided.size() + wanted.plain.size());
  if (pairs > static_cast<double>(owned.size() + wanted.size())) owned = owned.expanded();
}

namespace {

LayoutFault plain_owned_twice(const std::vector<DirectoryPiece>& owned, const std::string& name) {
  for (std::size_t p = 1; p < owned.size(); ++p) {  // all before are disjoint: only the last one can overlap
    const DirectoryPiece &before = owned[p - 1], &piece = owned[p];
    if (piece.global.begin < before.global.end)
      return {piece.global.begin, name + ": index " + std::to_string(piece.global.begin) + " is owned twice, by rank " +
                                      std::to_string(std::min(before.rank, piece.rank)) + " and by rank " +
                                      std::to_string(std::max(before.rank, piece.rank)) +
                                      "; each index may have one owner"};
  }
  return {};
}

bool have_common(const StridedRun& a, const StridedRun& b) {
  bool found = false;
  for_common_runs(a, b, [&](const CommonRun&) { found = true; });
  return found;
}

/// The first index of `wanted` that no piece owns; wanted.end if there is none.
Index first_missing(const std::vector<DirectoryPiece>& owned, const Range& wanted) {
  Index next = wanted.begin;
  for (auto piece = first_behind(owned, next); next < wanted.end; ++piece) {
    if (piece == owned.end() || piece->global.begin > next) return next;
    next = std::min(piece->global.end, wanted.end);
  }
  return wanted.end;
}

LayoutFault plain_not_owned(const std::vector<DirectoryPiece>& owned, const std::vector<DirectoryPiece>& wanted,
                            const std::string& name) {
  Index first = no_index, requester = no_index;
  for (const DirectoryPiece& piece : wanted) {
    const Index missing = first_missing(owned, piece.global);
    if (missing < piece.global.end)
      std::tie(first, requester) = std::min(std::pair(first, requester), {missing, piece.rank});
  }
  if (first == no_index) return {};
  return {first, name + ": index " + std::to_string(first) + " is wanted by rank " + std::to_string(requester) +
                     ", but no rank owns it"};
}

}  // namespace

LayoutFault owned_twice(const DirectoryShare& owned, const std::string& name) {
  const LayoutFault fault = plain_owned_twice(owned.plain, name);
  if (owned.strided.empty()) return fault;
  bool found = !fault.message.empty();
  for (auto piece = owned.strided.begin(); !found && piece != owned.strided.end(); ++piece) {
    for_common_pieces(owned.plain, piece->global, [&](const DirectoryPiece&, const CommonRun&) { found = true; });
    found = found || std::any_of(owned.strided.begin(), piece, [&](const StridedDirectoryPiece& before) {
              return have_common(before.global, piece->global);
            });
  }
  return found ? plain_owned_twice(owned.expanded().plain, name) : LayoutFault{};
}

LayoutFault not_owned(const DirectoryShare& owned, const DirectoryShare& wanted, const std::string& name) {
  if (owned.strided.empty() && wanted.strided.empty()) return plain_not_owned(owned.plain, wanted.plain, name);
  Index found = 0;
  for_matches(owned, wanted,
              [&](Index, Index, const StridedMatch& match) { found += match.count * match.first.length; });
  if (found == wanted.size()) return {};
  return plain_not_owned(owned.expanded().plain, wanted.expanded().plain, name);
}

}  // namespace wavegrid
