// The transforms of bands over band groups: the same bits with every transport, found by a search or given.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/fft/band_fft.hpp>

namespace wavegrid::test_band_fft {
namespace {

using Complex = std::complex<double>;

/// A k-point on the ranks of the world, in a number of band groups.
struct Bench {
  Bench(Mode mode, int band_groups, const FftOptions& options, const Vec3& k = {0, 0, 0})
      : sphere(Lattice({{{7, 0.5, 0}, {0.2, 6.5, 1}, {-0.5, 0, 7.5}}}), 4.0, {15, 16, 18}, mode, k),
        groups(Comm::world(), {1, band_groups}),
        partition(make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], groups.band_group().size())),
        ranks(groups.band_group(), partition.shape.rows, partition.shape.columns),
        fft(groups, ranks, sphere, partition, options),
        potential(static_cast<std::size_t>(fft.grid_size())) {
    const FftLayout& l = fft.layout();
    std::size_t i = 0;
    for (Index x = l.x.begin; x < l.x.end; ++x)
      for (Index y = l.y.begin; y < l.y.end; ++y)
        for (Index z = 0; z < l.grid[2]; ++z) potential[i++] = random_at({x, y, z});
  }

  [[nodiscard]] std::vector<Complex> bands(Index count) const {
    std::vector<Complex> psi;
    for (Index band = 0; band < count; ++band)
      for (const Int3& g : fft.rows().g())
        psi.emplace_back(random_at({band, g[0], g[1], g[2], 0}),
                         g == Int3{0, 0, 0} ? 0.0 : random_at({band, g[0], g[1], g[2], 1}));
    return psi;
  }
  std::vector<Complex> apply(std::vector<Complex> psi, Index count) {
    fft.apply_local(psi.data(), potential.data(), psi.data(), count);
    return psi;
  }

  GSphere sphere;
  ProcessGroups groups;
  Partition partition;
  ProcessGrid ranks;
  BandFft<double> fft;
  std::vector<double> potential;
};

TEST(BandFft, TheSearchForATransportDoesNotChangeTheBits) {
  const int size = Comm::world().size();
  for (const Mode mode : {Mode::complex, Mode::gamma})
    for (int groups = 1; groups <= std::min(size, 3); ++groups) {
      SCOPED_TRACE(std::to_string(groups) + " band groups");
      constexpr Index count = 53;
      Bench given(mode, groups, {.transport = Transport::alltoallv});
      const std::vector<Complex> psi = given.bands(count), expected = given.apply(psi, count);
      EXPECT_FALSE(given.fft.tuning());
      for (const Transport transport : all_transports())
        EXPECT_EQ(Bench(mode, groups, {.transport = transport}).apply(psi, count), expected) << to_string(transport);
      Bench measured(mode, groups, {});
      EXPECT_EQ(measured.fft.tuning().has_value(), groups > 1);
      for (int repeat = 0; repeat < 60 && measured.fft.tuning() && measured.fft.tuning()->rows.empty(); ++repeat)
        ASSERT_EQ(measured.apply(psi, count), expected);
      if (groups == 1) continue;
      EXPECT_GT(measured.fft.tuning()->rows.size(), 1u);
      EXPECT_EQ(measured.fft.tuning()->chosen, measured.fft.tuning()->rows[0].transport);
      EXPECT_EQ(measured.apply(psi, count), expected);
    }
}

TEST(BandFft, KPointsMayShareTheirWorkArrays) {
  const int size = Comm::world().size();
  for (const Mode mode : {Mode::complex, Mode::gamma})
    for (int groups = 1; groups <= std::min(size, 3); ++groups)
      for (const bool overlap : {false, true})
        for (const bool deterministic : {false, true}) {
          constexpr Index count = 7;
          const Vec3 k = mode == Mode::gamma ? Vec3{0, 0, 0} : Vec3{0.5, -0.25, 0.125};
          FftOptions options{.transport = Transport::pairwise, .block = 2, .overlap = overlap};
          options.deterministic = deterministic;
          options.workspace = std::make_shared<FftWorkspace>();
          Bench first(mode, groups, options);
          const std::vector<Complex> psi = first.bands(count), once = first.apply(psi, count);
          options.block = 4;
          Bench second(mode, groups, options, k);  // larger arrays: those of the first move
          const std::vector<Complex> of_k = second.bands(count);
          options.workspace = nullptr;
          options.block = 2;
          Bench alone(mode, groups, options), alone_at_k(mode, groups, options, k);
          const std::vector<Complex> expected = alone.apply(psi, count), at_k = alone_at_k.apply(of_k, count);
          EXPECT_EQ(once, expected);
          for (int turn = 0; turn < 2; ++turn) {
            EXPECT_EQ(second.apply(of_k, count), at_k);
            EXPECT_EQ(first.apply(psi, count), expected);
          }
        }
}

}  // namespace
}  // namespace wavegrid::test_band_fft
