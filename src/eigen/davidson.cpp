#include <algorithm>
#include <utility>
#include <vector>

#include <wavegrid/eigen/davidson.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

namespace {

/// The columns of `c` times the values of the bands `of`.
template <class S>
Matrix<S> scaled_columns(Matrix<S> c, const std::vector<double>& values, const std::vector<Index>& of) {
  for (Index j = 0; j < c.columns(); ++j)
    for (Index i = 0; i < c.rows(); ++i)
      c(i, j) *= static_cast<RealOf<S>>(values[static_cast<std::size_t>(of[static_cast<std::size_t>(j)])]);
  return c;
}

}  // namespace

template <class S>
void Davidson<S>::next_directions(BandOperator<S>& op, const EigenState<S>& state, const SubspaceSolution<S>& ritz,
                                  int filled) {
  Directions<S>& next = w_[static_cast<std::size_t>(filled)];
  next.reserve(state.x.rows(), state.x.count(), state.has_overlap);
  next.of = w_.front().of;
  const HsView<const S> x = state.view();
  std::vector<BandView<const S>> sv{x.sx}, hv{x.hx};
  for (auto block = w_.begin(); block != w_.begin() + filled; ++block) {
    sv.push_back(block->view().sx);
    hv.push_back(block->view().hx);
  }
  // R = H V c - S V c theta; the second term is stored temporarily in the memory of HX.
  const HsView<S> w = next.view();
  const Matrix<S> c = columns_of(ritz.vectors, next.of);
  combine<S>(op.product(), hv, c, w.x);
  combine<S>(op.product(), sv, scaled_columns(c, ritz.values, next.of), w.hx);
  const std::vector<S> minus(next.of.size(), S(-1));
  add_scaled<S>(w.hx, minus.data(), w.x);

  op.precondition(select_bands(op.preconditioner_energies(x.x), next.of), w.x);
  project_off<S>(op.product(), x.x, x.sx, w.x);
  apply_s(op, w);
  normalise(op.product(), w, false);
  op.apply(w.x, w.hx);
}

template <class S>
void Davidson<S>::round(BandOperator<S>& op, EigenState<S>& state, int blocks, const LockBounds& bounds) {
  preconditioned_residuals<S>(op, state, bounds, {}, w_.front());
  if (w_.front().count() == 0) return rayleigh_ritz(op, state);
  const Index n = state.x.count();
  const HsView<S> x = state.view();
  SearchSpace<S> space(op.product(), x);
  std::vector<HsView<const S>> v{x};
  SubspaceSolution<S> best{false, {}, {}};
  for (int b = 0; b < blocks; ++b) {
    if (b > 0) next_directions(op, state, best, b);
    const HsView<const S> w = w_[static_cast<std::size_t>(b)].view();
    space.add(w);
    SubspaceSolution<S> solution = b + 1 == blocks ? std::move(space).solve(n) : std::as_const(space).solve(n);
    // Directions that depend linearly on earlier ones add nothing: the solution so far is the best.
    if (!solution.definite) break;
    best = std::move(solution);
    v.push_back(w);
  }
  if (!best.definite) return rayleigh_ritz(op, state);
  using Part = BandView<const S> HsView<const S>::*;
  const auto combine_into = [&](Part part, BandView<S> out) {
    std::vector<BandView<const S>> blocks_of_part;
    for (const HsView<const S>& block : v) blocks_of_part.push_back(block.*part);
    combine<S>(op.product(), blocks_of_part, best.vectors, out);
  };
  combine_into(&HsView<const S>::x, x.x);
  combine_into(&HsView<const S>::hx, x.hx);
  if (x.has_overlap) combine_into(&HsView<const S>::sx, x.sx);
  state.values = std::move(best.values);
}

template <class S>
double Davidson<S>::bytes(Index rows, Index bands, int blocks) {
  return 2.0 * blocks * Bands<S>::bytes(rows, bands);
}

template <class S>
double Davidson<S>::round_bytes(Index rows, Index bands, int blocks) {
  // H and S in double precision, in part twice while the space grows; the vectors, and the rotated rows.
  const Index n = (blocks + 1) * bands, before = blocks * bands;
  return 2 * Matrix<DoubleOf<S>>::bytes(n, n) + Matrix<S>::bytes(before, before) +
         2 * Matrix<DoubleOf<S>>::bytes(n, bands) + lapack::eigen_bytes(n) +
         Matrix<S>::bytes(std::min(rotated_rows, rows), bands);
}

#define WAVEGRID_INSTANTIATE(S) template class Davidson<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
