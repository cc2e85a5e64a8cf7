// Transforms two wave functions from the sphere of plane waves to the grid and back, and compares their norms.
//
//     mpirun -n 3 sphere_fft
#include <cmath>
#include <complex>
#include <cstdio>
#include <span>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/costmodel/choose_partition.hpp>
#include <wavegrid/fft/sphere_fft.hpp>
#include <wavegrid/mpi/environment.hpp>

using namespace wavegrid;

/// The largest error of a coefficient transformed back, and the relative error of the norm on the grid.
double transform(const Comm& comm) {
  // Lattice vectors in bohr, cutoff in Ha; at this k-point (of the reciprocal vectors) wave functions are complex.
  const Lattice lattice({{{10, 0, 0}, {0, 9, 1}, {0, -1, 11}}});
  const double cutoff = 6;
  const Int3 grid = default_grid(lattice, cutoff);
  const GSphere sphere(lattice, cutoff, grid, Mode::complex, {0.25, 0, -0.125});
  const auto [partition, reason] = choose_partition(std::nullopt, sphere.counts(), grid[0], comm.size());
  const ProcessGrid ranks(comm, partition.shape.rows, partition.shape.columns);
  SphereFft<double> fft(ranks, partition, sphere);

  // c(G) = 1 / (1 + |k+G|^2/2) and i times that, on this rank's plane waves.
  const PlaneWaves waves(sphere, partition, comm.rank());
  const Index bands = 2, points = fft.grid_size();
  std::vector<std::complex<double>> psi, values(static_cast<std::size_t>(bands * points));
  for (const std::complex<double> factor : {std::complex<double>{1, 0}, std::complex<double>{0, 1}})
    for (const double kinetic : waves.kinetic()) psi.push_back(factor / (1 + kinetic));

  std::vector<std::complex<double>> back(psi.size());
  fft.to_real(psi, std::span(values), bands);  // (bands, my x, my y, nz)
  fft.to_recip(std::span(values), back, bands);

  // Parseval: the sum of |c(G)|^2 is the mean of |psi(r)|^2 over the grid.
  double error = 0, norm = 0, squares = 0;
  for (std::size_t i = 0; i < psi.size(); ++i) error = std::fmax(error, std::abs(back[i] - psi[i]));
  for (const auto& c : psi) norm += std::norm(c);
  for (const auto& value : values) squares += std::norm(value);
  const double mean = comm.sum(squares) / (static_cast<double>(grid[0]) * grid[1] * grid[2]);
  error = std::fmax(comm.max(error), std::abs(mean / comm.sum(norm) - 1));
  if (comm.rank() == 0) std::printf("%lld plane waves: %s\n", static_cast<long long>(sphere.size()), reason.c_str());
  return error;
}

int main(int argc, char** argv) {
  initialise_mpi(&argc, &argv);
  const Comm comm = Comm::world();
  const double error = transform(comm);
  if (comm.rank() == 0) std::printf("sphere_fft: largest error %.1e on %d ranks\n", error, comm.size());
  MPI_Finalize();
  return error < 1e-13 ? 0 : 1;
}
