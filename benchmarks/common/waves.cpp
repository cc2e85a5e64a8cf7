#include "common/waves.hpp"

#include <numbers>

namespace wavegrid::bench {

Lattice cubic_lattice() {
  const double a = 2 * std::numbers::pi;
  return Lattice({Vec3{a, 0, 0}, {0, a, 0}, {0, 0, a}});
}

GSphere sphere_of(int n, double radius, Mode mode) { return {cubic_lattice(), 0.5 * radius * radius, {n, n, n}, mode}; }

Complex random_complex(const Int3& g, Index key) {
  return {random_at({g[0], g[1], g[2], key, 0}), random_at({g[0], g[1], g[2], key, 1})};
}

std::vector<double> potential_on(const FftLayout& layout) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(layout.grid_size()));
  for (Index x = layout.x.begin; x < layout.x.end; ++x)
    for (Index y = layout.y.begin; y < layout.y.end; ++y)
      for (Index z = 0; z < layout.grid[2]; ++z) values.push_back(potential_at(x, y, z));
  return values;
}

std::vector<Complex> initial_bands(const PlaneWaves& waves, Index bands) {
  std::vector<Complex> psi;
  psi.reserve(static_cast<std::size_t>(waves.size() * bands));
  for (Index band = 0; band < bands; ++band) {
    for (const Int3& g : waves.g()) psi.push_back(random_complex(g, band));
    // A function that is real in space has a real mean.
    if (waves.zero() >= 0) psi[static_cast<std::size_t>(band * waves.size() + waves.zero())].imag(0);
  }
  return psi;
}

}  // namespace wavegrid::bench
