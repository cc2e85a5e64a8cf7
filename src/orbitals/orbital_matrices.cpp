#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>

namespace wavegrid {

namespace {

std::vector<Index> edges_of(const OrbitalLayout& layout) {
  std::vector<Index> edges;
  for (Index a = 0; a < layout.num_atoms(); ++a) edges.push_back(layout.functions(a).size());
  return edges;
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

BlockPattern all_pairs(const OrbitalLayout& layout) {
  std::vector<Index> all;
  for (Index a = 0; a < layout.num_atoms(); ++a) all.push_back(a);
  return {edges_of(layout), std::vector<std::vector<Index>>(all.size(), all)};
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
BlockSparse<S> blocks_of(const Comm& comm, const OrbitalLayout& layout, BlockPattern pattern, const Matrix<S>& whole) {
  BlockSparse<S> blocks(comm, std::move(pattern), block_rows(layout, comm.size()));
  blocks.set([&](Index a, Index b, std::span<S> block) {
    const Range i = layout.functions(a), j = layout.functions(b);
    for (Index column = 0; column < j.size(); ++column)
      std::copy_n(&whole(i.begin, j.begin + column), i.size(), block.data() + column * i.size());
  });
  return blocks;
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
  template BlockSparse<S> blocks_of<S>(const Comm&, const OrbitalLayout&, BlockPattern, const Matrix<S>&);      \
  template BlockSparse<S> weighted_blocks<S>(const Comm&, const OrbitalLayout&, BlockPattern, const Matrix<S>&, \
                                             std::span<const double>);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
