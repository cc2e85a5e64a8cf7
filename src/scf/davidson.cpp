#include "scf/davidson.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace wavegrid {

namespace {

/// The columns of `c` times their values.
template <class S>
Matrix<S> scaled_columns(Matrix<S> c, const std::vector<double>& values, const std::vector<Index>& of) {
  for (Index j = 0; j < c.columns(); ++j)
    for (Index i = 0; i < c.rows(); ++i)
      c(i, j) *= static_cast<RealOf<S>>(values[static_cast<std::size_t>(of[static_cast<std::size_t>(j)])]);
  return c;
}

}  // namespace

template <class S>
void Davidson<S>::next_directions(Hamiltonian<S>& h, const EigenState<S>& state, const SubspaceSolution<S>& ritz,
                                  int filled) {
  Directions<S>& next = w_[static_cast<std::size_t>(filled)];
  next.reserve(state.x.rows(), state.x.count());
  next.of = w_.front().of;
  std::vector<BandView<const S>> v{state.x.view()}, hv{state.hx.view()};
  for (auto block = w_.begin(); block != w_.begin() + filled; ++block) {
    v.push_back(block->view());
    hv.push_back(block->images());
  }
  // R = H V c - V c theta; the place of the images serves for the second term.
  const Matrix<S> c = columns_of(ritz.vectors, next.of);
  combine<S>(h.product(), hv, c, next.view());
  combine<S>(h.product(), v, scaled_columns(c, ritz.values, next.of), next.images());
  const std::vector<S> minus(next.of.size(), S(-1));
  add_scaled<S>(next.images(), minus.data(), next.view());

  const std::vector<double> all = h.kinetic_energies(state.x.view());
  std::vector<double> kinetic;
  for (const Index b : next.of) kinetic.push_back(all[static_cast<std::size_t>(b)]);
  precondition<S>(h.waves(), kinetic.data(), next.view());
  project_off<S>(h.product(), state.x.view(), next.view());
  normalise<S>(h.product(), next.view());
  h.apply(next.view(), next.images());
}

template <class S>
void Davidson<S>::round(Hamiltonian<S>& h, EigenState<S>& state, int blocks, const LockBounds& bounds) {
  preconditioned_residuals<S>(h, state, bounds, {}, w_.front());
  if (w_.front().count() == 0) return rayleigh_ritz(h, state);
  const Index n = state.x.count();
  SearchSpace<S> space(h.product(), std::as_const(state.x).view(), std::as_const(state.hx).view());
  std::vector<BandView<const S>> v{std::as_const(state.x).view()}, hv{std::as_const(state.hx).view()};
  SubspaceSolution<S> best{false, {}, {}};
  for (int b = 0; b < blocks; ++b) {
    if (b > 0) next_directions(h, state, best, b);
    Directions<S>& w = w_[static_cast<std::size_t>(b)];
    space.add(w.view(), w.images());
    SubspaceSolution<S> solution = b + 1 == blocks ? std::move(space).solve(n) : std::as_const(space).solve(n);
    // Directions that depend on those before add nothing: what is known already is the best.
    if (!solution.definite) break;
    best = std::move(solution);
    v.push_back(w.view());
    hv.push_back(w.images());
  }
  if (!best.definite) return rayleigh_ritz(h, state);
  combine<S>(h.product(), v, best.vectors, state.x.view());
  combine<S>(h.product(), hv, best.vectors, state.hx.view());
  state.values = std::move(best.values);
}

template <class S>
double Davidson<S>::bytes(Index rows, Index bands, int blocks) {
  return 2.0 * blocks * Bands<S>::bytes(rows, bands);
}

template <class S>
double Davidson<S>::round_bytes(Index rows, Index bands, int blocks) {
  // H and S, in double precision, twice in part while the space grows; the vectors, beside them the rotated rows.
  const Index n = (blocks + 1) * bands, before = blocks * bands;
  return 2 * Matrix<DoubleOf<S>>::bytes(n, n) + Matrix<S>::bytes(before, before) +
         2 * Matrix<DoubleOf<S>>::bytes(n, bands) + Matrix<S>::bytes(std::min(rotated_rows, rows), bands);
}

#define WAVEGRID_INSTANTIATE(S) template class Davidson<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
