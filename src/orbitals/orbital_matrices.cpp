#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/mpi/gather.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>

namespace wavegrid {

namespace {

std::vector<Index> edges_of(const OrbitalLayout& layout) {
  std::vector<Index> edges;
  for (Index a = 0; a < layout.num_atoms(); ++a) edges.push_back(layout.functions(a).size());
  return edges;
}

/// The pattern of all rows of those of this rank. Collective.
BlockPattern gathered_pattern(const Comm& comm, std::vector<Index> edges,
                              const std::vector<std::vector<Index>>& my_columns) {
  std::vector<Index> mine;
  for (const std::vector<Index>& columns : my_columns) {
    mine.push_back(std::ssize(columns));
    mine.insert(mine.end(), columns.begin(), columns.end());
  }
  const Gathered all = gather_all(comm, mine);
  BlockPattern pattern{std::move(edges), {}};
  for (auto at = all.values.begin(); at != all.values.end();) {
    const Index count = *at++;
    pattern.columns.emplace_back(at, at + count);
    at += count;
  }
  return pattern;
}

}  // namespace

std::vector<Index> block_rows(const OrbitalLayout& layout, int ranks) {
  std::vector<Index> rows{0};
  for (int rank = 0; rank < ranks; ++rank) rows.push_back(layout.atoms(rank).end);
  return rows;
}

BlockPattern pairs_with_points(const OrbitalLayout& layout) {
  BlockPattern pattern{edges_of(layout), {}};
  for (Index a = 0; a < layout.num_atoms(); ++a) pattern.columns.push_back(layout.neighbours(a));
  return pattern;
}

template <class S>
Matrix<S> whole_matrix(const BlockSparse<S>& blocks) {
  const BlockPattern& pattern = blocks.pattern();
  std::vector<Index> begins{0};
  for (const Index edge : pattern.edges) begins.push_back(begins.back() + edge);
  Matrix<S> matrix(begins.back(), begins.back());
  for (Index a = blocks.my_rows().begin; a < blocks.my_rows().end; ++a)
    for (const Index b : pattern.columns[static_cast<std::size_t>(a)]) {
      const Index first = begins[static_cast<std::size_t>(a)], rows = pattern.edges[static_cast<std::size_t>(a)];
      const std::span<const S> block = blocks.block(a, b);
      for (Index column = 0; column < pattern.edges[static_cast<std::size_t>(b)]; ++column)
        std::copy_n(block.data() + column * rows, rows, &matrix(first, begins[static_cast<std::size_t>(b)] + column));
    }
  using Real = RealOf<S>;
  blocks.comm().merge(
      std::span(reinterpret_cast<Real*>(matrix.data()), matrix.elements().size() * sizeof(S) / sizeof(Real)));
  return matrix;
}

template <class S>
BlockSparse<S> blocks_by_columns(const Comm& comm, const OrbitalLayout& layout, double least,
                                 const MatrixColumns<S>& columns) {
  const Range mine = layout.atoms(comm.rank());
  std::vector<std::vector<Index>> kept(static_cast<std::size_t>(mine.size()));  // columns of each row, rising
  std::vector<std::vector<AlignedVector<S>>> values(kept.size());
  for (Index first = 0, end = 0; first < layout.num_atoms(); first = end) {
    while (end < layout.num_atoms() &&
           layout.functions(end).end - layout.functions(first).begin <= most_functions_at_once)
      ++end;
    end = std::max(end, first + 1);
    const Index begin = layout.functions(first).begin;
    const Matrix<S> some = columns({begin, layout.functions(end - 1).end});
    for (Index a = mine.begin; a < mine.end; ++a)
      for (Index b = first; b < end; ++b) {
        const Range i = layout.functions(a), j = layout.functions(b);
        AlignedVector<S> block;
        for (Index column = j.begin - begin; column < j.end - begin; ++column)
          block.insert(block.end(), &some(i.begin, column), &some(i.begin, column) + i.size());
        double square = 0;
        for (const S& value : block) square += std::norm(value);
        if (a != b && std::sqrt(square) <= least) continue;
        const auto row = static_cast<std::size_t>(a - mine.begin);
        kept[row].push_back(b);
        values[row].push_back(std::move(block));
      }
  }
  BlockSparse<S> found(comm, gathered_pattern(comm, edges_of(layout), kept), block_rows(layout, comm.size()));
  Index last = -1;
  std::size_t next = 0;
  found.set([&](Index a, Index /*b*/, std::span<S> block) {
    if (std::exchange(last, a) != a) next = 0;
    const AlignedVector<S>& from = values[static_cast<std::size_t>(a - mine.begin)][next++];
    std::copy(from.begin(), from.end(), block.begin());
  });
  return found;
}

template <class S>
BlockSparse<S> weighted_blocks(const Comm& comm, const OrbitalLayout& layout, BlockPattern pattern, const Matrix<S>& c,
                               std::span<const double> weights) {
  const Index count = std::ssize(weights);
  BlockSparse<S> sum(comm, std::move(pattern), block_rows(layout, comm.size()));
  if (count == 0) return sum;
  Matrix<S> scaled;
  Index last = -1;
  sum.set([&](Index a, Index b, std::span<S> block) {
    const Range i = layout.functions(a), j = layout.functions(b);
    if (a != last) {
      scaled = Matrix<S>(i.size(), count);
      for (Index n = 0; n < count; ++n)
        for (Index f = 0; f < i.size(); ++f) scaled(f, n) = weights[static_cast<std::size_t>(n)] * c(i.begin + f, n);
      last = a;
    }
    lapack::gemm<S>('N', 'C', i.size(), j.size(), count, S(1), scaled.data(), i.size(), &c(j.begin, 0), c.rows(), S(0),
                    block.data(), i.size());
  });
  return sum;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                 \
  template Matrix<S> whole_matrix<S>(const BlockSparse<S>&);                                                    \
  template BlockSparse<S> weighted_blocks<S>(const Comm&, const OrbitalLayout&, BlockPattern, const Matrix<S>&, \
                                             std::span<const double>);                                          \
  template BlockSparse<S> blocks_by_columns<S>(const Comm&, const OrbitalLayout&, double, const MatrixColumns<S>&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
