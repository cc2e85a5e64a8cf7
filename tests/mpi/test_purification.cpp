// Purification of block-sparse matrices: against eigenvalues, on one and more ranks, by both ways of access.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/boxes/block_transfer.hpp>
#include <wavegrid/boxes/gap_edges.hpp>
#include <wavegrid/boxes/purification.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid::test_purification {
namespace {

using Complex = std::complex<double>;
constexpr Index blocks = 12, states = 10;

Index edge(Index block) { return 1 + block % 3; }
Index begin(Index block) { return block / 3 * 6 + (block % 3 == 0 ? 0 : block % 3 == 1 ? 1 : 3); }
constexpr Index rows = 24;

template <class T>
T scalar(double re, [[maybe_unused]] double im) {
  if constexpr (ScalarTraits<T>::is_real)
    return re;
  else
    return T(re, im);
}

/// A chain whose rows have the levels -1 and 1 and couplings that fall with the distance; `shift` is on the diagonal.
template <class T>
std::vector<T> chain(double shift, double gap, double coupling, int seed) {
  std::vector<T> a(static_cast<std::size_t>(rows * rows));
  for (Index i = 0; i < rows; ++i)
    for (Index j = i; j < rows; ++j) {
      const double size = coupling * std::exp(-1.5 * static_cast<double>(j - i));
      const T value = i == j ? T(shift + (i % 12 < 5 ? -gap : gap))
                             : scalar<T>(size * random_at({seed, i, j}), size * random_at({seed + 1, i, j}));
      a[static_cast<std::size_t>(i + j * rows)] = value;
      a[static_cast<std::size_t>(j + i * rows)] = conjugate(value);
    }
  return a;
}

template <class T>
BlockSparse<T> distributed(const Comm& comm, const std::vector<T>& a, FunctionAccess access) {
  BlockPattern pattern;
  std::vector<Index> all, ranks;
  for (Index i = 0; i < blocks; ++i) {
    pattern.edges.push_back(edge(i));
    all.push_back(i);
  }
  pattern.columns.assign(static_cast<std::size_t>(blocks), all);
  for (int rank = 0; rank <= comm.size(); ++rank) ranks.push_back(blocks * rank / comm.size());
  BlockSparse<T> found(comm, pattern, ranks, {access, 2000});
  found.set([&](Index i, Index j, std::span<T> block) {
    for (std::size_t e = 0; e < block.size(); ++e)
      block[e] = a[static_cast<std::size_t>(begin(i) + static_cast<Index>(e) % edge(i) +
                                            (begin(j) + static_cast<Index>(e) / edge(i)) * rows)];
  });
  return found;
}

template <class T>
BlockSparse<T> product_of(const BlockSparse<T>& a, const BlockSparse<T>& b) {
  Index count = 0;
  return filtered_product(a, b, 0, count);
}

template <class T>
std::vector<double> levels(std::vector<T> a) {
  std::vector<double> values(static_cast<std::size_t>(rows));
  std::vector<T> vectors(a.size());
  lapack::eigen<T>(rows, a.data(), rows, rows, values.data(), vectors.data(), rows);
  return values;
}

template <class T>
void expect_projector(FunctionAccess access) {
  const Comm world = Comm::world();
  const std::vector<T> h = chain<T>(0.2, 1, 0.3, 1);
  const std::vector<double> e = levels(h);
  const Purified<T> exact = purify(distributed<T>(world, h, access), states, 0);
  ASSERT_TRUE(exact.converged);
  EXPECT_LT(exact.idempotency, 1e-12);
  EXPECT_NEAR(block_trace(exact.p), static_cast<double>(states), 1e-11);
  double sum = 0;
  for (Index n = 0; n < states; ++n) sum += e[static_cast<std::size_t>(n)];
  EXPECT_NEAR(trace_product(exact.p, distributed<T>(world, h, access)), sum, 1e-11);
  // The levels next to the gap are inside of these bounds, which are close.
  EXPECT_LE(e[states - 1], exact.highest_occupied + 1e-9);
  EXPECT_GE(e[states], exact.lowest_empty - 1e-9);
  EXPECT_GT(exact.lowest_empty - exact.highest_occupied, 0.7 * (e[states] - e[states - 1]));
  // The same bits on one rank; fewer blocks and a small error with a cutoff.
  const Purified<T> alone = purify(distributed<T>(Comm::self(), h, access), states, 0);
  for (Index i = exact.p.my_rows().begin; i < exact.p.my_rows().end; ++i)
    for (Index j = 0; j < blocks; ++j)
      EXPECT_TRUE(std::ranges::equal(exact.p.block(i, j), alone.p.block(i, j))) << i << " " << j;
  const Purified<T> cut = purify(distributed<T>(world, h, access), states, 1e-5);
  ASSERT_TRUE(cut.converged);
  EXPECT_LT(cut.p.pattern().num_blocks(), exact.p.pattern().num_blocks());
  EXPECT_NEAR(trace_product(cut.p, distributed<T>(world, h, access)), sum, 1e-4);
}

TEST(Purification, GivesTheLowestStates) {
  for (const FunctionAccess access : {FunctionAccess::window, FunctionAccess::messages}) {
    expect_projector<double>(access);
    expect_projector<Complex>(access);
  }
}

TEST(Purification, FindsNoGapWhereThereIsNone) {
  std::vector<double> h(static_cast<std::size_t>(rows * rows), 0.0);
  for (Index i = 0; i < rows; ++i)
    h[static_cast<std::size_t>(i * (rows + 1))] = i < states - 1 ? -1 : i < states + 1 ? 0 : 1;
  EXPECT_FALSE(purify(distributed<double>(Comm::world(), h, FunctionAccess::window), states, 0).converged);
}

TEST(InverseRoot, OfPositiveMatricesOnly) {
  const Comm world = Comm::world();
  const auto s = distributed<Complex>(world, chain<Complex>(1.2, 0.9, 0.2, 3), FunctionAccess::window);
  const InverseRoot<Complex> root = inverse_square_root(s, 0);
  ASSERT_TRUE(root.converged);
  BlockSparse<Complex> one = product_of(product_of(root.z, s), root.z);
  one.add_identity(-1);
  EXPECT_LT(std::sqrt(trace_product(one, one)), 1e-11);
  const auto indefinite = distributed<double>(world, chain<double>(0.5, 1, 0.1, 3), FunctionAccess::window);
  EXPECT_FALSE(inverse_square_root(indefinite, 0).converged);
}

template <class T>
std::vector<T> dense(const BlockSparse<T>& blocks_of_ranks) {
  const BlockSparse<T> all = on_every_rank(blocks_of_ranks);
  std::vector<T> a(static_cast<std::size_t>(rows * rows));
  for (Index i = 0; i < blocks; ++i)
    for (Index j = 0; j < blocks; ++j) {
      const std::span<const T> block = all.block(i, j);
      for (Index e = 0; e < std::ssize(block); ++e)
        a[static_cast<std::size_t>(begin(i) + e % edge(i) + (begin(j) + e / edge(i)) * rows)] =
            block[static_cast<std::size_t>(e)];
    }
  return a;
}

/// The levels next to the gap, and none where all functions are full.
template <class T>
void expect_edges() {
  const Comm world = Comm::world();
  const BlockSparse<T> h = distributed<T>(world, chain<T>(0.2, 1, 0.3, 1), FunctionAccess::window),
                       s = distributed<T>(world, chain<T>(1.2, 0.2, 0.1, 3), FunctionAccess::window);
  const BlockSparse<T> z = inverse_square_root(s, 0).z, orthonormal = product_of(product_of(z, h), z);
  const std::vector<double> e = levels(dense(orthonormal));
  const GapEdges found = gap_edges(h, s, product_of(product_of(z, purify(orthonormal, states, 0).p), z), z);
  EXPECT_NEAR(found.highest_occupied, e[states - 1], 1e-8);
  EXPECT_NEAR(found.lowest_empty, e[states], 1e-8);
  const GapEdges full = gap_edges(h, s, product_of(z, z), z);
  EXPECT_NEAR(full.highest_occupied, e.back(), 1e-8);
  EXPECT_EQ(full.lowest_empty, std::numeric_limits<double>::infinity());
}

TEST(GapEdges, AreTheLevelsNextToTheGap) {
  expect_edges<double>();
  expect_edges<Complex>();
}

/// Blocks next to the diagonal and two to the right of it, of numbers that are no symmetric matrix.
template <class T>
BlockSparse<T> unsymmetric(const Comm& comm, Index size) {
  BlockPattern pattern;
  std::vector<Index> ranks;
  for (Index i = 0; i < size; ++i) {
    pattern.edges.push_back(edge(i));
    std::vector<Index>& columns = pattern.columns.emplace_back();
    for (const Index j : {i - 1, i, i + 2})
      if (j >= 0 && j < size) columns.push_back(j);
  }
  for (int rank = 0; rank <= comm.size(); ++rank) ranks.push_back(size * rank / comm.size());
  BlockSparse<T> found(comm, pattern, ranks);
  found.set([&](Index i, Index j, std::span<T> block) {
    for (std::size_t e = 0; e < block.size(); ++e) {
      const auto at = static_cast<Index>(e);
      block[e] = scalar<T>(random_at({i, j, at}), random_at({i, j, at, 1}));
    }
  });
  return found;
}

template <class T>
void expect_adjoint(Index size) {  // few rows of a rank, which then has all of them, or many
  const BlockSparse<T> a = unsymmetric<T>(Comm::world(), size), whole = unsymmetric<T>(Comm::self(), size);
  const BlockSparse<T> b = adjoint(a), h = completed(a), every = on_every_rank(a);
  const BlockSparse<T> back = distributed(every, a.comm(), a.rows());
  for (Index i = a.my_rows().begin; i < a.my_rows().end; ++i)
    for (Index j = 0; j < size; ++j) {
      const std::span<const T> block = b.block(i, j), sum = h.block(i, j);
      const std::span<const T> from = whole.block(j, i), own = whole.block(i, j);
      ASSERT_EQ(block.size(), from.size()) << i << " " << j;
      EXPECT_TRUE(std::ranges::equal(back.block(i, j), own));
      EXPECT_TRUE(std::ranges::equal(every.block(j, i), from));
      for (Index e = 0; e < std::ssize(sum); ++e) {
        const auto there = static_cast<std::size_t>(e / edge(i) + e % edge(i) * edge(j)),
                   here = static_cast<std::size_t>(e);
        const T transposed = from.empty() ? T(0) : conjugate(from[there]);
        if (!from.empty()) {
          EXPECT_EQ(block[here], transposed);
        }
        const T value = own.empty() ? T(0) : own[here];
        EXPECT_EQ(sum[here], i == j ? T(0.5) * value + T(0.5) * transposed : value + transposed);
      }
    }
}

TEST(BlockTransfer, GivesAdjoints) {
  for (const Index size : {7, 40}) {
    expect_adjoint<double>(size);
    expect_adjoint<Complex>(size);
  }
}

}  // namespace
}  // namespace wavegrid::test_purification
