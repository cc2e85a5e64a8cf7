#include <algorithm>
#include <cmath>
#include <span>

#include "application.hpp"

namespace wavegrid::bench {

Problem::Problem(int n, double radius, Mode mode, Index max_bands, int num_threads)
    : sphere(sphere_of(n, radius, mode)), bands(max_bands), threads(num_threads) {}

double Problem::work_to_dense() const {
  const auto is_populated = [](int weight) { return weight > 0; };
  const StickCounts counts = sphere.counts();
  const std::vector<int> of_planes = plane_weights(counts).per_iz;
  const auto sticks = std::count_if(counts.count.begin(), counts.count.end(), is_populated);
  const auto planes = std::count_if(of_planes.begin(), of_planes.end(), is_populated);
  const double side = n(), lines = sphere.mode() == Mode::gamma ? 0.5 : 1.0;
  return (static_cast<double>(sticks) + static_cast<double>(planes) * side + lines * side * side) / (3 * side * side);
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
