// The lowest eigenpairs of a program's own operator: a particle on a ring, H = -1/2 d2/dx2 by differences of second
// order, on points that are distributed over the ranks. Its eigenvalues are 0, 1/2, 1/2, 2, ...
//
//     mpirun -n 3 eigenpairs
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <wavegrid/eigen/lowest_eigenpairs.hpp>
#include <wavegrid/mesh/halo.hpp>
#include <wavegrid/mpi/environment.hpp>

using namespace wavegrid;

Eigenpairs<double> ring(const Comm& comm) {
  constexpr Index points = 201;
  constexpr double h = 2 * std::numbers::pi / points;
  const Index first = points * comm.rank() / comm.size(), rows = points * (comm.rank() + 1) / comm.size() - first;
  // Two ghosts: the points before and after this rank's own.
  const IndexList own{{first, first + rows}};
  const std::vector<Index> ends{(first + points - 1) % points, (first + rows) % points};
  Halo halo(comm, own, IndexList::of(ends));

  std::vector<double> line(static_cast<std::size_t>(rows) + 2);
  const auto apply = [&](BandView<const double> x, BandView<double> y) {
    for (Index b = 0; b < x.count; ++b) {
      std::copy_n(x.band(b), rows, line.begin());
      halo.fill(line.data(), 1);
      const auto at = [&](Index i) { return line[static_cast<std::size_t>(i < 0 ? rows : i < rows ? i : rows + 1)]; };
      for (Index i = 0; i < rows; ++i) y.band(b)[i] = (at(i) - 0.5 * (at(i - 1) + at(i + 1))) / (h * h);
    }
  };
  return lowest_eigenpairs<double>({.comm = comm, .rows = rows, .apply = apply, .weight = h}, 4);
}

int main(int argc, char** argv) {
  initialise_mpi(&argc, &argv);
  bool good = false;
  {
    const Comm comm = Comm::world();
    const Eigenpairs<double> found = ring(comm);
    if (comm.rank() == 0)
      std::printf("%.6f %.6f %.6f %.6f, %d applications of H\n", std::abs(found.values[0]), found.values[1],
                  found.values[2], found.values[3], static_cast<int>(found.applications));
    good = found.converged && std::abs(found.values[3] - 2) < 1e-3;
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
