// In the set because the H application's pair of transforms is what the package is built around: SphereFft::apply_local
// per band against FFTW's dense in-place complex pair on the same grid, in one run. Run alone or under mpirun.
//
//   sphere_fft [bands [repeats]]
#include "fft/sphere_fft.hpp"

#include <fftw3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "base/random.hpp"
#include "basis/plane_waves.hpp"

namespace {

using namespace wavegrid;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A cubic cell of 2 pi bohr has G = integers, so a radius in grid steps is a radius in 1/bohr.
GSphere sphere_of(int n, double radius, Mode mode) {
  const double a = 2 * std::numbers::pi;
  return {Lattice({Vec3{a, 0, 0}, {0, a, 0}, {0, 0, a}}), 0.5 * radius * radius, {n, n, n}, mode};
}

/// Median seconds of FFTW's dense in-place pair on one rank.
double dense_pair(int n, int repeats) {
  AlignedVector<std::complex<double>> grid(static_cast<std::size_t>(n) * static_cast<std::size_t>(n * n), 0);
  auto* const data = reinterpret_cast<fftw_complex*>(grid.data());
  const fftw_plan back = fftw_plan_dft_3d(n, n, n, data, data, FFTW_BACKWARD, FFTW_MEASURE);
  const fftw_plan forth = fftw_plan_dft_3d(n, n, n, data, data, FFTW_FORWARD, FFTW_MEASURE);
  std::fill(grid.begin(), grid.end(), 0.5);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    std::fill(grid.begin(), grid.end(), 0.5);
    const auto start = std::chrono::steady_clock::now();
    fftw_execute(back);
    fftw_execute(forth);
    times.push_back(seconds_since(start));
  }
  fftw_destroy_plan(back);
  fftw_destroy_plan(forth);
  return median(times);
}

/// Median seconds per band of backward, product and forward on all ranks.
double compact_pair(int n, double radius, Mode mode, Scheme scheme, int bands, int repeats) {
  const Comm comm = Comm::world();
  const GSphere sphere = sphere_of(n, radius, mode);
  const Partition partition = make_partition(scheme, sphere.counts(), n, comm.size());
  const ProcessGrid ranks(comm, partition.shape.rows, partition.shape.columns);
  SphereFft<double> fft(ranks, partition, sphere);
  std::vector<std::complex<double>> psi(static_cast<std::size_t>(fft.size() * bands)), out(psi.size());
  for (std::size_t i = 0; i < psi.size(); ++i) psi[i] = random_at({static_cast<Index>(i)});
  const std::vector<double> potential(static_cast<std::size_t>(fft.grid_size()), 0.5);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    comm.barrier();
    const auto start = std::chrono::steady_clock::now();
    fft.apply_local(psi.data(), potential.data(), out.data(), bands);
    comm.barrier();
    times.push_back(seconds_since(start) / bands);
  }
  return median(times);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const int bands = argc > 1 ? std::atoi(argv[1]) : 32;
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 7;
    const bool speaks = Comm::world().rank() == 0;
    if (speaks)
      std::printf(
          "%d ranks, %d bands; milliseconds per band and H application, medians of %d\n%-16s %-9s %10s %12s %8s\n",
          Comm::world().size(), bands, repeats, "case", "partition", "mode", "ms per band", "/ dense");
    const struct {
      int n;
      double radius;
    } cases[] = {{48, 15.37}, {80, 25.6}, {128, 32.0}};
    for (const auto& c : cases) {
      const double dense = dense_pair(c.n, repeats);
      if (speaks)
        std::printf("%d^3, r=%-8.2f %-9s %10s %12.3f %8.3f\n", c.n, c.radius, "dense", "complex", 1e3 * dense, 1.0);
      for (const auto& [scheme, name] : {std::pair{Scheme::greedy, "greedy"}, {Scheme::balanced, "balanced"}})
        for (const auto& [mode, mode_name] : {std::pair{Mode::gamma, "gamma"}, {Mode::complex, "complex"}}) {
          const double time = compact_pair(c.n, c.radius, mode, scheme, bands, repeats);
          if (speaks)
            std::printf("%d^3, r=%-8.2f %-9s %10s %12.3f %8.3f\n", c.n, c.radius, name, mode_name, 1e3 * time,
                        time / dense);
        }
    }
  }
  MPI_Finalize();
  return 0;
}
