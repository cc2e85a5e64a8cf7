#include "baselines/point_owners.hpp"

#include <algorithm>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/gather.hpp>

namespace wavegrid::bench {

PointOwners::PointOwners(const Comm& comm, const Int3& grid, const IndexList& mine)
    : points_(Index{1} * grid[0] * grid[1] * grid[2]), line_(grid[2]) {
  std::vector<Index> ends;
  for (const Range& range : mine.ranges()) ends.insert(ends.end(), {range.begin, range.end});
  const Gathered all = gather_all(comm, ends);
  for (int rank = 0; rank < comm.size(); ++rank) {
    Index local = 0;
    const std::span<const Index> of_rank = all.of(rank);
    for (std::size_t i = 0; i < of_rank.size(); i += 2) {
      all_.pieces.push_back({of_rank[i], of_rank[i + 1], rank, local});
      local += of_rank[i + 1] - of_rank[i];
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

}  // namespace wavegrid::bench
