#include <algorithm>
#include <cmath>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/eigen_state.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid {

namespace {

template <class S>
void rotate_state(const InnerProduct& product, EigenState<S>& state, std::vector<double> values,
                  const Matrix<S>& vectors) {
  state.values = std::move(values);
  state.view().for_arrays([&](BandView<S> bands) { rotate_in_place<S>(product, bands, vectors); });
}

template <class S>
SubspaceSolution<S> subspace_of(const InnerProduct& product, const EigenState<S>& state) {
  const HsView<const S> bands = state.view();
  return solve_subspace<S>(product, upper_overlap<S>(product, bands.x, bands.hx),
                           upper_overlap<S>(product, bands.x, bands.sx), bands.count());
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Calls use(residuals) for blocks of bands, in their order.
template <class S, class Use>
void for_blocks_of_residuals(const BandOperator<S>& op, const EigenState<S>& state, Use use) {
  const auto guard = op.time(Phase::linear_algebra);
  constexpr Index block = 32;
  const Index bands = state.x.count();
  Bands<S> r(state.x.rows(), std::min(block, bands));
  for (Index first = 0; first < bands; first += block) {
    const Index count = std::min(block, bands - first);
    residuals<S>(state.view().slice(first, count), state.values.data() + first, r.view().slice(0, count));
    use(std::as_const(r).view().slice(0, count));
  }
}

}  // namespace

template <class S>
void HsBands<S>::reshape(Index rows, Index count, bool with_overlap) {
  x.reshape(rows, count);
  hx.reshape(rows, count);
  has_overlap = with_overlap;
  if (with_overlap) sx.reshape(rows, count);
}

template <class S>
void apply_s(BandOperator<S>& op, const HsView<S>& bands) {
  if (bands.has_overlap) op.apply_overlap(bands.x, bands.sx);
}

template <class S>
void apply_h_and_s(BandOperator<S>& op, const HsView<S>& bands) {
  if (bands.has_overlap)
    op.apply_with_overlap(bands.x, bands.hx, bands.sx);
  else
    op.apply(bands.x, bands.hx);
}

template <class S>
void rayleigh_ritz(BandOperator<S>& op, EigenState<S>& state) {
  const InnerProduct& product = op.product();
  SubspaceSolution<S> solution = subspace_of(product, state);
  if (solution.definite) return rotate_state(product, state, std::move(solution.values), solution.vectors);
  if constexpr (is_single<S>) {
    // Solve again in double precision; a second rotation corrects deviations from orthonormality that rounding leaves
    // after so large a change.
    using D = DoubleOf<S>;
    const HsView<const S> bands = std::as_const(state).view();
    SubspaceSolution<D> exact = solve_subspace<D>(product, overlap_in_double<S>(product, bands.x, bands.hx),
                                                  overlap_in_double<S>(product, bands.x, bands.sx), bands.count());
    if (!exact.definite) throw internal_error("the bands have become linearly dependent");
    rotate_state(product, state, std::move(exact.values), converted<S>(std::move(exact.vectors)));
    solution = subspace_of(product, state);
    if (solution.definite) return rotate_state(product, state, std::move(solution.values), solution.vectors);
  }
  throw internal_error("the bands have become linearly dependent");
}

template <class S>
void residuals(const HsView<const S>& bands, const double* values, BandView<S> out) {
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < bands.count(); ++b) {
    const S* const sb = bands.sx.band(b);
    const S* const hb = bands.hx.band(b);
    S* const r = out.band(b);
    const auto value = static_cast<RealOf<S>>(values[b]);
    for (Index i = 0; i < bands.rows(); ++i) r[i] = hb[i] - value * sb[i];
  }
}

template <class S>
std::vector<double> squared_residuals(BandOperator<S>& op, const EigenState<S>& state) {
  std::vector<double> all;
  for_blocks_of_residuals(op, state, [&](BandView<const S> r) { append(all, squared_norms<S>(op.product(), r)); });
  return all;
}

template <class S>
Residuals compute_residuals(BandOperator<S>& op, const EigenState<S>& state) {
  Residuals all{{}, {}, op.min_gap()};
  for_blocks_of_residuals(op, state, [&](BandView<const S> r) {
    const std::vector<double> squares = squared_norms<S>(op.product(), r);
    append(all.squares, squares);
    append(all.value_errors, op.value_errors(r, squares));
  });
  return all;
}

template <class S>
void copy_bands(const HsView<const S>& from, const HsView<S>& to) {
  const Index size = from.rows() * from.count();
  std::copy_n(from.x.data, size, to.x.data);
  std::copy_n(from.hx.data, size, to.hx.data);
  if (from.has_overlap) std::copy_n(from.sx.data, size, to.sx.data);
}

template <class S>
void normalise(const InnerProduct& product, const HsView<S>& bands, bool with_hx) {
  const std::vector<double> norms = diagonal_overlaps<S>(product, bands.x, bands.sx);
  divide_by_norms<S>(norms, bands.x);
  if (with_hx) divide_by_norms<S>(norms, bands.hx);
  if (bands.has_overlap) divide_by_norms<S>(norms, bands.sx);
}

template <class S>
std::vector<double> overlap_norms(BandOperator<S>& op, BandView<const S> bands) {
  if (!op.has_overlap()) return squared_norms<S>(op.product(), bands);
  Bands<S> sx(bands.rows, bands.count);
  op.apply_overlap(bands, sx.view());
  return diagonal_overlaps<S>(op.product(), bands, std::as_const(sx).view());
}

template <class S>
void normalise(BandOperator<S>& op, BandView<S> bands) {
  divide_by_norms<S>(overlap_norms<S>(op, bands), bands);
}

std::vector<double> select_bands(const std::vector<double>& all, std::span<const Index> bands) {
  std::vector<double> some;
  for (const Index b : bands) some.push_back(all[static_cast<std::size_t>(b)]);
  return some;
}

#define WAVEGRID_INSTANTIATE(S)                                                              \
  template struct HsBands<S>;                                                                \
  template void apply_s<S>(BandOperator<S>&, const HsView<S>&);                              \
  template void apply_h_and_s<S>(BandOperator<S>&, const HsView<S>&);                        \
  template void rayleigh_ritz<S>(BandOperator<S>&, EigenState<S>&);                          \
  template void residuals<S>(const HsView<const S>&, const double*, BandView<S>);            \
  template std::vector<double> squared_residuals<S>(BandOperator<S>&, const EigenState<S>&); \
  template Residuals compute_residuals<S>(BandOperator<S>&, const EigenState<S>&);           \
  template void copy_bands<S>(const HsView<const S>&, const HsView<S>&);                     \
  template void normalise<S>(const InnerProduct&, const HsView<S>&, bool);                   \
  template std::vector<double> overlap_norms<S>(BandOperator<S>&, BandView<const S>);        \
  template void normalise<S>(BandOperator<S>&, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
