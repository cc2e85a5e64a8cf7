// The directory: runs of any two layouts compared with a search through all of them, and values exchanged with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid::test_directory {
namespace {

using Lists = std::vector<IndexList>;  // one per rank
using Indices = std::vector<Index>;

/// Two layouts, the same on all ranks.
struct Case {
  std::string name;
  Lists source, target;
};

Lists lists(int ranks, const std::function<IndexList(int rank)>& list) {
  Lists all;
  for (int r = 0; r < ranks; ++r) all.push_back(list(r));
  return all;
}

Lists blocks(Index n, int ranks) {
  return lists(ranks, [&](int r) { return IndexList{BlockLayout(n, ranks).range(r)}; });
}

Lists cyclic(Index n, int ranks) {
  return lists(ranks, [&](int r) {
    IndexList list;
    for (Index i = r; i < n; i += ranks) list.append({i, i + 1});
    return list;
  });
}

/// Blocks of `length` indices, given to the ranks in turn.
Lists block_cyclic(Index n, Index length, int ranks) {
  return lists(ranks, [&](int r) {
    IndexList list;
    for (Index i = r * length; i < n; i += ranks * length) list.append({i, std::min(i + length, n)});
    return list;
  });
}

/// The rows of a matrix of `rows` x `columns` in blocks of columns, column after column.
Lists transposed(Index rows, Index columns, int ranks) {
  return lists(ranks, [&](int r) {
    IndexList list;
    const Range mine = BlockLayout(columns, ranks).range(r);
    for (Index c = mine.begin; c < mine.end; ++c) list.append_strided({c, 1, rows, columns});
    return list;
  });
}

/// The given indices, in blocks of this order.
Lists distributed(const Indices& indices, int ranks) {
  return lists(ranks, [&](int r) {
    const Range mine = BlockLayout(static_cast<Index>(indices.size()), ranks).range(r);
    return IndexList::of(
        std::span(indices).subspan(static_cast<std::size_t>(mine.begin), static_cast<std::size_t>(mine.size())));
  });
}

Lists all_on(int owner, Index n, int ranks) {
  return lists(ranks, [&](int r) { return r == owner ? IndexList{{0, n}} : IndexList{}; });
}

Indices shuffled(Indices indices, int seed) {
  std::vector<std::pair<double, Index>> keyed;
  for (const Index i : indices) keyed.emplace_back(random_at({seed, i}), i);
  std::sort(keyed.begin(), keyed.end());
  std::transform(keyed.begin(), keyed.end(), indices.begin(), [](const auto& entry) { return entry.second; });
  return indices;
}

Indices counted(Index n) {
  Indices indices(static_cast<std::size_t>(n));
  std::iota(indices.begin(), indices.end(), Index{0});
  return indices;
}

std::vector<Case> strided_cases(int ranks) {
  std::vector<Case> all;
  const Index n = 2111;
  for (const Index a : {1, 2, 3, 8})
    for (const Index b : {1, 3, 4, 16})
      all.push_back({"blocks of " + std::to_string(a) + " to blocks of " + std::to_string(b), block_cyclic(n, a, ranks),
                     block_cyclic(n, b, ranks)});
  all.push_back({"blocks of 7 to block", block_cyclic(n, 7, ranks), blocks(n, ranks)});
  all.push_back({"block to blocks of 7", blocks(n, ranks), block_cyclic(n, 7, ranks)});
  all.push_back({"rows to columns", blocks(83 * 89, ranks), transposed(83, 89, ranks)});
  all.push_back({"columns to cyclic", transposed(83, 89, ranks), cyclic(83 * 89, ranks)});
  all.push_back({"irregular to cyclic", distributed(shuffled(counted(n), 4), ranks), cyclic(n, ranks)});
  all.push_back({"cyclic to irregular", cyclic(n, ranks), distributed(shuffled(counted(n), 5), ranks)});
  all.push_back({"every third, several times", cyclic(n, ranks), lists(ranks, [](int r) {
                   IndexList list;
                   list.append_strided({r, 1, 500, 3});
                   list.append_strided({2, 2, 400, 5});
                   list.append_strided({r, 1, 500, 3});
                   return list;
                 })});
  return all;
}

/// This rank's block, shifted, with a halo of `width` points on either side, around a period of n points.
Lists periodic(Index n, int ranks, Index width, Index shift) {
  return lists(ranks, [&](int r) {
    const Range mine = BlockLayout(n, ranks).range(r);
    IndexList list;
    for (Index i = mine.begin - width; i < mine.end + width; ++i) {
      const Index wrapped = (((i + shift) % n) + n) % n;
      list.append({wrapped, wrapped + 1});
    }
    return list;
  });
}

Lists without_odd_ranks(Index n, int ranks) {
  const Lists all = blocks(n, (ranks + 1) / 2);
  return lists(ranks, [&](int r) { return r % 2 == 0 ? all[static_cast<std::size_t>(r / 2)] : IndexList{}; });
}

/// Few indices far apart: `bands` clusters of `points`, the band in the high bits.
Indices sparse(Index bands, Index points) {
  Indices indices;
  for (Index b = 0; b < bands; ++b)
    for (Index g = 0; g < points; ++g) indices.push_back((Index{1} << 40) * (b + 1) + (g < points / 2 ? g : 64 * g));
  return indices;
}

std::vector<Case> plain_cases(int ranks) {
  std::vector<Case> all;
  for (const Index n : {0, 1, 3, 7, 101, 997}) {
    const std::string size = " of " + std::to_string(n);
    all.push_back({"block to cyclic" + size, blocks(n, ranks), cyclic(n, ranks)});
    all.push_back({"cyclic to block" + size, cyclic(n, ranks), blocks(n, ranks)});
    all.push_back({"permutation" + size, distributed(shuffled(counted(n), 1), ranks),
                   distributed(shuffled(counted(n), 2), ranks)});
    all.push_back({"identity" + size, blocks(n, ranks), blocks(n, ranks)});
  }
  all.push_back({"one to all", all_on(ranks - 1, 89, ranks), blocks(89, ranks)});
  all.push_back({"all to one", cyclic(89, ranks), all_on(0, 89, ranks)});
  all.push_back({"odd ranks are empty", without_odd_ranks(53, ranks), without_odd_ranks(53, ranks)});
  all.push_back({"odd ranks own nothing", without_odd_ranks(53, ranks), cyclic(53, ranks)});
  Indices reversed = counted(101);
  std::reverse(reversed.begin(), reversed.end());
  all.push_back({"backwards", blocks(101, ranks), distributed(reversed, ranks)});
  return all;
}

std::vector<Case> uneven_cases(int ranks) {
  std::vector<Case> all;
  all.push_back({"nothing is wanted", blocks(31, ranks), Lists(static_cast<std::size_t>(ranks))});
  all.push_back({"some are not wanted", blocks(97, ranks), distributed({3, 4, 5, 96, 12, 13}, ranks)});
  all.push_back({"wanted by all", cyclic(29, ranks), lists(ranks, [](int) { return IndexList{{0, 29}}; })});
  all.push_back({"wanted by all, several times", blocks(29, ranks), lists(ranks, [](int r) {
                   return IndexList{{4, 29}, {0, 11}, {4, 5}, {4, 5}, {r, r + 3}};
                 })});
  all.push_back({"halo", blocks(101, ranks), periodic(101, ranks, 3, 0)});
  all.push_back({"halo wider than the period", blocks(5, ranks), periodic(5, ranks, 12, 0)});
  all.push_back({"periodic shift", blocks(101, ranks), periodic(101, ranks, 0, 37)});
  for (const Index points : {1, 8, 64}) {
    const Indices indices = sparse(7, points);
    all.push_back(
        {"sparse, " + std::to_string(points), distributed(indices, ranks), distributed(shuffled(indices, 3), ranks)});
  }
  constexpr Index top = std::numeric_limits<Index>::max();
  all.push_back({"the highest indices", distributed({0, top - 1, 5, top - 4, top - 3, top - 2}, ranks),
                 distributed({top - 3, top - 2, top - 1, 0}, ranks)});
  return all;
}

Indices expanded(const IndexList& list) {
  Indices indices;
  for (const Range& range : list.ranges())
    for (Index i = range.begin; i < range.end; ++i) indices.push_back(i);
  return indices;
}

/// The runs of one side by partner, in a form that can be compared and printed.
using Table = std::map<int, std::vector<std::vector<Index>>>;

Table table_of(const std::vector<PartnerRuns>& entries) {
  Table table;
  for (const PartnerRuns& entry : entries) {
    EXPECT_FALSE(entry.runs.empty());
    EXPECT_FALSE(table.contains(entry.partner));
    EXPECT_TRUE(table.empty() || table.rbegin()->first < entry.partner) << "partners must rise";
    for_each_run(entry.runs, [&](Index start, Index length) { table[entry.partner].push_back({start, length}); });
  }
  return table;
}

/// The right runs of a rank, found by a search through the layouts of all ranks.
MatchedRuns searched(const Case& layouts, int rank) {
  struct Place {
    int rank;
    Index local;
  };
  std::map<Index, Place> owner;
  for (std::size_t r = 0; r < layouts.source.size(); ++r) {
    Index local = 0;
    for (const Index i : expanded(layouts.source[r])) owner[i] = {static_cast<int>(r), local++};
  }
  std::map<int, PartnerRuns> sends, receives;
  for (std::size_t r = 0; r < layouts.target.size(); ++r) {
    Index local = 0;
    for (const Index i : expanded(layouts.target[r])) {
      const Place from = owner.at(i);
      const int to = static_cast<int>(r);
      if (from.rank == rank) sends.try_emplace(to, PartnerRuns{to, {}}).first->second.runs.append({from.local, 1});
      if (to == rank) receives.try_emplace(from.rank, PartnerRuns{from.rank, {}}).first->second.runs.append({local, 1});
      ++local;
    }
  }
  MatchedRuns runs;
  for (const auto& entry : sends) runs.sends.push_back(entry.second);
  for (const auto& entry : receives) runs.receives.push_back(entry.second);
  return runs;
}

/// A value that encodes its global index (exactly, up to 2^50).
double value_of(Index i) { return static_cast<double>(i % (Index{1} << 50)); }

std::vector<double> values_of(const IndexList& list) {
  const Indices indices = expanded(list);
  std::vector<double> values(indices.size());
  std::transform(indices.begin(), indices.end(), values.begin(), value_of);
  return values;
}

std::vector<double> exchanged(const Comm& comm, const MatchedRuns& runs, const IndexList& source, Index target_size) {
  const std::vector<double> sent = values_of(source);
  std::vector<double> arrived(static_cast<std::size_t>(target_size), -1);
  ExchangePlan plan(comm, runs.sends, runs.receives, Transport::pairwise);
  plan.forward(sent.data(), arrived.data(), {.count = 1, .source_stride = source.size(), .target_stride = target_size});
  return arrived;
}

void expect_matched(const Comm& comm, const Case& layouts) {
  SCOPED_TRACE(layouts.name + ", ranks " + std::to_string(comm.size()));
  const auto me = static_cast<std::size_t>(comm.rank());
  const IndexList &source = layouts.source[me], &target = layouts.target[me];
  const MatchedRuns runs = match_layouts(comm, source, target), search = searched(layouts, comm.rank());
  EXPECT_EQ(table_of(runs.sends), table_of(search.sends));
  EXPECT_EQ(table_of(runs.receives), table_of(search.receives));
  EXPECT_EQ(exchanged(comm, runs, source, target.size()), values_of(target));
}

TEST(IndexList, RangesAtEqualDistancesAreStoredAsOne) {
  Indices indices;
  for (Index i = 5; i < 50000; i += 7) indices.insert(indices.end(), {i, i + 1});
  const IndexList list = IndexList::of(indices);
  EXPECT_EQ(list.runs().size(), 1U);
  EXPECT_EQ(list.size(), static_cast<Index>(indices.size()));
  EXPECT_EQ(expanded(list), indices);
  IndexList same;
  same.append_strided({5, 2, list.size() / 2, 7});
  EXPECT_EQ(same.runs(), list.runs());
}

TEST(IndexList, NeighboursBecomeRanges) {
  const Indices indices{7, 8, 9, 3, 4, 4, 5, 2};
  const IndexList list = IndexList::of(indices);
  EXPECT_EQ(list.ranges(), (std::vector<Range>{{7, 10}, {3, 5}, {4, 6}, {2, 3}}));
  EXPECT_EQ(list.size(), 8);
  EXPECT_EQ((IndexList{{0, 4}, {4, 4}, {4, 9}, {9, 9}, {3, 3}}.ranges()), (std::vector<Range>{{0, 9}}));
  EXPECT_EQ(IndexList().size(), 0);
}

TEST(Directory, FindsTheRunsOfAnyTwoLayouts) {
  const Comm world = Comm::world();
  for (const Case& layouts : plain_cases(world.size())) expect_matched(world, layouts);
}

TEST(Directory, UnevenSparseAndRepeatedIndices) {
  const Comm world = Comm::world();
  for (const Case& layouts : uneven_cases(world.size())) expect_matched(world, layouts);
}

TEST(Directory, StridedLayouts) {
  const Comm world = Comm::world();
  for (const Case& layouts : strided_cases(world.size())) expect_matched(world, layouts);
}

TEST(Directory, OnRandomSubCommunicators) {
  const Comm world = Comm::world();
  for (int seed = 0; seed < 3; ++seed) {
    const int colour = random_at({seed, world.rank()}) < 0 ? 0 : 1;
    const Comm part = world.split(colour, static_cast<int>(1000 * random_at({seed, world.rank(), 1})));
    for (const Case& layouts : plain_cases(part.size())) expect_matched(part, layouts);
    for (const Case& layouts : uneven_cases(part.size())) expect_matched(part, layouts);
  }
}

Index count_runs(const std::vector<PartnerRuns>& entries) {
  Index count = 0;
  for (const PartnerRuns& entry : entries) count += static_cast<Index>(entry.runs.size());
  return count;
}

Index count_elements(const std::vector<PartnerRuns>& entries) {
  Index count = 0;
  for (const PartnerRuns& entry : entries) count += total_length(entry.runs);
  return count;
}

TEST(Directory, ShiftedBlocksNeedFewRunsOfAnyLength) {
  const Comm world = Comm::world();
  for (const Index n : {Index{10'000'019}, Index{1} << 45}) {
    const Range mine = BlockLayout(n, world.size()).range(world.rank());
    const Index shift = n / 3;
    IndexList target;  // [begin + shift, end + shift) modulo n
    target.append({std::min(mine.begin + shift, n), std::min(mine.end + shift, n)});
    target.append({std::max(mine.begin + shift - n, Index{0}), std::max(mine.end + shift - n, Index{0})});
    const MatchedRuns runs = match_layouts(world, {mine}, target);
    for (const auto* side : {&runs.sends, &runs.receives}) {
      EXPECT_LE(count_runs(*side), 4);
      EXPECT_EQ(count_elements(*side), mine.size());
    }
  }
}

TEST(Directory, BlockCyclicLayoutsNeedFewRunsOfAnyLength) {
  const Comm world = Comm::world();
  for (const Index count : {Index{1'000'003}, Index{1} << 40}) {
    IndexList cyclic;
    cyclic.append_strided({2 * world.rank(), 2, count, 2 * world.size()});
    const Index n = 2 * count * world.size();
    const MatchedRuns runs = match_layouts(world, {BlockLayout(n, world.size()).range(world.rank())}, cyclic);
    for (const auto* side : {&runs.sends, &runs.receives}) {
      EXPECT_LE(count_runs(*side), 4 * world.size());
      EXPECT_EQ(count_elements(*side), 2 * count);
    }
  }
}

/// The message of the error of match_layouts(); checks that it is bad_input and the same on all ranks.
std::string shared_error(const Comm& comm, const IndexList& source, const IndexList& target) {
  std::string message = "no error";
  try {
    const MatchedRuns runs = match_layouts(comm, source, target);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    message = error.what();
  }
  std::vector<int> of_root(message.begin(), message.end());
  of_root.resize(300);
  std::vector<int> here(of_root);
  comm.broadcast(std::span<int>(of_root));
  EXPECT_EQ(here, of_root) << message;
  return message;
}

TEST(Directory, MissingIndicesThrowTheSameErrorOnAllRanks) {
  const Comm world = Comm::world();
  const int last = world.size() - 1;
  const IndexList none, all{{0, 100}};
  // 41 to 43 and 97 have no owner; all ranks need the first gap, only the last rank begins inside it
  const IndexList holed = world.rank() == last ? IndexList{{98, 100}, {44, 97}, {0, 41}} : none;
  EXPECT_EQ(shared_error(world, holed, all), "target layout: index 41 is wanted by rank 0, but no rank owns it");
  EXPECT_EQ(shared_error(world, holed, world.rank() == last ? IndexList{{95, 100}, {50, 60}} : none),
            "target layout: index 97 is wanted by rank " + std::to_string(last) + ", but no rank owns it");
  EXPECT_EQ(shared_error(world, none, world.rank() == last ? IndexList{{Index{1} << 40, (Index{1} << 40) + 1}} : none),
            "target layout: index 1099511627776 is wanted by rank " + std::to_string(last) + ", but no rank owns it");
  EXPECT_EQ(shared_error(world, world.rank() == 0 ? all : none, {{200, 201}, {150, 151}}),
            "target layout: index 150 is wanted by rank 0, but no rank owns it");
  EXPECT_EQ(shared_error(world, world.rank() == 0 ? all : none, {{5, 9}, {0, Index{1} << 60}}),
            "target layout: index 100 is wanted by rank 0, but no rank owns it");
  EXPECT_EQ(shared_error(world, holed, {{0, 41}}), "no error");  // no message is left
}

TEST(Directory, DoubledIndicesThrowTheSameErrorOnAllRanks) {
  const Comm world = Comm::world();
  const int last = world.size() - 1;
  const auto twice = [](Index i, int first, int second) {
    return "source layout: index " + std::to_string(i) + " is owned twice, by rank " + std::to_string(first) +
           " and by rank " + std::to_string(second) + "; each index may have one owner";
  };
  IndexList source;  // rank 0 owns 0 to 99, the last rank some of them too; 70 is needed but missing
  if (world.rank() == 0) source = {{80, 100}, {0, 70}, {71, 80}};
  if (world.rank() == last)
    for (const Index i : {90, 33, 60}) source.append({i, i + 2});
  EXPECT_EQ(shared_error(world, source, {{0, 100}}), twice(33, 0, last));
  const IndexList inside = world.rank() == last ? IndexList{{10, 20}, {5, 30}} : IndexList{};
  EXPECT_EQ(shared_error(world, inside, {}), twice(10, last, last));
  EXPECT_EQ(shared_error(world, world.rank() == 0 ? IndexList{{7, 8}} : IndexList{}, {}), "no error");
}

TEST(Directory, StridedLayoutsThrowTheSameErrorOnAllRanks) {
  const Comm world = Comm::world();
  const int last = world.size() - 1;
  const auto on = [&](int rank, const StridedRun& run) {
    IndexList list;
    if (world.rank() == rank) list.append_strided(run);
    return list;
  };
  IndexList twice = on(0, {0, 1, 1000, 2});  // even indices
  if (world.rank() == last) twice.append_strided({1, 1, 200, 5});
  EXPECT_EQ(shared_error(world, twice, {}), "source layout: index 6 is owned twice, by rank 0 and by rank " +
                                                std::to_string(last) + "; each index may have one owner");
  IndexList also_plain = on(0, {0, 1, 1000, 2});
  if (world.rank() == last) also_plain.append({801, 803});
  EXPECT_EQ(shared_error(world, also_plain, {}), "source layout: index 802 is owned twice, by rank 0 and by rank " +
                                                     std::to_string(last) + "; each index may have one owner");
  EXPECT_EQ(shared_error(world, on(0, {0, 1, 1000, 2}), on(last, {10, 1, 300, 3})),
            "target layout: index 13 is wanted by rank " + std::to_string(last) + ", but no rank owns it");
  EXPECT_EQ(shared_error(world, on(0, {0, 1, 1000, 2}), on(last, {10, 1, 300, 6})), "no error");
}

TEST(Directory, InvalidRangesThrowTheSameErrorOnAllRanks) {
  const Comm world = Comm::world();
  const int last = world.size() - 1;
  const std::string of_last = " layout of rank " + std::to_string(last) + ": ";
  const std::string rule = " is no range of global indices, which are 0 or more and rise";
  const auto on_last = [&](const IndexList& list) { return world.rank() == last ? list : IndexList{}; };
  EXPECT_EQ(shared_error(world, on_last({{0, 5}, {-3, 2}}), {}), "source" + of_last + "[-3, 2)" + rule);
  EXPECT_EQ(shared_error(world, {}, on_last({{0, 5}, {5, 3}, {3, 9}})), "target" + of_last + "[5, 3)" + rule);
}

}  // namespace
}  // namespace wavegrid::test_directory
