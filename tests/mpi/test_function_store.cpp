// Functions and block rows of other ranks, by both ways of access.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/boxes/block_sparse.hpp>

namespace wavegrid::test_function_store {
namespace {

using Complex = std::complex<double>;
constexpr FunctionAccess both[] = {FunctionAccess::window, FunctionAccess::messages};
constexpr FunctionAccess all[] = {FunctionAccess::window, FunctionAccess::messages, FunctionAccess::measured};

/// Unequal sizes, 0 among them; the last rank has no function.
std::vector<Index> sizes_of(int rank, int ranks) {
  if (ranks > 1 && rank == ranks - 1) return {};
  std::vector<Index> sizes;
  for (int i = 0; i < 4 + rank; ++i) sizes.push_back((7 * i + rank) % 11 * 10);
  return sizes;
}

double value_of(Index function, std::size_t i, int version) {
  return static_cast<double>(1000 * function) + static_cast<double>(i) + 0.25 * version;
}

/// What a rank wants: every function that a random number selects, some of them twice, in an order of its own.
std::vector<Index> wanted_by(int rank, Index functions) {
  std::vector<Index> wanted;
  for (Index i = 0; i < functions; ++i)
    if (random_at({rank, i}) < 0.2) wanted.push_back((i * 5 + rank) % functions);
  if (!wanted.empty()) wanted.push_back(wanted.front());
  return wanted;
}

TEST(FunctionStore, EveryRankGetsWhatItWants) {
  const Comm world = Comm::world();
  constexpr int versions = 6;  // two after each way was measured twice
  for (const FunctionAccess access : all)
    for (const Index cache_bytes : {Index{0}, Index{1200}, Index{1} << 20}) {
      FunctionStore<double> store(world, sizes_of(world.rank(), world.size()), {access, cache_bytes});
      const std::vector<Index> wanted = wanted_by(world.rank(), store.table().functions());
      for (int version = 0; version < versions; ++version) {
        store.set([&](Index f, std::span<double> values) {
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(f, i, version);
        });
        for (int repeat = 0; repeat < 2; ++repeat) {
          std::vector<Index> visited;
          store.for_each(wanted, [&](Index f, std::span<const double> values) {
            visited.push_back(f);
            ASSERT_EQ(static_cast<Index>(values.size()), store.table().size(f));
            for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], value_of(f, i, version));
          });
          EXPECT_EQ(visited, wanted);
        }
      }
      const FunctionTraffic traffic = store.traffic();
      EXPECT_LE(traffic.most_bytes, std::max<Index>(cache_bytes, 100 * 8));
      if (access != FunctionAccess::measured) {
        EXPECT_EQ(traffic.access, access);
      } else if (world.size() > 1) {
        EXPECT_EQ(traffic.access == FunctionAccess::messages, traffic.message_seconds < traffic.window_seconds);
      }
      if (cache_bytes > 100000) {  // all fit: each of another rank is fetched once after each set()
        std::vector<Index> others(wanted);
        std::erase_if(others, [&](Index f) { return store.mine().contains(f); });
        std::sort(others.begin(), others.end());
        const auto different = std::unique(others.begin(), others.end()) - others.begin();
        EXPECT_EQ(traffic.fetched, versions * different);
      }
    }
}

TEST(FunctionStore, RefusesWhatDoesNotExist) {
  const Comm world = Comm::world();
  const auto message = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const int last = world.size() - 1;
  EXPECT_THAT(message([&] {
                const std::vector<Index> sizes{world.rank() == last ? -3 : 3};
                const FunctionStore<double> store(world, sizes);
              }),
              testing::HasSubstr("of rank " + std::to_string(last) + " has -3 values"));
  FunctionStore<double> store(world, std::vector<Index>{2});
  EXPECT_THAT(message([&] {
                const std::vector<Index> wanted{world.rank() == last ? world.size() : 0};
                store.for_each(wanted, [](Index, std::span<const double>) {});
              }),
              testing::HasSubstr("is wanted by rank " + std::to_string(last)));
}

template <class T>
T entry(int matrix, Index i, Index j) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(random_at({matrix, i, j}));
  else
    return {random_at({matrix, i, j}), random_at({matrix, i, j, 1})};
}

/// A band of blocks around the diagonal and some others; edges from 1 to 4.
BlockPattern pattern_of(int seed, Index blocks, Index width) {
  BlockPattern pattern;
  for (Index i = 0; i < blocks; ++i) {
    pattern.edges.push_back(1 + i % 4);
    auto& columns = pattern.columns.emplace_back();
    for (Index j = 0; j < blocks; ++j)
      if (std::abs(i - j) <= width || random_at({seed, i, j}) > 0.8) columns.push_back(j);
  }
  return pattern;
}

template <class T>
std::vector<T> dense(const BlockPattern& pattern, int matrix) {
  std::vector<Index> begin{0};
  for (const Index edge : pattern.edges) begin.push_back(begin.back() + edge);
  const Index n = begin.back();
  std::vector<T> values(static_cast<std::size_t>(n * n), T(0));
  for (std::size_t i = 0; i < pattern.edges.size(); ++i)
    for (const Index j : pattern.columns[i])
      for (Index r = begin[i]; r < begin[i + 1]; ++r)
        for (Index c = begin[static_cast<std::size_t>(j)]; c < begin[static_cast<std::size_t>(j) + 1]; ++c)
          values[static_cast<std::size_t>(r + c * n)] = entry<T>(matrix, r, c);
  return values;
}

/// The product of two matrices, its blocks compared with the product of dense matrices.
template <class T>
void expect_product(FunctionAccess access) {
  const Comm world = Comm::world();
  constexpr Index blocks = 13;
  const BlockPattern left = pattern_of(1, blocks, 1), right = pattern_of(2, blocks, 2);
  std::vector<Index> begin{0}, rows;
  for (const Index edge : left.edges) begin.push_back(begin.back() + edge);
  const Index n = begin.back();
  for (int rank = 0; rank <= world.size(); ++rank) rows.push_back(blocks * rank * rank / (world.size() * world.size()));
  const FunctionOptions options{access, 2000};
  BlockSparse<T> a(world, left, rows, options), b(world, right, rows, options), c(world, left.times(right), rows);
  const auto fill = [&](int matrix, const std::vector<Index>& edges) {
    return [&, matrix](Index i, Index j, std::span<T> block) {
      const Index height = edges[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < block.size(); ++k)
        block[k] = entry<T>(matrix, begin[static_cast<std::size_t>(i)] + static_cast<Index>(k) % height,
                            begin[static_cast<std::size_t>(j)] + static_cast<Index>(k) / height);
    };
  };
  a.set(fill(1, left.edges));
  b.set(fill(2, right.edges));
  c.multiply(a, b);
  const std::vector<T> x = dense<T>(left, 1), y = dense<T>(right, 2);
  for (Index i = c.my_rows().begin; i < c.my_rows().end; ++i)
    for (Index j = 0; j < blocks; ++j) {
      const std::span<const T> block = c.block(i, j);
      const Index height = left.edges[static_cast<std::size_t>(i)], width = left.edges[static_cast<std::size_t>(j)];
      for (Index k = 0; k < height * width; ++k) {
        const Index r = begin[static_cast<std::size_t>(i)] + k % height;
        const Index column = begin[static_cast<std::size_t>(j)] + k / height;
        T sum(0);
        for (Index m = 0; m < n; ++m)
          sum += x[static_cast<std::size_t>(r + m * n)] * y[static_cast<std::size_t>(m + column * n)];
        const T found = block.empty() ? T(0) : block[static_cast<std::size_t>(k)];
        EXPECT_LT(std::abs(found - sum), 1e-13);
      }
    }
}

TEST(BlockSparse, ProductsEqualThoseOfDenseMatrices) {
  for (const FunctionAccess access : both) {
    expect_product<double>(access);
    expect_product<Complex>(access);
  }
}

}  // namespace
}  // namespace wavegrid::test_function_store
