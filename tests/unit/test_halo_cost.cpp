// Models of halo exchanges: the formulas of the paper, and fits to exact shapes and to real partitions.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/halo_cost.hpp>
#include <wavegrid/mesh/mesh_partition.hpp>

namespace wavegrid::test_halo_cost {
namespace {

TEST(HaloCost, CubesHaveTheirGhosts) {
  const HaloSizeModel full_stencil{{8, 12, 6, 0}};  // (a + 2d)^3 - a^3
  for (const int a : {1, 5, 40})
    for (const int d : {1, 4, 6}) {
      const double volume = std::pow(a, 3);
      EXPECT_NEAR(full_stencil.points(volume, d), std::pow(a + 2 * d, 3) - volume, 1e-8 * volume);
      EXPECT_NEAR(star_stencil_of_cubes().points(volume, d), 6.0 * d * a * a, 1e-8 * volume);
    }
}

TEST(HaloCost, FitFindsTheCoefficients) {
  std::vector<HaloSample> samples;
  const HaloSizeModel exact{{2.5, 7, 4, 0.01}};
  for (const int d : {1, 3, 4})
    for (const double volume : {1e2, 3e3, 1e5, 6e5}) samples.push_back({volume, d, exact.points(volume, d)});
  const HaloSizeModel fit = fit_halo_size(samples);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(fit.coefficients[c], exact.coefficients[c], 1e-6);
  EXPECT_THROW((void)fit_halo_size(std::span(samples).first(3)), Error);
  const std::vector<HaloSample> same(6, samples[0]);
  EXPECT_THROW((void)fit_halo_size(same), Error);
}

TEST(HaloCost, TimesAreThoseOfLogGP) {
  const LogGP network{5e-6, 1e-6, 2e-6, 1e-9};
  EXPECT_NEAR(halo_seconds_as_printed(network, 10, 1000), 5e-6 + 10e-6 + 18e-6 + 10 * 8000e-9, 1e-15);
  const std::vector<Index> messages{100, 300, 600};
  EXPECT_NEAR(halo_seconds(network, messages), 5e-6 + 3e-6 + 4e-6 + 8000e-9, 1e-15);
  EXPECT_EQ(halo_seconds(network, {}), 0);
  EXPECT_EQ(halo_seconds_as_printed(network, 0, 1000), 0);
}

TEST(HaloCost, FitsPartitionsOfAMesh) {
  const Mat3 cell{{{40, 0, 0}, {0, 40, 0}, {0, 0, 40}}};
  const MeshGrid grid(Lattice(cell), {40, 40, 40}, {true, true, true}, MeshRegion::cell());
  const std::vector<MeshLine> lines = grid.lines();
  std::vector<HaloSample> samples;
  for (const int order : {2, 4}) {
    const StencilPattern pattern(grid.steps(), order);
    const MeshGraph graph = stencil_graph(grid, lines, pattern);
    for (const int parts : {8, 27, 64}) {
      const std::vector<int> nodes(static_cast<std::size_t>(parts), 0);
      MeshPartitionOptions options;
      options.method = MeshPartitionMethod::block;
      const auto statistics = partition_statistics(graph, partition_mesh(grid, lines, graph, nodes, options), nodes);
      double ghosts = 0;
      for (const auto& part : statistics.parts) {
        ghosts += static_cast<double>(part.ghosts) / parts;
        EXPECT_EQ(std::accumulate(part.messages.begin(), part.messages.end(), Index{0}), part.ghosts);
      }
      samples.push_back({64000.0 / parts, order / 2, ghosts});
      if (parts != 27) {
        EXPECT_EQ(ghosts, star_stencil_of_cubes().points(64000.0 / parts, order / 2));
      }
    }
  }
  const HaloSizeModel fit = fit_halo_size(samples);
  for (const HaloSample& sample : samples)
    EXPECT_NEAR(fit.points(sample.volume, sample.reach) / sample.points, 1, 0.05);
}

}  // namespace
}  // namespace wavegrid::test_halo_cost
