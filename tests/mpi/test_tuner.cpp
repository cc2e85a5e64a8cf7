// The tuner: every candidate in turn, one choice for all ranks, choices kept for later runs.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/tuner.hpp>

namespace wavegrid::test_tuner {
namespace {

const std::vector<Transport> three{Transport::alltoallv, Transport::pairwise, Transport::shared};

TEST(Tuner, TakesTheOneWhoseSlowestRankIsFastest) {
  const Comm world = Comm::world();
  Tuner tuner(world, three, 5);
  std::map<Transport, int> turns;
  while (!tuner.decided()) {
    const Transport now = tuner.transport();
    ++turns[now];
    // pairwise is faster on every rank but the last, where it is slowest of all
    const bool last = world.rank() == world.size() - 1;
    tuner.record(now == Transport::shared ? 2.0 : now == Transport::pairwise ? (last ? 5.0 : 1.0) : 3.0);
  }
  for (const auto& [transport, count] : turns) EXPECT_EQ(count, 6) << to_string(transport);
  EXPECT_EQ(tuner.transport(), Transport::shared);
  const TunerReport& report = tuner.report();
  ASSERT_EQ(report.rows.size(), 3u);
  EXPECT_EQ(report.rows[0].median, 2.0);
  EXPECT_EQ(report.rows.back().transport, Transport::pairwise);
  EXPECT_NE(report.reason.find("shared took 2e+03 ms"), std::string::npos) << report.reason;
}

TEST(Tuner, OneOutlierDoesNotDecide) {
  Tuner tuner(Comm::world(), three, 3);
  int step = 0;
  while (!tuner.decided()) {
    const bool outlier = step++ == 4;
    tuner.record(outlier ? 100.0 : tuner.transport() == Transport::pairwise ? 1.0 : 1.5);
  }
  EXPECT_EQ(tuner.transport(), Transport::pairwise);
}

TEST(Tuner, DecisionsAreStoredAndABrokenFileIsNamed) {
  const Comm world = Comm::world();
  const std::string file = "tuner_test_" + std::to_string(world.size()) + ".txt";
  {
    StoredTransports memory(world, file);
    EXPECT_FALSE(memory.find("2 ranks, 10 kB"));
    memory.set("2 ranks, 10 kB", Transport::ring);
    memory.write();
    memory.set("2 ranks, 20 kB", Transport::shared);
    memory.set("2 ranks, 10 kB", Transport::one_sided);
    memory.write();
  }
  EXPECT_EQ(StoredTransports(world, file).find("2 ranks, 10 kB"), Transport::one_sided);
  world.barrier();
  if (world.rank() == 0) std::ofstream(file) << "no tab here\n";
  world.barrier();
  EXPECT_THROW(StoredTransports(world, file), Error);
  world.barrier();
  if (world.rank() == 0) std::remove(file.c_str());
}

}  // namespace
}  // namespace wavegrid::test_tuner
