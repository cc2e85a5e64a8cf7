#include <algorithm>
#include <complex>
#include <numeric>
#include <set>
#include <utility>

#include <wavegrid/boxes/block_transfer.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

namespace {

BlockPattern transposed(const BlockPattern& pattern) {
  BlockPattern found{pattern.edges, std::vector<std::vector<Index>>(pattern.edges.size())};
  for (std::size_t row = 0; row < pattern.columns.size(); ++row)
    for (const Index column : pattern.columns[row])
      found.columns[static_cast<std::size_t>(column)].push_back(static_cast<Index>(row));
  return found;
}

Index row_size(const BlockPattern& pattern, Index row) {
  const std::vector<Index>& columns = pattern.columns[static_cast<std::size_t>(row)];
  return pattern.edges[static_cast<std::size_t>(row)] *
         std::accumulate(columns.begin(), columns.end(), Index{0}, [&](Index sum, Index column) {
           return sum + pattern.edges[static_cast<std::size_t>(column)];
         });
}

/// Copies the blocks of a row, one after the other.
template <class T, class To>
void copy_row(const BlockSparse<T>& a, Index row, To to) {
  for (const Index column : a.pattern().columns[static_cast<std::size_t>(row)]) {
    const std::span<const T> block = a.block(row, column);
    to = std::copy(block.begin(), block.end(), to);
  }
}

/// The adjoint of a block of (columns, rows), which has (rows, columns).
template <class T>
void copy_adjoint(const T* from, Index rows, Index columns, std::span<T> to) {
  for (Index i = 0; i < columns; ++i)
    for (Index j = 0; j < rows; ++j) to[static_cast<std::size_t>(j + i * rows)] = conjugate(from[i + j * columns]);
}

}  // namespace

template <class T>
BlockSparse<T> on_every_rank(const BlockSparse<T>& a) {
  const BlockPattern& pattern = a.pattern();
  std::vector<Index> begins{0};
  for (Index row = 0; row < std::ssize(pattern.edges); ++row) begins.push_back(begins.back() + row_size(pattern, row));
  AlignedVector<T> values(static_cast<std::size_t>(begins.back()), T(0));
  for (Index row = a.my_rows().begin; row < a.my_rows().end; ++row)
    copy_row(a, row, values.begin() + begins[static_cast<std::size_t>(row)]);
  using Real = RealOf<T>;
  a.comm().merge(std::span(reinterpret_cast<Real*>(values.data()), values.size() * sizeof(T) / sizeof(Real)));
  BlockSparse<T> found(Comm::self(), pattern, {0, std::ssize(pattern.edges)}, a.options());
  const T* from = values.data();
  found.set([&](Index /*row*/, Index /*column*/, std::span<T> block) {
    std::copy_n(from, block.size(), block.begin());
    from += block.size();
  });
  return found;
}

template <class T>
BlockSparse<T> distributed(const BlockSparse<T>& whole, const Comm& comm, const std::vector<Index>& rows) {
  BlockSparse<T> found(comm, whole.pattern(), rows, whole.options());
  found.set([&](Index row, Index column, std::span<T> block) {
    std::copy_n(whole.block(row, column).begin(), block.size(), block.begin());
  });
  return found;
}

template <class T>
BlockSparse<T> adjoint(const BlockSparse<T>& a) {
  const BlockPattern& pattern = a.pattern();
  const auto edge = [&](Index i) { return pattern.edges[static_cast<std::size_t>(i)]; };
  BlockSparse<T> found(a.comm(), transposed(pattern), a.rows(), a.options());
  const auto set_from = [&](const BlockSparse<T>& whole) {
    found.set([&](Index row, Index column, std::span<T> block) {
      copy_adjoint(whole.block(column, row).data(), edge(row), edge(column), block);
    });
  };
  if (a.comm().size() == 1) {
    set_from(a);
    return found;
  }
  if (has_few_rows(std::ssize(pattern.edges), a.comm().size())) {
    set_from(on_every_rank(a));
    return found;
  }
  const Range mine = a.my_rows();
  std::set<Index> all;  // rows of A with blocks in this rank's columns
  std::vector<Index> sizes;
  for (Index i = mine.begin; i < mine.end; ++i) {
    const std::vector<Index>& columns = found.pattern().columns[static_cast<std::size_t>(i)];
    all.insert(columns.begin(), columns.end());
    sizes.push_back(row_size(pattern, i));
  }
  FunctionStore<T> store(a.comm(), sizes, a.options());
  store.set([&](Index row, std::span<T> to) { copy_row(a, row, to.begin()); });
  const std::vector<Index> wanted(all.begin(), all.end());
  std::vector<std::vector<AlignedVector<T>>> blocks(static_cast<std::size_t>(mine.size()));  // by rising column
  store.for_each(wanted, [&](Index row, std::span<const T> values) {
    const T* at = values.data();
    for (const Index column : pattern.columns[static_cast<std::size_t>(row)]) {
      const Index size = edge(row) * edge(column);
      if (mine.contains(column)) {
        AlignedVector<T>& block =
            blocks[static_cast<std::size_t>(column - mine.begin)].emplace_back(static_cast<std::size_t>(size));
        copy_adjoint(at, edge(column), edge(row), std::span<T>(block));
      }
      at += size;
    }
  });
  std::vector<std::size_t> next(blocks.size(), 0);
  found.set([&](Index row, Index /*column*/, std::span<T> block) {
    const auto place = static_cast<std::size_t>(row - mine.begin);
    const AlignedVector<T>& from = blocks[place][next[place]++];
    std::copy(from.begin(), from.end(), block.begin());
  });
  return found;
}

template <class T>
BlockSparse<T> hermitian_part(const BlockSparse<T>& a) {
  BlockSparse<T> sum(a);
  sum.add(T(1), adjoint(a));
  sum.scale(T(0.5));
  return sum;
}

template <class T>
BlockSparse<T> completed(BlockSparse<T> half) {
  half.set([](Index row, Index column, std::span<T> block) {
    if (row == column)
      for (T& value : block) value *= T(0.5);
  });
  half.add(T(1), adjoint(half));
  return half;
}

#define WAVEGRID_INSTANTIATE(T)                                                                          \
  template BlockSparse<T> on_every_rank<T>(const BlockSparse<T>&);                                       \
  template BlockSparse<T> distributed<T>(const BlockSparse<T>&, const Comm&, const std::vector<Index>&); \
  template BlockSparse<T> adjoint<T>(const BlockSparse<T>&);                                             \
  template BlockSparse<T> hermitian_part<T>(const BlockSparse<T>&);                                      \
  template BlockSparse<T> completed<T>(BlockSparse<T>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
