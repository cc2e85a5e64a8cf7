#include <algorithm>
#include <vector>

#include <wavegrid/eigen/lobpcg.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/linalg/band_products.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

namespace {

/// Of so many directions one may be left out because it depends on others. With any number of them single precision
/// did not converge on small cells: a space of which much is left out has rounding errors that grow from step to step.
constexpr Index most_left_out = 20;

/// P <- W c_w + P c_p and X <- X c_x + P, a few rows at a time, so that only P is stored in addition to X and W. The
/// rows of `c` are c_x, c_w and c_p. The input P may be empty; the new steps of the bands in `kept` are written to
/// `to`, which may be the memory of P.
template <class S>
void take_step(const InnerProduct& product, BandView<S> x, BandView<const S> w, BandView<const S> p, const Matrix<S>& c,
               const std::vector<Index>& kept, S* to) {
  const Index n = x.count;
  AlignedVector<S> part(static_cast<std::size_t>(std::min(rotated_rows, x.rows) * n));
  product.for_pieces(x.rows, rotated_rows, [&](Range piece) {
    const Index first = piece.begin, rows = piece.size();
    const auto collect = [&](const S* bands, Index count, Index row, bool add) {
      combine_columns<S>(rows, n, count, bands + first, x.rows, c.data() + row, c.rows(), add, part.data(), rows);
    };
    collect(w.data, w.count, n, false);
    if (p.count > 0) collect(p.data, p.count, n + w.count, true);
    for (std::size_t i = 0; i < kept.size(); ++i)
      std::copy_n(part.data() + kept[i] * rows, rows, to + static_cast<Index>(i) * x.rows + first);
    collect(x.data, n, 0, true);
    for (Index b = 0; b < n; ++b) std::copy_n(part.data() + b * rows, rows, x.band(b) + first);
  });
}

}  // namespace

template <class S>
void Lobpcg<S>::restart() {
  *w_ = {};
  p_ = {};
}

/// Drops steps of bands that are locked now, and those near rounding level: they are rounding errors of the
/// combinations of all bands, nearly the same for every band, and scaled to norm 1 these errors would grow from step to
/// step.
template <class S>
void Lobpcg<S>::drop_useless_steps(const InnerProduct& product, const std::vector<Index>& active) {
  p_.keep(active);
  if (p_.count() == 0) return;
  const std::vector<double> norms = diagonal_overlaps<S>(product, p_.view().x, p_.view().sx);
  std::vector<Index> large;
  for (std::size_t i = 0; i < norms.size(); ++i)
    if (norms[i] >= smallest_step * smallest_step) large.push_back(p_.of[i]);
  p_.keep(large);
}

template <class S>
bool Lobpcg<S>::advance(BandOperator<S>& op, EigenState<S>& state, const std::vector<Index>& active) {
  const InnerProduct& product = op.product();
  SearchSpace<S> space(product, std::as_const(state).view());
  space.add(w_->view());
  drop_useless_steps(product, active);
  if (p_.count() > 0) {
    normalise(product, p_.view(), true);
    space.add(p_.view());
  }
  const Index few = space.size() / most_left_out;
  const SubspaceSolution<S> solution = std::move(space).solve(state.x.count(), few);
  if (!solution.definite) return false;
  state.values = solution.values;
  // The new P is the part of the new X outside the old one.
  p_.reserve(state.x.rows(), state.x.count(), state.has_overlap);
  const HsView<S> x = state.view(), w = w_->view(), p = p_.view(), to = p_.all.view();
  take_step<S>(product, x.x, w.x, p.x, solution.vectors, active, to.x.data);
  take_step<S>(product, x.hx, w.hx, p.hx, solution.vectors, active, to.hx.data);
  if (x.has_overlap) take_step<S>(product, x.sx, w.sx, p.sx, solution.vectors, active, to.sx.data);
  p_.of = active;
  return true;
}

template <class S>
void Lobpcg<S>::step(BandOperator<S>& op, EigenState<S>& state, const HsView<const S>& fixed,
                     const LockBounds& bounds) {
  preconditioned_residuals<S>(op, state, bounds, fixed, *w_);
  if (w_->count() == 0) {
    p_.of.clear();
    return rayleigh_ritz(op, state);
  }
  if (advance(op, state, w_->of)) return;
  // P has become linearly dependent on X and W, as happens close to convergence: continue without it; if that is not
  // enough, from orthonormal bands.
  const bool had_steps = p_.count() > 0;
  p_.of.clear();
  if (had_steps && advance(op, state, w_->of)) return;
  rayleigh_ritz(op, state);
  preconditioned_residuals<S>(op, state, bounds, fixed, *w_);
  if (w_->count() == 0 || advance(op, state, w_->of)) return;
  // Residuals in nearly the same direction make W itself dependent: keep only its independent directions.
  const std::vector<Index> active = w_->of;
  w_->of.resize(static_cast<std::size_t>(orthonormalise(op.product(), w_->view())));
  if (!advance(op, state, active)) rayleigh_ritz(op, state);
}

template <class S>
void Lobpcg<S>::potential_changed(BandOperator<S>& op, std::span<const RealOf<S>> change) {
  if (p_.count() > 0) op.apply_change(change, p_.view().x, p_.view().hx);
}

template <class S>
double Lobpcg<S>::step_bytes(Index rows, Index bands) {
  // H and S of the subspace and the vectors, in double precision; in addition, one block or the rotated rows.
  const Index n = 3 * bands;
  return 2 * Matrix<DoubleOf<S>>::bytes(n, n) + Matrix<DoubleOf<S>>::bytes(n, bands) + lapack::eigen_bytes(n) +
         std::max(Matrix<S>::bytes(bands, bands), Matrix<S>::bytes(std::min(rotated_rows, rows), bands));
}

#define WAVEGRID_INSTANTIATE(S) template class Lobpcg<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
