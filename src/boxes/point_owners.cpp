#include "boxes/point_owners.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.hpp"

namespace wavegrid {

namespace {

/// The numbers of all ranks, one rank after the other; also how many there are of each. Collective.
std::vector<Index> gather_all(const Comm& comm, const std::vector<Index>& mine, std::vector<int>& counts) {
  const int count = static_cast<int>(mine.size());
  counts.resize(static_cast<std::size_t>(comm.size()));
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.handle());
  std::vector<int> offsets(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  std::vector<Index> all(static_cast<std::size_t>(offsets.back() + counts.back()));
  MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), offsets.data(), MPI_INT64_T,
                 comm.handle());
  return all;
}

}  // namespace

PointOwners::PointOwners(const Comm& comm, const Int3& grid, const IndexList& mine)
    : points_(Index{1} * grid[0] * grid[1] * grid[2]), line_(grid[2]) {
  std::vector<Index> ends;
  for (const Range& range : mine.ranges()) ends.insert(ends.end(), {range.begin, range.end});
  std::vector<int> counts;
  const std::vector<Index> all = gather_all(comm, ends, counts);
  auto next = all.begin();
  for (int rank = 0; rank < comm.size(); ++rank) {
    Index local = 0;
    for (int i = 0; i < counts[static_cast<std::size_t>(rank)]; i += 2, next += 2) {
      all_.pieces.push_back({next[0], next[1], rank, local});
      local += next[1] - next[0];
    }
  }
  build(all_);
  Index end = 0;
  for (const Piece& piece : all_.pieces) {
    if (piece.begin != end)
      throw bad_input("grid point " + std::to_string(std::min(piece.begin, end)) + " is owned by " +
                      (piece.begin > end ? "no rank" : "two ranks, or twice by one") + "; each needs one owner");
    end = piece.end;
  }
  if (end != points_)
    throw bad_input("the ranks own " + std::to_string(end) + " points of a grid of " + std::to_string(points_));
  std::copy_if(all_.pieces.begin(), all_.pieces.end(), std::back_inserter(mine_.pieces),
               [&](const Piece& piece) { return piece.rank == comm.rank(); });
  build(mine_);
}

void PointOwners::build(Table& table) const {
  std::sort(table.pieces.begin(), table.pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  std::size_t piece = 0;
  for (Index line = 0; line < points_; line += line_) {
    while (piece < table.pieces.size() && table.pieces[piece].end <= line) ++piece;
    table.first.push_back(piece);
  }
}

}  // namespace wavegrid
