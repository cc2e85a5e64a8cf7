#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/process_grid.hpp>

namespace wavegrid {

namespace {

bool in_grid(const Comm& comm, int rows, int columns) {
  if (rows < 1 || columns < 1 || rows * columns > comm.size())
    throw bad_input("a process grid of " + std::to_string(rows) + " x " + std::to_string(columns) +
                    " does not fit on " + std::to_string(comm.size()) + " ranks");
  return comm.rank() < rows * columns;
}

}  // namespace

ProcessGrid::ProcessGrid(const Comm& comm, int rows, int columns, const Comm& world)
    : rows_(rows),
      columns_(columns),
      row_(in_grid(comm, rows, columns) ? comm.rank() / columns : -1),
      column_(row_ >= 0 ? comm.rank() % columns : -1),
      world_(world),
      all_(comm),
      row_group_(comm.split(row_ >= 0 ? row_ : rows + comm.rank(), comm.rank())),
      column_group_(comm.split(column_ >= 0 ? column_ : columns + comm.rank(), comm.rank())) {}

}  // namespace wavegrid
