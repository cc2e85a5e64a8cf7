#include <cmath>
#include <numbers>
#include <span>

#include "application.hpp"

namespace wavegrid::bench {

namespace {

/// A cubic cell of 2 pi bohr has G = integers, so a radius in grid steps is a radius in 1/bohr.
GSphere sphere_of(int n, double radius, Mode mode) {
  const double a = 2 * std::numbers::pi;
  return {Lattice({Vec3{a, 0, 0}, {0, a, 0}, {0, 0, a}}), 0.5 * radius * radius, {n, n, n}, mode};
}

Complex random_complex(const Int3& g, Index key) {
  return {random_at({g[0], g[1], g[2], key, 0}), random_at({g[0], g[1], g[2], key, 1})};
}

}  // namespace

Problem::Problem(int n, double radius, Mode mode, Index max_bands, int num_threads)
    : sphere(sphere_of(n, radius, mode)), bands(max_bands), threads(num_threads) {}

std::vector<Complex> start_bands(const PlaneWaves& waves, Index bands) {
  std::vector<Complex> psi;
  psi.reserve(static_cast<std::size_t>(waves.size() * bands));
  for (Index band = 0; band < bands; ++band) {
    for (const Int3& g : waves.g()) psi.push_back(random_complex(g, band));
    // A function that is real in space has a real mean.
    if (waves.zero() >= 0) psi[static_cast<std::size_t>(band * waves.size() + waves.zero())].imag(0);
  }
  return psi;
}

Shadow shadow_of(const Comm& comm, const PlaneWaves& waves, const Complex* band) {
  double sums[3] = {0, 0, 0};
  for (std::size_t i = 0; i < waves.g().size(); ++i) {
    const Complex seen = random_complex(waves.g()[i], -1) * band[i];
    sums[0] += seen.real();
    sums[1] += seen.imag();
    sums[2] += std::norm(band[i]);
  }
  comm.sum(std::span<double>(sums));
  return {{sums[0], sums[1]}, std::sqrt(sums[2])};
}

}  // namespace wavegrid::bench
