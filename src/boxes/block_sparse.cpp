#include <algorithm>
#include <set>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/boxes/block_sparse.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

namespace {

/// Throws bad_input for what does not fit.
void require_fitting(const Comm& comm, const BlockPattern& pattern, const std::vector<Index>& rows) {
  const auto blocks = static_cast<Index>(pattern.edges.size());
  if (pattern.columns.size() != pattern.edges.size())
    throw bad_input("a block pattern has " + std::to_string(blocks) + " edges and " +
                    std::to_string(pattern.columns.size()) + " rows; it needs as many");
  if (static_cast<int>(rows.size()) != comm.size() + 1 || rows.front() != 0 || rows.back() != blocks ||
      !std::is_sorted(rows.begin(), rows.end()))
    throw bad_input("the block rows of the ranks must rise from 0 to " + std::to_string(blocks) + " in " +
                    std::to_string(comm.size() + 1) + " numbers");
  for (std::size_t row = 0; row < pattern.columns.size(); ++row)
    for (std::size_t i = 0; i < pattern.columns[row].size(); ++i) {
      const Index column = pattern.columns[row][i];
      if (column < 0 || column >= blocks || (i > 0 && column <= pattern.columns[row][i - 1]))
        throw bad_input("block row " + std::to_string(row) + " has the column " + std::to_string(column) +
                        "; columns must rise and be from 0 to " + std::to_string(blocks - 1));
    }
}

/// The values of each block row of this rank.
std::vector<Index> row_sizes(const Comm& comm, const BlockPattern& pattern, const std::vector<Index>& rows) {
  comm.collectively([&] { require_fitting(comm, pattern, rows); });
  std::vector<Index> sizes;
  const auto rank = static_cast<std::size_t>(comm.rank());
  for (Index row = rows[rank]; row < rows[rank + 1]; ++row) {
    const auto r = static_cast<std::size_t>(row);
    Index columns = 0;
    for (const Index column : pattern.columns[r]) columns += pattern.edges[static_cast<std::size_t>(column)];
    sizes.push_back(columns * pattern.edges[r]);
  }
  return sizes;
}

}  // namespace

BlockPattern BlockPattern::times(const BlockPattern& other) const {
  BlockPattern product{edges, {}};
  for (const auto& row : columns) {
    std::set<Index> found;
    for (const Index column : row) {
      const auto& of_column = other.columns[static_cast<std::size_t>(column)];
      found.insert(of_column.begin(), of_column.end());
    }
    product.columns.emplace_back(found.begin(), found.end());
  }
  return product;
}

template <class T>
BlockSparse<T>::BlockSparse(const Comm& comm, BlockPattern pattern, std::vector<Index> rows,
                            const FunctionOptions& options)
    : comm_(comm), pattern_(std::move(pattern)), store_(comm, row_sizes(comm, pattern_, rows), options) {
  for (std::size_t row = 0; row < pattern_.columns.size(); ++row) {
    Index offset = 0;
    auto& of_row = offsets_.emplace_back();
    for (const Index column : pattern_.columns[row]) {
      of_row.push_back(offset);
      offset += pattern_.edges[row] * pattern_.edges[static_cast<std::size_t>(column)];
    }
  }
}

template <class T>
Index BlockSparse<T>::offset(Index row, Index column) const {
  const auto& columns = pattern_.columns[static_cast<std::size_t>(row)];
  const auto found = std::lower_bound(columns.begin(), columns.end(), column);
  if (found == columns.end() || *found != column) return -1;
  return offsets_[static_cast<std::size_t>(row)][static_cast<std::size_t>(found - columns.begin())];
}

template <class T>
std::span<const T> BlockSparse<T>::block(Index row, Index column) const {
  const Index begin = offset(row, column);
  if (begin < 0) return {};
  const auto size = pattern_.edges[static_cast<std::size_t>(row)] * pattern_.edges[static_cast<std::size_t>(column)];
  return store_.own(row).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
}

template <class T>
void BlockSparse<T>::set(const std::function<void(Index, Index, std::span<T>)>& fill) {
  store_.set([&](Index row, std::span<T> values) {
    for (const Index column : pattern_.columns[static_cast<std::size_t>(row)])
      fill(row, column, values.subspan(static_cast<std::size_t>(offset(row, column)), block(row, column).size()));
  });
}

template <class T>
void BlockSparse<T>::multiply(const BlockSparse& a, BlockSparse& b) {
  const std::vector<Index>& edges = pattern_.edges;
  comm_.collectively([&] {
    for (const BlockSparse* other : {&a, static_cast<const BlockSparse*>(&b)})
      if (other->pattern_.edges != edges || other->my_rows() != my_rows())
        throw bad_input("a product of block matrices whose edges or rows of the ranks differ");
  });
  const auto edge = [&](Index i) { return edges[static_cast<std::size_t>(i)]; };
  std::set<Index> inner;
  for (Index i = my_rows().begin; i < my_rows().end; ++i)
    inner.insert(a.pattern_.columns[static_cast<std::size_t>(i)].begin(),
                 a.pattern_.columns[static_cast<std::size_t>(i)].end());
  const std::vector<Index> wanted(inner.begin(), inner.end());
  std::vector<std::vector<T>> sums;
  for (Index i = my_rows().begin; i < my_rows().end; ++i) sums.emplace_back(store_.own(i).size(), T(0));
  b.store_.for_each(wanted, [&](Index j, std::span<const T> row_of_b) {
    for (Index i = my_rows().begin; i < my_rows().end; ++i) {
      const std::span<const T> left = a.block(i, j);
      if (left.empty()) continue;
      for (const Index k : b.pattern_.columns[static_cast<std::size_t>(j)]) {
        const Index to = offset(i, k);
        if (to < 0 || edge(j) == 0 || edge(k) == 0) continue;
        lapack::gemm<T>('N', 'N', edge(i), edge(k), edge(j), T(1), left.data(), edge(i),
                        row_of_b.data() + b.offset(j, k), edge(j), T(1),
                        sums[static_cast<std::size_t>(i - my_rows().begin)].data() + to, edge(i));
      }
    }
  });
  store_.set([&](Index i, std::span<T> values) {
    std::copy_n(sums[static_cast<std::size_t>(i - my_rows().begin)].begin(), values.size(), values.begin());
  });
}

#define WAVEGRID_INSTANTIATE(T) template class BlockSparse<T>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
