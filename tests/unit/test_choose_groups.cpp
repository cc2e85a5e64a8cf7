// The automatic numbers of k-point groups and band groups, and the reasons given for them.
#include <gtest/gtest.h>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/choose_groups.hpp>

#include "spheres.hpp"

namespace wavegrid::test_choose_groups {
namespace {

GroupWorkload work(const GSphere& sphere, Index kpoints, Index bands) {
  return {kpoints, bands, sphere.counts(), sphere.grid()[0]};
}

TEST(ChooseGroups, KPointsComeFirstIfTheyDivideWell) {
  const GSphere sphere = aluminium(1, 16);
  EXPECT_EQ(choose_groups(4, work(sphere, 8, 12)).counts, (GroupCounts{4, 1}));
  EXPECT_EQ(choose_groups(8, work(sphere, 8, 12)).counts, (GroupCounts{8, 1}));
}

TEST(ChooseGroups, OneKPointLeavesRanksToBandsAndGrid) {
  const GSphere sphere = aluminium(3, 48);
  for (const int ranks : {1, 2, 3, 5, 16, 36, 96}) {
    const GroupChoice choice = choose_groups(ranks, work(sphere, 1, 217));
    EXPECT_EQ(choice.counts.kpoint_groups, 1);
    EXPECT_EQ(ranks % choice.counts.band_groups, 0) << ranks;
    EXPECT_FALSE(choice.reason.empty());
  }
}

TEST(ChooseGroups, NoGroupIsLeftWithoutWork) {
  const GSphere sphere = aluminium(1, 16);
  for (int ranks = 1; ranks <= 24; ++ranks) {
    const GroupCounts counts = choose_groups(ranks, work(sphere, 3, 2)).counts;
    EXPECT_LE(counts.kpoint_groups, 3) << ranks;
    EXPECT_LE(counts.band_groups, 2) << ranks;
  }
}

TEST(ChooseGroups, BandsThatAreTransformedTogetherAreNotDivided) {
  const GSphere sphere = aluminium(1, 16);
  GroupWorkload silicon = work(sphere, 145, 4), oxide = work(sphere, 26, 38);
  EXPECT_EQ(choose_groups(16, oxide).counts, (GroupCounts{2, 8}));
  silicon.block = oxide.block = 8;
  silicon.block_time = oxide.block_time = 3;
  for (const int ranks : {2, 4, 8}) EXPECT_EQ(choose_groups(ranks, silicon).counts, (GroupCounts{ranks, 1}));
  EXPECT_EQ(choose_groups(16, silicon).counts, (GroupCounts{15, 1}));  // ten k-points at most, as in 16 groups
  EXPECT_EQ(choose_groups(4, oxide).counts, (GroupCounts{4, 1}));
  EXPECT_EQ(choose_groups(16, oxide).counts, (GroupCounts{13, 1}));
}

TEST(ChooseGroups, PiecesReplaceLatencyAndBandwidth) {
  const GSphere sphere = aluminium(3, 48);
  const MessageModel slow{1e-4, 1e8};
  const Machine one{.latency = slow.latency, .bandwidth = slow.bandwidth};
  const Machine pieces{.pieces = {{0, slow}}}, unused{.pieces = {{0, Machine{}.message(0)}, {1e12, slow}}};
  const GroupWorkload planes = work(sphere, 1, 217);
  EXPECT_EQ(choose_groups(16, planes, {}, pieces).reason, choose_groups(16, planes, {}, one).reason);
  EXPECT_EQ(choose_groups(16, planes, {}, unused).reason, choose_groups(16, planes).reason);
  const MeshGroupWorkload mesh{.kpoints = 1, .bands = 64, .points = 1e5};
  EXPECT_EQ(choose_mesh_groups(16, mesh, {}, pieces).reason, choose_mesh_groups(16, mesh, {}, one).reason);
  EXPECT_EQ(choose_mesh_groups(16, mesh, {}, unused).reason, choose_mesh_groups(16, mesh).reason);
}

TEST(ChooseGroups, RequestsAreKeptEvenIfGroupsAreEmptyOrUneven) {
  const GSphere sphere = aluminium(1, 16);
  EXPECT_EQ(choose_groups(5, work(sphere, 3, 12), {.kpoint_groups = 2, .band_groups = 2}).counts, (GroupCounts{2, 2}));
  EXPECT_EQ(choose_groups(4, work(sphere, 1, 12), {.kpoint_groups = 4}).counts, (GroupCounts{4, 1}));
  EXPECT_EQ(choose_groups(12, work(sphere, 4, 12), {.kpoint_groups = 2, .grid_ranks = 3}).counts, (GroupCounts{2, 2}));
}

TEST(ChooseGroups, KPointsOfAMeshComeFirst) {
  const MeshGroupWorkload work{.kpoints = 4, .bands = 8, .points = 8000, .reach = 6, .legs = 36, .real_numbers = false};
  EXPECT_EQ(choose_mesh_groups(4, work).counts, (GroupCounts{4, 1}));
  EXPECT_EQ(choose_mesh_groups(8, work).counts.kpoint_groups, 4);
  EXPECT_EQ(choose_mesh_groups(8, work, {.kpoint_groups = 3, .band_groups = 1}).counts, (GroupCounts{3, 1}));
  EXPECT_THROW((void)choose_mesh_groups(4, work, {.kpoint_groups = 5}), Error);
  EXPECT_THROW((void)choose_mesh_groups(4, work, {.kpoint_groups = 2, .band_groups = 3}), Error);
}

TEST(ChooseGroups, RanksShareThePointsOfAMeshUnlessBandsAreCheaperToMoveThanGhostPoints) {
  MeshGroupWorkload work{.kpoints = 1, .bands = 64, .points = 1e5, .reach = 6, .legs = 36};
  work.moves = 0.1;
  EXPECT_GT(choose_mesh_groups(16, work).counts.band_groups, 1);
  EXPECT_EQ(choose_mesh_groups(2, work).counts.band_groups, 1);
  work.moves = 10;
  const GroupChoice choice = choose_mesh_groups(16, work);
  EXPECT_EQ(choice.counts, (GroupCounts{1, 1}));
  EXPECT_NE(choice.reason.find("per Laplacian"), std::string::npos) << choice.reason;
  EXPECT_EQ(choice.reason.find("grid ranks"), std::string::npos) << choice.reason;
  work.moves = 0.1;
  work.bands = 1;
  EXPECT_EQ(choose_mesh_groups(16, work).counts, (GroupCounts{1, 1}));
}

TEST(ChooseGroups, TwoRanksOfAMeshAreNeighboursOnce) {
  // Two band groups without moves cost half of the bands; two domains half of the points, and one message more.
  MeshGroupWorkload work{.kpoints = 1, .bands = 8, .points = 8000, .reach = 2, .legs = 12, .moves = 0};
  const Machine machine{.latency = 8e-3, .bandwidth = 1e12, .flops = 1e9};
  const std::string reason = choose_mesh_groups(2, work, {}, machine).reason;
  // 8 bands x (4000 points x 24 operations / 1e9 + 1 message / 8 bands)
  EXPECT_NE(reason.find("1 x 1 x 2 at 8.77 ms"), std::string::npos) << reason;
}

TEST(ChooseGroups, NumbersThatDoNotFitAreRefused) {
  const GSphere sphere = aluminium(1, 16);
  EXPECT_THROW((void)choose_groups(4, work(sphere, 8, 12), {.kpoint_groups = 5}), Error);
  EXPECT_THROW((void)choose_groups(4, work(sphere, 8, 12), {.kpoint_groups = 2, .band_groups = 3}), Error);
  EXPECT_THROW((void)choose_groups(4, work(sphere, 8, 12), {.grid_ranks = 3}), Error);
  EXPECT_THROW((void)choose_groups(4, work(sphere, 8, 12), {.kpoint_groups = 0}), Error);
}

}  // namespace
}  // namespace wavegrid::test_choose_groups
