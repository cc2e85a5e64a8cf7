// Bands between the ranks of a k-point group and its band groups: the same bits with every transport, also in a search.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <wavegrid/exchange/band_group_exchange.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid::test_band_group_exchange {
namespace {

constexpr Index dimension = 61;

/// An element names its band and its row.
double element(Index band, Index row) { return static_cast<double>(1000 * band + row) + 0.5; }

/// Bands divided over the world in blocks, the last ones first, and over each band group in blocks.
struct Bench {
  Bench(int band_groups, const std::optional<Transport>& transport)
      : groups(Comm::world(), {1, band_groups}),
        rows(BlockLayout(dimension, groups.world().size()).range(groups.world().size() - 1 - groups.world().rank())),
        group_rows(BlockLayout(dimension, groups.band_group().size()).range(groups.band_group().rank())),
        exchange(groups, {rows}, {group_rows}, dimension, transport, sizeof(double)) {}

  [[nodiscard]] std::vector<double> bands(Index count) const {
    std::vector<double> all;
    for (Index b = 0; b < count; ++b)
      for (Index i = rows.begin; i < rows.end; ++i) all.push_back(element(b, i));
    return all;
  }
  /// This group's share; zeros for bands that are missing.
  [[nodiscard]] std::vector<double> share(Index count) const {
    std::vector<double> mine;
    for (Index b = exchange.my_group(); b < exchange.share(count) * exchange.groups(); b += exchange.groups())
      for (Index i = group_rows.begin; i < group_rows.end; ++i) mine.push_back(b < count ? element(b, i) : 0.0);
    return mine;
  }
  [[nodiscard]] std::vector<double> incomplete() const {
    return std::vector<double>(static_cast<std::size_t>(exchange.groups() * rows.size()));
  }
  void expect_moved(Index count) {
    const std::vector<double> all = bands(count);
    std::vector<double> mine(static_cast<std::size_t>(exchange.share(count) * group_rows.size()), -1.0);
    std::vector<double> work = incomplete(), back(all.size(), -1.0);
    exchange.fetch_in_steps(all.data(), count, mine.data(), work.data());
    EXPECT_EQ(mine, share(count)) << count;
    exchange.put_back(mine.data(), count, back.data(), work.data());
    EXPECT_EQ(back, all) << count;
  }

  ProcessGroups groups;
  Range rows, group_rows;
  BandGroupExchange exchange;
};

TEST(BandGroupExchange, EveryTransportMovesEveryBand) {
  for (int groups = 1; groups <= std::min(Comm::world().size(), 3); ++groups)
    for (const Transport transport : all_transports()) {
      SCOPED_TRACE(std::to_string(groups) + " band groups, " + to_string(transport));
      Bench bench(groups, transport);
      EXPECT_FALSE(bench.exchange.plan().tuning());
      for (const Index count : {0, 1, 2, 7, 53}) bench.expect_moved(count);
    }
}

TEST(BandGroupExchange, TheSearchGoesOnInBlocksOfAnySize) {
  for (int groups = 1; groups <= std::min(Comm::world().size(), 3); ++groups) {
    SCOPED_TRACE(std::to_string(groups) + " band groups");
    Bench bench(groups, std::nullopt);
    const TunedPlan<ExchangePlan>& plan = bench.exchange.plan();
    EXPECT_EQ(plan.tuning().has_value(), !plan.is_identity());
    for (int repeat = 0; plan.is_tuning() && repeat < 40; ++repeat) {
      EXPECT_EQ(plan.transport(), Transport::alltoallv);  // outside of steps
      for (const Index count : {1, 3, 53}) bench.expect_moved(count);
    }
    EXPECT_FALSE(plan.is_tuning());
    if (plan.tuning()) {
      EXPECT_GT(plan.tuning()->rows.size(), 1u);
      EXPECT_EQ(plan.transport(), plan.tuning()->chosen);
    }
    bench.expect_moved(53);
  }
}

TEST(BandGroupExchange, BytesAreThoseOfTheMessages) {
  // One rank in each of two groups keeps its rows; a search has the messages of its steps once more.
  const BandGroupExchange::Rows rows{50, 100, 100};
  EXPECT_EQ(BandGroupExchange::bytes(2, rows, 32, 8, false), 32 * (50 + 50) * 8);
  EXPECT_EQ(BandGroupExchange::bytes(2, rows, 32, 8, true), (32 + 8) * (50 + 50) * 8);
}

}  // namespace
}  // namespace wavegrid::test_band_group_exchange
