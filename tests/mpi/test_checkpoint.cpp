// Checkpoints written on some ranks and read on others: every value is restored, bit for bit.
#include <gtest/gtest.h>

#include "checkpoint_case.hpp"

namespace wavegrid::test_checkpoint {
namespace {

using namespace test_data;
using Complex = std::complex<double>;

const std::vector<int> sizes{1, 2, 3, 4, 6, 7};

/// Runs `work` on the first `ranks` ranks.
template <class Work>
void on_first(int ranks, Work work) {
  const Comm world = Comm::world();
  const Comm some = world.split(world.rank() < ranks ? 0 : 1, 0);
  if (world.rank() < ranks) work(some);
  world.barrier();
}

/// All numbers of k-point groups and band groups that fit.
std::vector<GroupCounts> divisions(int ranks) {
  std::vector<GroupCounts> all{{1, 1}};
  for (const GroupCounts& counts : {GroupCounts{2, 1}, GroupCounts{1, 2}, GroupCounts{3, 2}, GroupCounts{5, 1}})
    if (counts.kpoint_groups * counts.band_groups <= ranks) all.push_back(counts);
  return all;
}

template <class S>
constexpr Mode mode_of = ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex;

enum class Pairs { all, few };

/// Writes on each number of ranks, reads on every other, or on some of them.
template <class S>
void round_trips(int spins, Index bands, Index block, int aggregators, Pairs pairs = Pairs::few) {
  const SharedDirectory directory;
  CheckpointHeader header = header_of(mode_of<S>, spins, bands);
  header.block = block;
  header.kinetic_density = spins == 2;
  const int world = Comm::world().size();
  std::size_t turn = 0;
  for (const int writers : sizes) {
    if (writers > world) continue;
    const std::filesystem::path path = directory / "a.h5";
    on_first(writers, [&](const Comm& comm) {
      const std::vector<GroupCounts> counts = divisions(writers);
      Ranks<S> ranks(comm, counts[turn % counts.size()], all_schemes()[turn % 4], header);
      ranks.fill();
      WriteOptions options{.aggregators = aggregators};
      if (turn % 3 == 2) options.method = WriteMethod::root;
      if (turn % 2 == 1) options.buffer_bytes = 1;
      EXPECT_GE(ranks.write(path, options).writers, 1);
    });
    for (const int readers : sizes) {
      if (readers > world) continue;
      ++turn;
      if (pairs == Pairs::few && turn % 5 != 0 && writers != world) continue;
      on_first(readers, [&](const Comm& comm) {
        const std::vector<GroupCounts> counts = divisions(readers);
        const CheckpointReader reader(comm, path, {.aggregators = aggregators + (turn % 2 == 1 ? 1 : 0)});
        Ranks<S> ranks(comm, counts[turn % counts.size()], all_schemes()[turn % 4], header);
        EXPECT_EQ(ranks.wrong_bands(reader), 0) << writers << " writers, " << readers << " readers";
        EXPECT_TRUE(ranks.right_fields(reader)) << writers << " writers, " << readers << " readers";
      });
    }
  }
}

TEST(Checkpoint, ComplexBandsAreRestoredOnAnyRanks) { round_trips<Complex>(1, 5, 1 << 20, 0, Pairs::all); }
TEST(Checkpoint, ComplexBandsWithSpinInManyBlocksThroughManyRanks) { round_trips<Complex>(2, 5, 300, 3); }
TEST(Checkpoint, RealBandsAreRestoredOnAnyRanks) { round_trips<double>(1, 4, 1 << 20, 2); }
TEST(Checkpoint, RealBandsWithSpinInManyBlocks) { round_trips<double>(2, 3, 130, 0); }
TEST(Checkpoint, SinglePrecisionIsRestored) {
  round_trips<float>(1, 4, 200, 2);
  round_trips<std::complex<float>>(2, 3, 1 << 20, 2);
}

}  // namespace
}  // namespace wavegrid::test_checkpoint
