#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/planewaves/free_boundaries.hpp>
#include <wavegrid/terms/isolated_coulomb.hpp>

namespace wavegrid {

namespace {

constexpr double width_in_waves = 2.75 * units::pi;  ///< the width of smoothed charges times the largest G

double largest_g(const GridFft& grid, const std::vector<char>& inside) {
  double largest = 0;
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (inside[i]) largest = std::max(largest, grid.waves().kinetic()[i]);
  return std::sqrt(2.0 * grid.comm().max(largest));
}

}  // namespace

FreeBoundaries::FreeBoundaries(GridFft& grid, const std::array<bool, 3>& periodic, double radius,
                               const std::vector<char>& inside) {
  const auto directions = std::ranges::count(periodic, true);
  if (directions == 3) return;
  smooth_width_ = width_in_waves / largest_g(grid, inside);
  const PlaneWaves& waves = grid.waves();
  if (directions == 0) {
    coulomb_ = isolated_coulomb(grid, smooth_width_);
  } else {
    kernel_.emplace(waves.lattice(), periodic, radius);
    for (Index i = 0; i < waves.size(); ++i) coulomb_.push_back((*kernel_)(waves.k_plus_g(i)));
  }
  for (std::size_t i = 0; i < coulomb_.size(); ++i)
    if (!inside[i]) coulomb_[i] = 0;
}

}  // namespace wavegrid
