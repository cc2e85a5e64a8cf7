#include <algorithm>
#include <numeric>
#include <utility>

#include <wavegrid/eigen/search_space.hpp>
#include <wavegrid/linalg/band_products.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

namespace {

/// Directions that depend more strongly on others are not used (least_independent): where the residuals are
/// rounding errors, W repeats P, and without this bound the errors grow from step to step.
template <class S>
constexpr double least_share = is_single<S> ? least_independent<S> : 1e-10;

/// `m` in the upper left corner of a larger matrix of zeros.
template <class S>
Matrix<S> enlarged(const Matrix<S>& m, Index n) {
  Matrix<S> large(n, n);
  for (Index c = 0; c < m.columns(); ++c) std::copy_n(m.data() + c * m.rows(), m.rows(), large.data() + c * n);
  return large;
}

template <class S>
void put(const Matrix<S>& block, Index row, Index column, Matrix<S>& m) {
  for (Index c = 0; c < block.columns(); ++c)
    std::copy_n(block.data() + c * block.rows(), block.rows(), &m(row, column + c));
}

}  // namespace

template <class S>
void Directions<S>::keep(const std::vector<Index>& bands) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < of.size(); ++from) {
    if (!std::binary_search(bands.begin(), bands.end(), of[from])) continue;
    if (from != to)
      all.view().for_arrays([&](BandView<S> array) {
        std::copy_n(array.band(static_cast<Index>(from)), array.rows, array.band(static_cast<Index>(to)));
      });
    of[to++] = of[from];
  }
  of.resize(to);
}

template <class S>
void preconditioned_residuals(BandOperator<S>& op, const EigenState<S>& state, const LockBounds& bounds,
                              const HsView<const S>& fixed, Directions<S>& w) {
  const HsView<const S> bands = state.view();
  w.reserve(bands.rows(), bands.count(), bands.has_overlap);
  const BandView<S> r = w.all.x.view();
  residuals<S>(bands, state.values.data(), r);
  w.of.resize(static_cast<std::size_t>(bands.count()));
  std::iota(w.of.begin(), w.of.end(), Index{0});
  if (!bounds.empty()) {
    const std::vector<Index> active = unlocked(squared_norms<S>(op.product(), r), bounds);
    for (std::size_t i = 0; i < active.size(); ++i)
      if (active[i] != static_cast<Index>(i)) std::copy_n(r.band(active[i]), r.rows, r.band(static_cast<Index>(i)));
    w.of = active;
  }
  if (w.of.empty()) return;
  const HsView<S> directions = w.view();
  op.precondition(select_bands(op.preconditioner_energies(bands.x), w.of), directions.x);
  project_off<S>(op.product(), fixed.x, fixed.sx, directions.x);
  project_off<S>(op.product(), bands.x, bands.sx, directions.x);
  apply_s(op, directions);
  normalise(op.product(), directions, false);
  op.apply(directions.x, directions.hx);
}

template <class S>
SearchSpace<S>::SearchSpace(const InnerProduct& product, const HsView<const S>& x)
    : product_(product), blocks_{x}, h_(upper_overlap<S>(product, x.x, x.hx)), s_(x.count(), x.count()) {
  // In single precision X loses orthonormality, which would get worse from step to step.
  if (is_single<S>) s_ = upper_overlap<S>(product, x.x, x.sx);
  if (!is_single<S>)
    for (Index d = 0; d < x.count(); ++d) s_(d, d) = S(1);
}

template <class S>
void SearchSpace<S>::add(const HsView<const S>& v) {
  const Index column = size();
  h_ = enlarged(h_, column + v.count());
  s_ = enlarged(s_, column + v.count());
  blocks_.push_back(v);
  Index row = 0;
  for (const HsView<const S>& block : blocks_) {
    const bool diagonal = row == column;
    put(diagonal ? upper_overlap<S>(product_, v.x, v.hx) : overlap<S>(product_, block.x, v.hx), row, column, h_);
    put(diagonal ? upper_overlap<S>(product_, v.x, v.sx) : overlap<S>(product_, block.x, v.sx), row, column, s_);
    row += block.count();
  }
}

template <class S>
SubspaceSolution<S> SearchSpace<S>::solve(Index count, Index most_left_out) const& {
  return solve_subspace<S>(product_, h_, s_, count, Dependence{least_share<S>, most_left_out});
}

template <class S>
SubspaceSolution<S> SearchSpace<S>::solve(Index count, Index most_left_out) && {
  return solve_subspace<S>(product_, std::move(h_), std::move(s_), count, Dependence{least_share<S>, most_left_out});
}

template <class S>
void combine(const InnerProduct& product, const std::vector<BandView<const S>>& blocks, const Matrix<S>& c,
             BandView<S> out) {
  AlignedVector<S> part(static_cast<std::size_t>(std::min(rotated_rows, out.rows) * out.count));
  product.for_pieces(out.rows, rotated_rows, [&](Range piece) {
    const Index first = piece.begin, rows = piece.size();
    Index row = 0;
    for (const BandView<const S>& block : blocks) {
      combine_columns<S>(rows, out.count, block.count, block.data + first, block.rows, c.data() + row, c.rows(),
                         row > 0, part.data(), rows);
      row += block.count;
    }
    for (Index b = 0; b < out.count; ++b) std::copy_n(part.data() + b * rows, rows, out.band(b) + first);
  });
}

template <class S>
Matrix<S> columns_of(const Matrix<S>& m, const std::vector<Index>& columns) {
  Matrix<S> some(m.rows(), static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    std::copy_n(m.data() + columns[i] * m.rows(), m.rows(), some.data() + static_cast<Index>(i) * m.rows());
  return some;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                        \
  template struct Directions<S>;                                                                                       \
  template class SearchSpace<S>;                                                                                       \
  template void preconditioned_residuals<S>(BandOperator<S>&, const EigenState<S>&, const LockBounds&,                 \
                                            const HsView<const S>&, Directions<S>&);                                   \
  template void combine<S>(const InnerProduct&, const std::vector<BandView<const S>>&, const Matrix<S>&, BandView<S>); \
  template Matrix<S> columns_of<S>(const Matrix<S>&, const std::vector<Index>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
