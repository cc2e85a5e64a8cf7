// The automatic partition: the paper's crossover, the text of the reason, the unit costs.
#include <gtest/gtest.h>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/choose_partition.hpp>

#include "spheres.hpp"

namespace wavegrid::test_choose_partition {
namespace {

Scheme chosen(const GSphere& sphere, int ranks, const Machine& machine = {}) {
  return choose_partition({}, sphere.counts(), sphere.grid()[0], ranks, machine).partition.scheme;
}

// Gao et al. 2016, section 5: "When the number of processors is less than 24, the greedy algorithm is preferable".
TEST(ChoosePartition, ChangesNearThePapersTwentyFourRanks) {
  for (const GSphere& sphere : {aluminium(3, 48), aluminium(5, 80)}) {
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16})
      EXPECT_EQ(chosen(sphere, ranks), Scheme::greedy) << sphere.grid()[0] << ", " << ranks << " ranks";
    for (const int ranks : {36, 48, 64, 96, 128, 256, 512})
      EXPECT_EQ(chosen(sphere, ranks), Scheme::optimized) << sphere.grid()[0] << ", " << ranks << " ranks";
  }
}

TEST(ChoosePartition, CheapMessagesFavourGreedyAndExpensiveOnesDoNot) {
  const GSphere sphere = aluminium(5, 80);
  EXPECT_EQ(chosen(sphere, 36, {.latency = 1e-8}), Scheme::greedy);
  EXPECT_EQ(chosen(sphere, 36, {.bands_per_message = 16}), Scheme::greedy);
  EXPECT_EQ(chosen(sphere, 8, {.latency = 1e-3}), Scheme::optimized);
}

TEST(ChoosePartition, MessagesCostWhatThePieceOfTheirSizeSays) {
  const GSphere sphere = aluminium(5, 80);
  const MessageModel cheap{1e-8, 1e9}, expensive{1e-3, 1e9};
  EXPECT_EQ(chosen(sphere, 8, {.pieces = {{0, cheap}, {1e7, expensive}}}), Scheme::greedy);
  EXPECT_EQ(chosen(sphere, 8, {.pieces = {{0, cheap}, {16, expensive}}}), Scheme::optimized);
}

TEST(ChoosePartition, GivesTheReasonWithNumbers) {
  const GSphere sphere = aluminium(3, 48);
  const PartitionChoice choice = choose_partition({}, sphere.counts(), 48, 48);
  const std::string shape = std::to_string(choice.partition.shape.rows) + " x 8";
  for (const std::string& words : {std::string("greedy 1 x 48"), "optimized " + shape, std::string("47 messages"),
                                   std::string(" kB"), std::string(" us per transform")})
    EXPECT_NE(choice.reason.find(words), std::string::npos) << choice.reason;
  EXPECT_NE(choose_partition({}, sphere.counts(), 48, 1).reason.find("one rank"), std::string::npos);
}

TEST(ChoosePartition, UsesTheRequestedScheme) {
  const GSphere sphere = aluminium(3, 48);
  for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized}) {
    const Partition partition = choose_partition(scheme, sphere.counts(), 48, 24).partition;
    EXPECT_EQ(partition.scheme, scheme);
    EXPECT_EQ(partition.stick_owner, make_partition(scheme, sphere.counts(), 48, 24).stick_owner);
  }
  EXPECT_THROW((void)choose_partition({}, sphere.counts(), 48, 0), Error);
}

TEST(ChoosePartition, WorksWithMoreRanksThanSticks) {
  const GSphere sphere = skewed_sphere(Mode::gamma);
  for (const int ranks : {199, 600, 1021}) {
    const PartitionChoice choice = choose_partition({}, sphere.counts(), sphere.grid()[0], ranks);
    EXPECT_EQ(load_statistics(choice.partition, sphere.counts()).plane_waves, sphere.size());
  }
}

TEST(Machine, DefaultsAreTheDefaultUnitCosts) {
  EXPECT_EQ(Machine{}.unit_costs(), UnitCosts{});
  EXPECT_EQ(Machine{.bands_per_message = 4}.unit_costs().message, 500'000);
  EXPECT_EQ(Machine{.bandwidth = 2e9}.unit_costs().byte, 500);
  for (const Machine& machine : {Machine{.latency = -1}, Machine{.bandwidth = 0}, Machine{.flops = -2e9}})
    EXPECT_THROW((void)machine.unit_costs(), Error);
}

TEST(Machine, PiecesHoldFromTheirSizeOn) {
  const Machine machine{.pieces = {{0, {1e-6, 1e9}}, {4096, {4e-6, 8e9}}}, .bands_per_message = 4};
  EXPECT_EQ(machine.message(4095).latency, 1e-6);
  EXPECT_EQ(machine.message(4096).bandwidth, 8e9);
  const UnitCosts costs = machine.unit_costs();  // of one of four bands
  EXPECT_EQ(costs.of_size(1023), (UnitCosts::Piece{0, 250'000, 1000}));
  EXPECT_EQ(costs.of_size(1024), (UnitCosts::Piece{1024, 1'000'000, 125}));
  EXPECT_EQ(cost({.messages = 2, .bytes = 2048}, costs), 2'000'000 + 2048 * 125);
  EXPECT_EQ(cost({.messages = 2, .bytes = 2046}, costs), 500'000 + 2'046'000);
}

}  // namespace
}  // namespace wavegrid::test_choose_partition
