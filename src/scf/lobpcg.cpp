#include "scf/lobpcg.hpp"

#include <algorithm>
#include <vector>

#include "linalg/lapack.hpp"

namespace wavegrid {

namespace {

/// P <- W c_w + P c_p and X <- X c_x + P, a few rows at a time, so that nothing but P is stored beside X and W. The
/// rows of `c` are c_x, c_w and c_p. P may be empty on the way in; only the steps of the bands in `kept` stay in `to`,
/// which may be where P was.
template <class S>
void move_along(const InnerProduct& product, BandView<S> x, BandView<const S> w, BandView<const S> p,
                const Matrix<S>& c, const std::vector<Index>& kept, S* to) {
  const Index n = x.count;
  AlignedVector<S> part(static_cast<std::size_t>(std::min(rotated_rows, x.rows) * n));
  product.for_pieces(x.rows, rotated_rows, [&](Range piece) {
    const Index first = piece.begin, rows = piece.size();
    const auto collect = [&](const S* bands, Index count, Index row, S beta) {
      lapack::gemm<S>('N', 'N', rows, n, count, S(1), bands + first, x.rows, c.data() + row, c.rows(), beta,
                      part.data(), rows);
    };
    collect(w.data, w.count, n, S(0));
    if (p.count > 0) collect(p.data, p.count, n + w.count, S(1));
    for (std::size_t i = 0; i < kept.size(); ++i)
      std::copy_n(part.data() + kept[i] * rows, rows, to + static_cast<Index>(i) * x.rows + first);
    collect(x.data, n, 0, S(1));
    for (Index b = 0; b < n; ++b) std::copy_n(part.data() + b * rows, rows, x.band(b) + first);
  });
}

}  // namespace

template <class S>
void Lobpcg<S>::restart() {
  *w_ = {};
  p_ = {};
}

/// Drops steps of bands that are locked now, and those that are no more than rounding: scaled to norm 1, they would
/// make rounding into a direction whose image under H is wrong, more so from step to step.
template <class S>
void Lobpcg<S>::sort_out_steps(const InnerProduct& product) {
  p_.keep(w_->of);
  if (!is_single<S> || p_.count() == 0) return;
  const std::vector<double> norms = squared_norms<S>(product, p_.view());
  std::vector<Index> large;
  for (std::size_t i = 0; i < norms.size(); ++i)
    if (norms[i] >= smallest_step * smallest_step) large.push_back(p_.of[i]);
  p_.keep(large);
}

template <class S>
bool Lobpcg<S>::advance(Hamiltonian<S>& h, EigenState<S>& state) {
  SearchSpace<S> space(h.product(), std::as_const(state.x).view(), std::as_const(state.hx).view());
  space.add(w_->view(), w_->images());
  sort_out_steps(h.product());
  if (p_.count() > 0) {
    normalise<S>(h.product(), p_.view(), p_.images());
    space.add(p_.view(), p_.images());
  }
  const SubspaceSolution<S> solution = std::move(space).solve(state.x.count());
  if (!solution.definite) return false;
  state.values = solution.values;
  // The new P is the part of the new X outside the old one.
  p_.reserve(state.x.rows(), state.x.count());
  move_along<S>(h.product(), state.x.view(), w_->view(), p_.view(), solution.vectors, w_->of, p_.d.view().data);
  move_along<S>(h.product(), state.hx.view(), w_->images(), p_.images(), solution.vectors, w_->of, p_.hd.view().data);
  p_.of = w_->of;
  return true;
}

template <class S>
void Lobpcg<S>::step(Hamiltonian<S>& h, EigenState<S>& state, BandView<const S> fixed, const LockBounds& bounds) {
  preconditioned_residuals<S>(h, state, bounds, fixed, *w_);
  if (w_->count() == 0) {
    p_.of.clear();
    return rayleigh_ritz(h, state);
  }
  if (advance(h, state)) return;
  // P has become dependent on X and W, as happens close to convergence: go on without it; if that is not enough, from
  // orthonormal bands.
  const bool had_steps = p_.count() > 0;
  p_.of.clear();
  if (had_steps && advance(h, state)) return;
  rayleigh_ritz(h, state);
  preconditioned_residuals<S>(h, state, bounds, fixed, *w_);
  if (w_->count() > 0 && !advance(h, state)) rayleigh_ritz(h, state);
}

template <class S>
void Lobpcg<S>::potential_changed(Hamiltonian<S>& h, std::span<const RealOf<S>> change) {
  if (p_.count() > 0) h.apply_change(change, p_.view(), p_.images());
}

template <class S>
double Lobpcg<S>::step_bytes(Index rows, Index bands) {
  // H and S of the subspace and the vectors, in double precision, beside them one block or the rotated rows.
  const Index n = 3 * bands;
  return 2 * Matrix<DoubleOf<S>>::bytes(n, n) + Matrix<DoubleOf<S>>::bytes(n, bands) +
         std::max(Matrix<S>::bytes(bands, bands), Matrix<S>::bytes(std::min(rotated_rows, rows), bands));
}

#define WAVEGRID_INSTANTIATE(S) template class Lobpcg<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
