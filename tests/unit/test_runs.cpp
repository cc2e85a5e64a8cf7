// Lists of runs and the common elements of strided runs, compared with lists of all elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/exchange/common_runs.hpp>
#include <wavegrid/exchange/copy_runs.hpp>

namespace wavegrid::test_runs {
namespace {

using Indices = std::vector<Index>;

Indices elements(const RunList& list) {
  Indices all;
  for_each_run(list, [&](Index start, Index length) {
    for (Index i = 0; i < length; ++i) all.push_back(start + i);
  });
  return all;
}

Indices elements(const StridedRun& run) {
  RunList list;
  list.append_strided(run);
  return elements(list);
}

Index random_below(Index limit, Index a, Index b) {
  return static_cast<Index>((random_at({a, b}) + 1) / 2 * static_cast<double>(limit));
}

RunList one_by_one(const Indices& all) {
  RunList list;
  for (const Index i : all) list.append({i, 1});
  return list;
}

/// Strided and single runs in random order, some of which continue others.
RunList random_list(Index seed) {
  RunList list;
  Index end = 0;
  for (Index n = 0; n < 12; ++n) {
    const Index length = 1 + random_below(3, seed, 10 * n), count = 1 + random_below(7, seed, 10 * n + 1);
    const Index start = random_below(3, seed, 10 * n + 2) == 0 ? random_below(200, seed, 10 * n + 3) : end;
    const StridedRun run{start, length, count, length + random_below(3, seed, 10 * n + 4)};
    list.append_strided(run);
    end = run.end();
  }
  return list;
}

TEST(RunList, HoldsTheElementsInOrder) {
  for (Index seed = 0; seed < 300; ++seed) {
    const RunList list = random_list(seed);
    EXPECT_EQ(total_length(list), static_cast<Index>(elements(list).size()));
    EXPECT_EQ(one_by_one(elements(list)), list) << "the way it was made shows, seed " << seed;
  }
}

TEST(RunList, EqualDistancesAreOneRun) {
  Indices blocks;
  for (Index i = 0; i < 1000; ++i)
    for (Index k = 0; k < 3; ++k) blocks.push_back(8 * i + k);
  const RunList list = one_by_one(blocks);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(*list.begin(), (StridedRun{0, 3, 1000, 8}));
  EXPECT_EQ((RunList{{0, 1}, {2, 1}, {4, 1}, {6, 1}, {7, 1}}), (RunList{{0, 1}, {2, 1}, {4, 1}, {6, 2}}));
  EXPECT_EQ((RunList{{9, 1}, {7, 1}, {5, 1}, {3, 1}, {3, 0}}).size(), 4U) << "only rising runs are merged";
}

TEST(CopyRuns, AllWaysMoveTheSameElements) {
  for (Index seed = 0; seed < 200; ++seed) {
    const RunList from = random_list(seed), to = random_list(1000 + seed);
    Indices read = elements(from), written = elements(to);
    const std::size_t n = std::min(read.size(), written.size());
    read.resize(n), written.resize(n);
    const RunList short_from = one_by_one(read), short_to = one_by_one(written);
    for (const Index values : {1, 2}) {
      Indices source(4000), message(n * static_cast<std::size_t>(values)), expected;
      for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<Index>(i);
      pack(short_from, values, source.data(), message.data());
      for (const Index i : read)
        for (Index v = 0; v < values; ++v) expected.push_back(i * values + v);
      EXPECT_EQ(message, expected);
      Indices unpacked(4000, -1), copied(4000, -1);
      unpack(short_to, values, message.data(), unpacked.data());
      const OwnCopies copies(short_from, short_to);
      copies.copy(false, values, source.data(), copied.data());
      EXPECT_EQ(copied, unpacked) << "seed " << seed;
      copies.add(false, values, source.data(), copied.data());
      add(short_to, values, message.data(), unpacked.data());
      EXPECT_EQ(copied, unpacked) << "seed " << seed;
      copies.copy(true, values, copied.data(), source.data());
      Indices back = source;
      pack(short_to, values, copied.data(), message.data());
      unpack(short_from, values, message.data(), back.data());
      EXPECT_EQ(source, back) << "seed " << seed;
    }
  }
}

TEST(CommonRuns, AreTheCommonElementsOnce) {
  for (Index seed = 0; seed < 20000; ++seed) {
    const auto run = [seed](Index side) {
      const auto below = [&](Index limit, Index n) { return random_below(limit, seed, 10 * side + n); };
      const Index length = 1 + below(5, 0);
      return StridedRun{below(30, 1), length, 1 + below(12, 2), length + 1 + below(9, 3)};
    };
    const StridedRun a = run(0), b = run(1);
    const Indices in_a = elements(a), in_b = elements(b);
    Indices expected, found;
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(expected));
    for_common_runs(a, b, [&](const CommonRun& common) {
      for (Index k = 0; k < common.count; ++k)
        for (Index i = 0; i < common.length; ++i) {
          const auto at_a = static_cast<std::size_t>(common.in_a + k * common.a_stride + i);
          const auto at_b = static_cast<std::size_t>(common.in_b + k * common.b_stride + i);
          ASSERT_LT(at_a, in_a.size());
          ASSERT_LT(at_b, in_b.size());
          EXPECT_EQ(in_a[at_a], in_b[at_b]);
          found.push_back(in_a[at_a]);
        }
    });
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace wavegrid::test_runs
