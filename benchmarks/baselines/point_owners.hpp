// Which rank owns which grid point, known to all ranks.
#pragma once

#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid::bench {

/// A table of all ranks' points, for the methods that find their partners anew in each step. Memory is proportional to
/// the lines of the grid and to the ranges of all ranks.
class PointOwners {
 public:
  /// `mine` are the points of this rank. Collective. Throws bad_input on all ranks if a point has no owner or two.
  PointOwners(const Comm& comm, const Int3& grid, const IndexList& mine);

  /// Calls visit(rank, its local element, points before in the row, length) for the pieces of a row along z: `length`
  /// points from the global index `point` on.
  template <class Visit>
  void for_pieces(Index point, Index length, Visit visit) const {
    for_pieces(all_, point, length, visit);
  }
  /// The same for this rank's points alone.
  template <class Visit>
  void for_my_pieces(Index point, Index length, Visit visit) const {
    for_pieces(mine_, point, length, visit);
  }

 private:
  struct Piece {
    Index begin, end;  ///< global indices
    int rank;
    Index local;
  };
  struct Table {
    std::vector<Piece> pieces;       ///< by rising begin
    std::vector<std::size_t> first;  ///< of each line: the first piece that ends behind the line's first point
  };

  void build(Table& table) const;
  template <class Visit>
  void for_pieces(const Table& table, Index point, Index length, Visit visit) const {
    std::size_t i = table.first[static_cast<std::size_t>(point / line_)];
    for (; i < table.pieces.size() && table.pieces[i].begin < point + length; ++i) {
      const Piece& piece = table.pieces[i];
      const Index begin = std::max(piece.begin, point), end = std::min(piece.end, point + length);
      if (begin < end) visit(piece.rank, piece.local + begin - piece.begin, begin - point, end - begin);
    }
  }

  Index points_, line_;
  Table all_, mine_;
};

}  // namespace wavegrid::bench
