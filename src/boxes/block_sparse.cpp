#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/boxes/block_sparse.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/scalar.hpp>
#include <wavegrid/mpi/gather.hpp>

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

/// Sums of values of the block rows of all ranks, in the order of the rows.
template <class T>
double sum_of_rows(const BlockSparse<T>& a, const std::function<double(Index row)>& value) {
  std::vector<double> sums(a.pattern().edges.size(), 0.0);
  for (Index i = a.my_rows().begin; i < a.my_rows().end; ++i) sums[static_cast<std::size_t>(i)] = value(i);
  a.comm().merge(std::span<double>(sums));
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

BlockPattern BlockPattern::times(const BlockPattern& other) const {
  BlockPattern product{edges, {}};
  std::vector<std::size_t> last_row(edges.size(), edges.size());  // in which a column was found
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<Index>& found = product.columns.emplace_back();
    for (const Index j : columns[i])
      for (const Index column : other.columns[static_cast<std::size_t>(j)]) {
        std::size_t& last = last_row[static_cast<std::size_t>(column)];
        if (last != i) found.push_back(column);
        last = i;
      }
    std::sort(found.begin(), found.end());
  }
  return product;
}

BlockPattern BlockPattern::united(const BlockPattern& other) const {
  BlockPattern sum{edges, {}};
  for (std::size_t i = 0; i < columns.size(); ++i)
    std::set_union(columns[i].begin(), columns[i].end(), other.columns[i].begin(), other.columns[i].end(),
                   std::back_inserter(sum.columns.emplace_back()));
  return sum;
}

Index BlockPattern::num_blocks() const {
  return std::accumulate(columns.begin(), columns.end(), Index{0},
                         [](Index sum, const std::vector<Index>& row) { return sum + std::ssize(row); });
}

template <class T>
BlockSparse<T>::BlockSparse(const Comm& comm, BlockPattern pattern, std::vector<Index> rows,
                            const FunctionOptions& options)
    : comm_(comm),
      pattern_(std::make_shared<const BlockPattern>(std::move(pattern))),
      rows_(std::move(rows)),
      options_(options) {
  comm.collectively([&] { require_fitting(comm, *pattern_, rows_); });
  first_ = my_rows().begin;
  set_offsets();
  for (Index i = first_; i < my_rows().end; ++i)
    values_.emplace_back(static_cast<std::size_t>((*offsets_)[static_cast<std::size_t>(i)].back()), T(0));
}

template <class T>
void BlockSparse<T>::set_offsets() {
  auto offsets = std::make_shared<std::vector<std::vector<Index>>>();
  for (std::size_t row = 0; row < pattern_->columns.size(); ++row) {
    std::vector<Index>& of_row = offsets->emplace_back(1, Index{0});
    for (const Index column : pattern_->columns[row])
      of_row.push_back(of_row.back() + pattern_->edges[row] * edge(column));
  }
  offsets_ = std::move(offsets);
}

template <class T>
Range BlockSparse<T>::my_rows() const {
  const auto rank = static_cast<std::size_t>(comm_.rank());
  return {rows_[rank], rows_[rank + 1]};
}

template <class T>
Index BlockSparse<T>::offset(Index row, Index column) const {
  const std::vector<Index>& all = columns(row);
  const auto found = std::lower_bound(all.begin(), all.end(), column);
  if (found == all.end() || *found != column) return -1;
  return (*offsets_)[static_cast<std::size_t>(row)][static_cast<std::size_t>(found - all.begin())];
}

template <class T>
std::vector<std::vector<Index>> BlockSparse<T>::my_rows_by_column() const {
  std::vector<std::vector<Index>> rows(pattern_->edges.size());
  for (Index row = first_; row < my_rows().end; ++row)
    for (const Index column : columns(row)) rows[static_cast<std::size_t>(column)].push_back(row);
  return rows;
}

template <class T>
std::span<const T> BlockSparse<T>::block(Index row, Index column) const {
  const Index begin = offset(row, column);
  if (begin < 0) return {};
  return std::span<const T>(row_values(row))
      .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(edge(row) * edge(column)));
}

template <class T>
std::span<T> BlockSparse<T>::block(Index row, Index column) {
  const Index begin = offset(row, column);
  if (begin < 0) return {};
  return std::span<T>(row_values(row))
      .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(edge(row) * edge(column)));
}

template <class T>
void BlockSparse<T>::set(const Fill& fill) {
  for (Index row = first_; row < my_rows().end; ++row)
    for (const Index column : columns(row))
      fill(row, column,
           std::span<T>(row_values(row))
               .subspan(static_cast<std::size_t>(offset(row, column)),
                        static_cast<std::size_t>(edge(row) * edge(column))));
}

template <class T>
Index BlockSparse<T>::multiply(const BlockSparse& a, const BlockSparse& b) {
  comm_.collectively([&] {
    for (const BlockSparse* other : {&a, &b})
      if (other->pattern_->edges != pattern_->edges || other->rows_ != rows_)
        throw bad_input("a product of block matrices whose edges or rows of the ranks differ");
  });
  std::set<Index> inner;
  std::vector<Index> sizes;
  for (Index i = first_; i < my_rows().end; ++i) {
    inner.insert(a.columns(i).begin(), a.columns(i).end());
    sizes.push_back(std::ssize(b.row_values(i)));
  }
  const std::vector<Index> wanted(inner.begin(), inner.end());
  FunctionStore<T> store(comm_, sizes, b.options_);
  store.set([&](Index j, std::span<T> to) { std::copy_n(b.row_values(j).begin(), to.size(), to.begin()); });
  std::vector<AlignedVector<T>> sums;
  for (const AlignedVector<T>& row : values_) sums.emplace_back(row.size(), T(0));
  const std::vector<std::vector<Index>> with_block = a.my_rows_by_column();
  Index products = 0;
  store.for_each(wanted, [&](Index j, std::span<const T> row_of_b) {
    const std::vector<Index>& of_b = b.columns(j);
    for (const Index i : with_block[static_cast<std::size_t>(j)]) {
      const std::span<const T> left = a.block(i, j);
      if (left.empty() || of_b.empty()) continue;
      const std::vector<Index>& mine = columns(i);
      // Blocks that follow each other in both rows are multiplied as one.
      for (std::size_t k = 0, to = 0; k < of_b.size();) {
        while (to < mine.size() && mine[to] < of_b[k]) ++to;
        if (to == mine.size()) break;
        if (mine[to] != of_b[k]) {
          ++k;
          continue;
        }
        const std::size_t first_k = k, first_to = to;
        Index width = 0;
        for (; k < of_b.size() && to < mine.size() && mine[to] == of_b[k]; ++k, ++to) width += edge(of_b[k]);
        products += static_cast<Index>(k - first_k);
        if (width == 0) continue;
        lapack::gemm<T>(
            'N', 'N', edge(i), width, edge(j), T(1), left.data(), edge(i),
            row_of_b.data() + (*b.offsets_)[static_cast<std::size_t>(j)][first_k], edge(j), T(1),
            sums[static_cast<std::size_t>(i - first_)].data() + (*offsets_)[static_cast<std::size_t>(i)][first_to],
            edge(i));
      }
    }
  });
  values_ = std::move(sums);
  return products;
}

template <class T>
void BlockSparse<T>::change_pattern(BlockPattern pattern) {
  BlockSparse other(*this);
  other.pattern_ = std::make_shared<const BlockPattern>(std::move(pattern));
  other.set_offsets();
  for (Index i = first_; i < my_rows().end; ++i) {
    AlignedVector<T> values(static_cast<std::size_t>((*other.offsets_)[static_cast<std::size_t>(i)].back()), T(0));
    for (const Index column : other.columns(i)) {
      const std::span<const T> from = block(i, column);
      std::copy(from.begin(), from.end(), values.begin() + other.offset(i, column));
    }
    other.row_values(i) = std::move(values);
  }
  *this = std::move(other);
}

template <class T>
void BlockSparse<T>::add(T factor, const BlockSparse& other) {
  if (other.pattern_ != pattern_ && other.pattern_->columns != pattern_->columns)
    change_pattern(pattern_->united(*other.pattern_));
  for (Index i = first_; i < my_rows().end; ++i)
    for (const Index column : other.columns(i)) {
      const std::span<const T> from = other.block(i, column);
      T* const to = row_values(i).data() + offset(i, column);
      for (std::size_t e = 0; e < from.size(); ++e) to[e] += factor * from[e];
    }
}

template <class T>
void BlockSparse<T>::scale(T factor) {
  for (AlignedVector<T>& row : values_)
    for (T& value : row) value *= factor;
}

template <class T>
void BlockSparse<T>::add_identity(T factor) {
  bool has_diagonal = true;
  for (Index i = 0; i < std::ssize(pattern_->edges); ++i) has_diagonal = has_diagonal && offset(i, i) >= 0;
  if (!has_diagonal) {
    BlockPattern diagonal{pattern_->edges, {}};
    for (Index i = 0; i < std::ssize(pattern_->edges); ++i) diagonal.columns.push_back({i});
    change_pattern(pattern_->united(diagonal));
  }
  for (Index i = first_; i < my_rows().end; ++i)
    for (Index e = 0; e < edge(i); ++e)
      row_values(i)[static_cast<std::size_t>(offset(i, i) + e * (edge(i) + 1))] += factor;
}

template <class T>
void BlockSparse<T>::filter(double cutoff) {
  std::vector<Index> kept;  // of each row of this rank: their number, and the columns
  for (Index i = first_; i < my_rows().end; ++i) {
    const std::size_t at = kept.size();
    kept.push_back(0);
    for (const Index column : columns(i)) {
      double square = 0;
      for (const T& value : block(i, column)) square += std::norm(value);
      if (column != i && std::sqrt(square) <= cutoff) continue;
      kept.push_back(column);
      ++kept[at];
    }
  }
  const Gathered all = gather_all(comm_, kept);
  BlockPattern pattern{pattern_->edges, {}};
  for (auto at = all.values.begin(); at != all.values.end();) {
    const Index count = *at++;
    pattern.columns.emplace_back(at, at + count);
    at += count;
  }
  if (pattern.columns != pattern_->columns) change_pattern(std::move(pattern));
}

template <class T>
BlockSparse<T> filtered_product(const BlockSparse<T>& a, const BlockSparse<T>& b, double cutoff, Index& count) {
  BlockSparse<T> c(a.comm(), a.pattern().times(b.pattern()), a.rows(), a.options());
  count += c.multiply(a, b);
  c.filter(cutoff);
  return c;
}

template <class T>
double block_trace(const BlockSparse<T>& a) {
  return sum_of_rows<T>(a, [&](Index i) {
    double sum = 0;
    const std::span<const T> block = a.block(i, i);
    const auto edge = static_cast<std::size_t>(a.pattern().edges[static_cast<std::size_t>(i)]);
    for (std::size_t e = 0; e < block.size(); e += edge + 1) sum += static_cast<double>(std::real(block[e]));
    return sum;
  });
}

template <class T>
double trace_product(const BlockSparse<T>& a, const BlockSparse<T>& b) {
  return sum_of_rows<T>(a, [&](Index i) {
    double sum = 0;
    for (const Index column : a.pattern().columns[static_cast<std::size_t>(i)]) {
      const std::span<const T> x = a.block(i, column), y = b.block(i, column);
      for (std::size_t e = 0; e < y.size(); ++e) sum += static_cast<double>(std::real(conjugate(x[e]) * y[e]));
    }
    return sum;
  });
}

template <class T>
SpectralBounds gershgorin(const BlockSparse<T>& a) {
  double bounds[2] = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (Index i = a.my_rows().begin; i < a.my_rows().end; ++i) {
    const auto edge = static_cast<std::size_t>(a.pattern().edges[static_cast<std::size_t>(i)]);
    std::vector<double> radii(edge, 0.0), centres(edge, 0.0);
    for (const Index column : a.pattern().columns[static_cast<std::size_t>(i)]) {
      const std::span<const T> block = a.block(i, column);
      for (std::size_t e = 0; e < block.size(); ++e) {
        const std::size_t row = e % edge;
        if (column == i && e / edge == row)
          centres[row] = static_cast<double>(std::real(block[e]));
        else
          radii[row] += static_cast<double>(std::abs(block[e]));
      }
    }
    for (std::size_t r = 0; r < edge; ++r) {
      bounds[0] = std::max(bounds[0], radii[r] - centres[r]);
      bounds[1] = std::max(bounds[1], radii[r] + centres[r]);
    }
  }
  a.comm().max(std::span<double>(bounds));
  return {-bounds[0], bounds[1]};
}

#define WAVEGRID_INSTANTIATE(T)                                                                              \
  template class BlockSparse<T>;                                                                             \
  template BlockSparse<T> filtered_product<T>(const BlockSparse<T>&, const BlockSparse<T>&, double, Index&); \
  template double block_trace<T>(const BlockSparse<T>&);                                                     \
  template double trace_product<T>(const BlockSparse<T>&, const BlockSparse<T>&);                            \
  template SpectralBounds gershgorin<T>(const BlockSparse<T>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
