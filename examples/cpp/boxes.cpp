// Localised functions, each on a box of grid points: values of the grid are extracted into boxes, and boxes are added
// to the grid. The grid is distributed by planes; boxes are on any rank and may leave the cell, which is periodic.
//
//     mpirun -n 3 boxes
#include <cstdio>
#include <vector>

#include <wavegrid/boxes/box_exchange.hpp>
#include <wavegrid/mpi/environment.hpp>

using namespace wavegrid;

double electrons_missing(const Comm& comm) {
  const Int3 grid{24, 20, 18};
  const Index plane = Index{1} * grid[1] * grid[2];
  const Index first = grid[0] * comm.rank() / comm.size(), end = grid[0] * (comm.rank() + 1) / comm.size();
  const IndexList my_points{{first * plane, end * plane}};  // the point (x, y, z) has the number (x ny + y) nz + z

  // Two boxes on each rank.
  std::vector<Box> boxes;
  for (int b = 0; b < 2; ++b) boxes.push_back({.begin = {7 * comm.rank() - 3, 5 * b, -2}, .size = {8, 9, 10}});
  BoxExchange exchange(comm, grid, my_points, boxes);  // once

  // Density of one electron per box, constant within it; then the potential that each box feels.
  const auto values = static_cast<std::size_t>(exchange.offset(boxes.size()));
  std::vector<double> in_boxes(values, 1.0 / static_cast<double>(boxes[0].points()));
  std::vector<double> density(static_cast<std::size_t>(my_points.size()));
  exchange.deposit(in_boxes.data(), density.data());  // many times
  exchange.extract(density.data(), in_boxes.data());

  double electrons = 0;
  for (const double value : density) electrons += value;
  return comm.sum(electrons) - 2.0 * comm.size();
}

int main(int argc, char** argv) {
  initialise_mpi(&argc, &argv);
  double missing = 0;
  {
    const Comm comm = Comm::world();
    missing = electrons_missing(comm);
    if (comm.rank() == 0) std::printf("boxes: %.1e electrons missing on %d ranks\n", missing, comm.size());
  }
  MPI_Finalize();
  return missing < 1e-12 && missing > -1e-12 ? 0 : 1;
}
