// The ranks that share the plane-wave grid, as rows x columns.
#pragma once

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Ranks in row-major order: rank = row * columns + column. Ranks beyond rows * columns (if the number of ranks is
/// larger) have no planes; they have row() = column() = -1, and each is alone in its groups.
///
/// K-point groups and band groups are further levels above this one (process_groups.hpp).
class ProcessGrid {
 public:
  /// Collective over `comm`. `world` contains the ranks of `comm`; traces use the numbers of ranks in `world`.
  ProcessGrid(const Comm& comm, int rows, int columns, const Comm& world);
  ProcessGrid(const Comm& comm, int rows, int columns) : ProcessGrid(comm, rows, columns, comm) {}

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int row() const { return row_; }        ///< this rank's row
  [[nodiscard]] int column() const { return column_; }  ///< this rank's column

  [[nodiscard]] const Comm& world() const { return world_; }
  [[nodiscard]] const Comm& all() const { return all_; }
  [[nodiscard]] const Comm& row_group() const { return row_group_; }        ///< ranks of this row, ordered by column
  [[nodiscard]] const Comm& column_group() const { return column_group_; }  ///< ranks of this column, ordered by row

 private:
  int rows_, columns_;
  int row_, column_;
  Comm world_, all_, row_group_, column_group_;
};

}  // namespace wavegrid
