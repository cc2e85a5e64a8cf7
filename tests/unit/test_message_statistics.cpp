// Messages of the two transposes: the statistics compared with the runs that the transform exchanges.
#include <gtest/gtest.h>

#include <map>

#include <wavegrid/fft/fft_layout.hpp>
#include <wavegrid/layout/message_statistics.hpp>

#include "spheres.hpp"

namespace wavegrid::test_message_statistics {
namespace {

struct Traffic {
  Index messages = 0, elements = 0;
};

Traffic traffic_of(const std::vector<PartnerRuns>& messages, int myself) {
  Traffic traffic;
  for (const PartnerRuns& message : messages)
    if (const Index length = total_length(message.runs); message.partner != myself && length > 0)
      traffic.messages += 1, traffic.elements += length;
  return traffic;
}

/// Statistics counted from the runs of every part.
TransposeStatistics counted(const std::vector<std::pair<Traffic, Traffic>>& sent_and_received) {
  TransposeStatistics statistics;
  for (const auto& [sent, received] : sent_and_received) {
    statistics.messages += sent.messages;
    statistics.bytes += 16 * sent.elements;
    statistics.max_messages = std::max({statistics.max_messages, sent.messages, received.messages});
    statistics.max_bytes = std::max({statistics.max_bytes, 16 * sent.elements, 16 * received.elements});
  }
  return statistics;
}

void expect_equal(const TransposeStatistics& statistics, const TransposeStatistics& expected) {
  EXPECT_EQ(statistics.messages, expected.messages);
  EXPECT_EQ(statistics.bytes, expected.bytes);
  EXPECT_EQ(statistics.max_messages, expected.max_messages);
  EXPECT_EQ(statistics.max_bytes, expected.max_bytes);
}

void compare(const GSphere& sphere, const Partition& partition) {
  std::vector<std::pair<Traffic, Traffic>> first, second;
  for (int part = 0; part < partition.parts; ++part) {
    const FftLayout layout(sphere, partition, part, 16);
    const TransposeRuns to_planes = sticks_to_planes(layout, partition);
    const int me_in_first = partition.rows_are_closed() ? layout.column : part;
    first.emplace_back(traffic_of(to_planes.sends, me_in_first), traffic_of(to_planes.receives, me_in_first));
    const TransposeRuns to_sections = planes_to_sections(layout);
    second.emplace_back(traffic_of(to_sections.sends, layout.row), traffic_of(to_sections.receives, layout.row));
  }
  const MessageStatistics statistics = message_statistics(partition, sphere.counts(), sphere.grid()[0]);
  expect_equal(statistics.first, counted(first));
  expect_equal(statistics.second, counted(second));
}

TEST(MessageStatistics, EqualTheRunsOfTheTransform) {
  const GSphere spheres[] = {skewed_sphere(Mode::gamma), skewed_sphere(Mode::complex, {0.25, -0.5, 0.125}),
                             aluminium(3, 48), GSphere::box(Lattice({{{5, 0, 0}, {0, 6, 0}, {0, 1, 4}}}), {5, 7, 6})};
  for (const GSphere& sphere : spheres)
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized})
      for (const int ranks : {1, 2, 3, 4, 6, 7, 12, 19, 24, 53, 60}) {
        SCOPED_TRACE("scheme " + std::to_string(static_cast<int>(scheme)) + ", " + std::to_string(ranks) + " ranks");
        compare(sphere, make_partition(scheme, sphere.counts(), sphere.grid()[0], ranks));
      }
}

TEST(MessageStatistics, HoldForDegenerateGrids) {
  const GSphere sphere = skewed_sphere(Mode::complex);
  for (const GridShape shape : {GridShape{1, 20}, GridShape{20, 1}, GridShape{2, 10}, GridShape{25, 2}})
    compare(sphere, make_partition(Scheme::optimized, sphere.counts(), shape, shape.rows * shape.columns));
}

TEST(MessageStatistics, OptimizedSendsTheMessagesOfBalanced) {
  const GSphere sphere = aluminium(5, 80);
  for (const int ranks : {16, 24, 36, 64, 96}) {
    const Partition balanced = make_partition(Scheme::balanced, sphere.counts(), 80, ranks);
    const MessageStatistics paper = message_statistics(balanced, sphere.counts(), 80);
    const MessageStatistics ours = message_statistics(
        make_partition(Scheme::optimized, sphere.counts(), balanced.shape, ranks), sphere.counts(), 80);
    EXPECT_EQ(ours.first.messages, paper.first.messages);
    EXPECT_EQ(ours.second.messages, paper.second.messages);
    EXPECT_NEAR(static_cast<double>(ours.first.bytes) / static_cast<double>(paper.first.bytes), 1, 0.01);
    EXPECT_NEAR(static_cast<double>(ours.second.bytes) / static_cast<double>(paper.second.bytes), 1, 0.01);
    EXPECT_LE(100 * ours.first.max_bytes, 101 * paper.first.max_bytes);
  }
}

TEST(MessageStatistics, OneRankSendsNothingAndGreedyHasNoSecondTranspose) {
  const GSphere sphere = aluminium(3, 48);
  const MessageStatistics alone =
      message_statistics(make_partition(Scheme::greedy, sphere.counts(), 48, 1), sphere.counts(), 48);
  EXPECT_EQ(alone.first.messages + alone.second.messages + alone.first.bytes + alone.second.bytes, 0);
  const MessageStatistics two =
      message_statistics(make_partition(Scheme::greedy, sphere.counts(), 48, 2), sphere.counts(), 48);
  EXPECT_EQ(two.first.messages, 2);
  EXPECT_EQ(two.second.messages, 0);
  // each rank sends the half of the points of its sticks that are on the yz-planes of the other
  Index sticks = 0;
  for (const int count : sphere.counts().count) sticks += count > 0;
  EXPECT_EQ(two.first.bytes, sticks * 24 * 16);
}

}  // namespace
}  // namespace wavegrid::test_message_statistics
