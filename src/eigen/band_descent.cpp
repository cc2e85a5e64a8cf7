#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/band_descent.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid {

namespace {

/// Units of energy, of preconditioners. All bands move by the same length: with the scale of its large kinetic energy a
/// d band would hardly move along the low waves (ZnO: 31 steps instead of 39, water 10 instead of 13).
constexpr double highest_scale = 1.0;

template <class S>
double dot(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  const std::vector<double> band_overlaps = diagonal_overlaps<S>(product, a, b);
  return std::accumulate(band_overlaps.begin(), band_overlaps.end(), 0.0);
}

/// s^(-1/2) of an overlap matrix (upper triangle), with the same bits on all ranks. Loewdin's orthonormalisation
/// changes the bands least, so that directions still belong to them.
template <class S>
Matrix<S> inverse_root(const InnerProduct& product, Matrix<S> s) {
  const Index n = s.rows();
  Matrix<S> unity(n, n);
  for (Index i = 0; i < n; ++i) unity(i, i) = S(1);
  const SubspaceSolution<S> of = solve_subspace<S>(product, std::move(s), std::move(unity), n);
  Matrix<S> scaled(of.vectors), root(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      scaled(i, j) /= static_cast<RealOf<S>>(std::sqrt(of.values[static_cast<std::size_t>(j)]));
  lapack::gemm<S>('N', 'C', n, n, n, S(1), scaled.data(), n, of.vectors.data(), n, S(0), root.data(), n);
  return root;
}

template <class S>
void copy(BandView<const S> from, BandView<S> to) {
  std::copy_n(from.data, from.rows * from.count, to.data);
}

}  // namespace

template <class S>
void BandDescent<S>::begin(const EigenState<S>& state, Index occupied) {
  occupied_ = occupied;
  has_last_ = false;
  for (Bands<S>* array : {&x_, &w_, &last_w_, &d_}) array->reshape(state.x.rows(), occupied);
}

template <class S>
void BandDescent<S>::follow(const BandOperator<S>& op, const EigenState<S>& state, const Matrix<S>& rotation,
                            BandView<S> bands) {
  const HsView<const S> x = state.view().slice(0, occupied_);
  rotate_in_place<S>(op.product(), bands, rotation);
  project_off<S>(op.product(), x.x, x.sx, bands);
}

template <class S>
void BandDescent<S>::accept_step(BandOperator<S>& op, EigenState<S>& state) {
  if (occupied_ == 0) return;
  const auto guard = op.time(Phase::linear_algebra);
  const InnerProduct& product = op.product();
  const HsView<S> x = state.view().slice(0, occupied_);
  apply_h_and_s<S>(op, x);
  const SubspaceSolution<S> ritz =
      solve_subspace<S>(product, upper_overlap<S>(product, x.x, x.hx), upper_overlap<S>(product, x.x, x.sx), occupied_);
  if (!ritz.definite) throw internal_error("the bands have become linearly dependent");
  x.for_arrays([&](BandView<S> bands) { rotate_in_place<S>(product, bands, ritz.vectors); });
  std::copy(ritz.values.begin(), ritz.values.end(), state.values.begin());
  copy<S>(x.x, x_.view());
  if (!has_last_) return;
  std::swap(w_, last_w_);
  follow(op, state, ritz.vectors, last_w_.view());
  follow(op, state, ritz.vectors, d_.view());
}

template <class S>
double BandDescent<S>::update_gradient(BandOperator<S>& op, const EigenState<S>& state) {
  if (occupied_ == 0) return 0;
  const auto guard = op.time(Phase::linear_algebra);
  const HsView<const S> x = state.view().slice(0, occupied_);
  const BandView<S> w = w_.view();
  residuals<S>(x, state.values.data(), w);
  std::vector<double> energies = op.preconditioner_energies(x.x);
  for (double& energy : energies) energy = std::min(energy, highest_scale * op.energy_unit());
  op.precondition(energies, w);
  project_off<S>(op.product(), x.x, x.sx, w);
  return dot<S>(op.product(), x.hx, std::as_const(w_).view());
}

template <class S>
double BandDescent<S>::product_with_last(const BandOperator<S>& op, const EigenState<S>& state) const {
  if (occupied_ == 0 || !has_last_) return 0;
  const auto guard = op.time(Phase::linear_algebra);
  return dot<S>(op.product(), state.view().slice(0, occupied_).hx, last_w_.view());
}

template <class S>
double BandDescent<S>::update_direction(const BandOperator<S>& op, const EigenState<S>& state, double beta) {
  if (occupied_ == 0) return 0;
  const auto guard = op.time(Phase::linear_algebra);
  const S* const w = w_.view().data;
  S* const d = d_.view().data;
  const auto factor = static_cast<RealOf<S>>(beta);
  const bool keeps = has_last_ && beta != 0;
#pragma omp parallel for simd schedule(static)
  for (Index i = 0; i < d_.rows() * occupied_; ++i) d[i] = (keeps ? factor * d[i] : S(0)) - w[i];
  has_last_ = true;
  return dot<S>(op.product(), state.view().slice(0, occupied_).hx, std::as_const(d_).view());
}

template <class S>
void BandDescent<S>::move(BandOperator<S>& op, EigenState<S>& state, double length) {
  if (occupied_ == 0) return;
  const auto guard = op.time(Phase::linear_algebra);
  const HsView<S> x = state.view().slice(0, occupied_);
  copy<S>(std::as_const(x_).view(), x.x);
  const std::vector<S> lengths(static_cast<std::size_t>(occupied_), S(static_cast<RealOf<S>>(length)));
  add_scaled<S>(std::as_const(d_).view(), lengths.data(), x.x);
  apply_s<S>(op, x);
  const Matrix<S> unit_overlap = inverse_root<S>(op.product(), upper_overlap<S>(op.product(), x.x, x.sx));
  rotate_in_place<S>(op.product(), x.x, unit_overlap);
  if (x.has_overlap) rotate_in_place<S>(op.product(), x.sx, unit_overlap);
}

#define WAVEGRID_INSTANTIATE(S) template class BandDescent<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
