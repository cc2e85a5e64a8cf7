// What averages over stars of G vectors share: phases of translations, and the exchange that brings a star to one rank.
#pragma once

#include <array>
#include <complex>
#include <numbers>
#include <vector>

#include <wavegrid/crystal/g_stars.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/fft/grid_fft.hpp>

namespace wavegrid {

/// exp(-i G.w) of translations by whole steps of a grid.
class StarPhases {
 public:
  explicit StarPhases(const Int3& grid) : grid_(grid) {
    for (std::size_t d = 0; d < 3; ++d)
      for (int k = 0; k < grid[d]; ++k) roots_[d].push_back(std::polar(1.0, -2.0 * std::numbers::pi * k / grid[d]));
  }
  /// g in [0, grid), w in grid steps.
  [[nodiscard]] std::complex<double> operator()(const Int3& g, const Int3& translation) const {
    std::complex<double> product{1, 0};
    for (std::size_t d = 0; d < 3; ++d)
      if (translation[d] != 0)
        product *= roots_[d][static_cast<std::size_t>(static_cast<Index>(g[d]) * translation[d] % grid_[d])];
    return product;
  }

 private:
  Int3 grid_;
  std::array<std::vector<std::complex<double>>, 3> roots_;  // exp(-2 pi i k / n) along each axis
};

/// The plan from the coefficients of a grid to the members of stars, of which it takes the list. Collective.
[[nodiscard]] inline ExchangePlan star_plan(const GridFft& fft, GStars& stars, Transport transport) {
  IndexList mine;
  for (const Int3& g : fft.waves().g()) {
    const Index i = box_index(fft.grid(), g);
    mine.append({i, i + 1});
  }
  MatchedRuns runs = match_layouts(fft.comm(), mine, IndexList::of(stars.members));
  stars.members = {};
  return {fft.comm(), std::move(runs.sends), std::move(runs.receives), transport};
}

}  // namespace wavegrid
