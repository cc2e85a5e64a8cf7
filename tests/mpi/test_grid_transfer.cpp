// Fields between the grid of the density and that of the bands.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fft/grid_transfer.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_grid_transfer {
namespace {

using Complex = std::complex<double>;

struct Grids {
  Int3 bands, density;
  double cut;
};
/// Odd and even sizes; equal ones; more ranks than planes.
const Grids cases[] = {{{7, 8, 9}, {12, 10, 15}, 2.2}, {{8, 8, 8}, {8, 8, 8}, 2.5}, {{2, 3, 5}, {7, 11, 13}, 0.4}};

/// Both grids on the process grid of a scheme.
struct TwoGrids {
  GridSetup density;
  GridTransfer transfer;
  TwoGrids(Scheme scheme, const Grids& grids, const FftOptions& options)
      : density(scheme, skewed, grids.density),
        transfer(density.fft, density.ranks, grids.bands, scheme, grids.cut, options) {}
};

/// A value of every point by its global index.
std::vector<double> point_values(const FftLayout& layout) {
  std::vector<double> values;
  for (Index x = layout.x.begin; x < layout.x.end; ++x)
    for (Index y = layout.y.begin; y < layout.y.end; ++y)
      for (Index z = 0; z < layout.grid[2]; ++z)
        values.push_back(std::sin(1.0 + static_cast<double>((x * layout.grid[1] + y) * layout.grid[2] + z) * 1.7));
  return values;
}

/// A coefficient that encodes G; that of -G is its conjugate.
Complex encoded(const Int3& g) {
  const double number = 10000.0 * g[0] + 100.0 * g[1] + g[2];
  return {1.0 + std::abs(number), number};
}

/// Coefficients of the G up to a cut, 0 elsewhere.
GridFft::Coefficients encoded_within(const PlaneWaves& waves, double cut) {
  GridFft::Coefficients all;
  for (std::size_t i = 0; i < waves.g().size(); ++i)
    all.push_back(waves.kinetic()[i] <= cut ? encoded(waves.g()[i]) : 0.0);
  return all;
}

void expect_near(const GridFft::Coefficients& found, const GridFft::Coefficients& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LT(std::abs(found[i] - expected[i]), 1e-9) << i;
}

void for_each_case(const std::function<void(const Grids&, TwoGrids&)>& test) {
  for (const Grids& grids : cases)
    for (const Scheme scheme : {Scheme::greedy, Scheme::balanced})
      for (const FftOptions& options : {FftOptions{}, FftOptions{.transport = Transport::pairwise}}) {
        TwoGrids setup(scheme, grids, options);
        for (int repeat = 0; repeat < 2; ++repeat) test(grids, setup);
      }
}

TEST(GridTransfer, EveryCoefficientKeepsItsG) {
  for_each_case([](const Grids& grids, TwoGrids& setup) {
    GridFft &fine = setup.density.fft, &coarse = setup.transfer.bands_grid();
    const auto on_fine = encoded_within(fine.waves(), grids.cut), on_coarse = encoded_within(coarse.waves(), grids.cut);
    expect_near(coarse.to_recip(setup.transfer.restriction(fine.to_real(on_fine))), on_coarse);
    expect_near(fine.to_recip(setup.transfer.interpolation(coarse.to_real(on_coarse))), on_fine);
  });
}

TEST(GridTransfer, InterpolationIsTheAdjointOfRestriction) {
  for_each_case([](const Grids&, TwoGrids& setup) {
    GridFft &fine = setup.density.fft, &coarse = setup.transfer.bands_grid();
    const std::vector<double> v = point_values(fine.layout()), n = point_values(coarse.layout());
    const std::vector<double> v_on_bands = setup.transfer.restriction(v), n_fine = setup.transfer.interpolation(n);
    const double on_bands =
        coarse.volume_element() * coarse.over_points()([&](std::size_t i) { return n[i] * v_on_bands[i]; });
    const double on_fine = fine.volume_element() * fine.over_points()([&](std::size_t i) { return n_fine[i] * v[i]; });
    EXPECT_NEAR(on_bands, on_fine, 1e-12 * fine.waves().lattice().volume());
  });
}

TEST(GridTransfer, RefusesASphereThatReachesAFace) {
  GridSetup density(Scheme::greedy, skewed, {12, 12, 15});
  EXPECT_THROW(GridTransfer(density.fft, density.ranks, {4, 9, 9}, Scheme::greedy, 3.0, {}), Error);
}

}  // namespace
}  // namespace wavegrid::test_grid_transfer
