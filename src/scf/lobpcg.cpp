#include "scf/lobpcg.hpp"

#include <algorithm>
#include <vector>

namespace wavegrid {

namespace {

/// Upper triangle of the matrix <V_i|U_j> over blocks of bands; the first block of `identity` ones is known to be
/// orthonormal and is not computed.
template <class S>
Matrix<S> block_matrix(const InnerProduct& product, const std::vector<BandView<const S>>& v,
                       const std::vector<BandView<const S>>& u, bool first_is_identity) {
  Index n = 0;
  for (const auto& block : v) n += block.count;
  Matrix<S> m(n, n);
  Index column = 0;
  for (std::size_t j = 0; j < u.size(); ++j) {
    Index row = 0;
    for (std::size_t i = 0; i <= j; ++i) {
      if (j == 0 && first_is_identity) {
        for (Index d = 0; d < v[0].count; ++d) m(d, d) = S(1);
      } else {
        const Matrix<S> part = overlap<S>(product, v[i], u[j]);
        for (Index c = 0; c < part.columns(); ++c)
          for (Index r = 0; r < part.rows(); ++r) m(row + r, column + c) = part(r, c);
      }
      row += v[i].count;
    }
    column += u[j].count;
  }
  return m;
}

/// Rows [first, first + count) of a matrix.
template <class S>
Matrix<S> rows_of(const Matrix<S>& m, Index first, Index count) {
  Matrix<S> part(count, m.columns());
  for (Index j = 0; j < m.columns(); ++j)
    for (Index i = 0; i < count; ++i) part(i, j) = m(first + i, j);
  return part;
}

}  // namespace

template <class S>
typename Lobpcg<S>::Directions Lobpcg<S>::search_directions(Hamiltonian<S>& h, const EigenState<S>& state,
                                                            BandView<const S> fixed) {
  const Index rows = state.x.rows(), count = state.x.count();
  Directions w{Bands<S>(rows, count), Bands<S>(rows, count)};
  residuals<S>(state.x.view(), state.hx.view(), state.values.data(), w.p.view());
  const std::vector<double> kinetic = h.kinetic_energies(state.x.view());
  precondition<S>(h.waves(), kinetic.data(), w.p.view());
  project_off<S>(h.product(), fixed, w.p.view());
  project_off<S>(h.product(), state.x.view(), w.p.view());
  normalise<S>(h.product(), w.p.view());
  h.apply(w.p.view(), w.hp.view());
  return w;
}

/// Rayleigh-Ritz in [X, W, P]; false where the vectors are linearly dependent.
template <class S>
bool Lobpcg<S>::advance(Hamiltonian<S>& h, EigenState<S>& state, const Directions& w) {
  const Index rows = state.x.rows(), n = state.x.count();
  std::vector<BandView<const S>> v{std::as_const(state.x).view(), w.p.view()};
  std::vector<BandView<const S>> hv{std::as_const(state.hx).view(), w.hp.view()};
  if (directions_) {
    normalise<S>(h.product(), directions_->p.view(), directions_->hp.view());
    v.push_back(std::as_const(directions_->p).view());
    hv.push_back(std::as_const(directions_->hp).view());
  }
  const SubspaceSolution<S> solution = solve_subspace<S>(h.product().comm, block_matrix<S>(h.product(), v, hv, false),
                                                         block_matrix<S>(h.product(), v, v, true), n);
  if (!solution.definite) return false;
  state.values = solution.values;
  const Matrix<S> of_x = rows_of(solution.vectors, 0, n);
  // The new P is the part of the new X outside the old one.
  Directions next{Bands<S>(rows, n), Bands<S>(rows, n)};
  for (std::size_t block = 1; block < v.size(); ++block) {
    const Matrix<S> of_block = rows_of(solution.vectors, static_cast<Index>(block) * n, n);
    rotate<S>(v[block], of_block, next.p.view(), block > 1);
    rotate<S>(hv[block], of_block, next.hp.view(), block > 1);
  }
  const auto move_to = [&](Bands<S>& x, const Bands<S>& step) {
    Bands<S> moved(rows, n);
    std::copy_n(step.view().data, rows * n, moved.view().data);
    rotate<S>(x.view(), of_x, moved.view(), true);
    std::swap(x, moved);
  };
  move_to(state.x, next.p);
  move_to(state.hx, next.hp);
  if (carry_directions_) directions_ = std::move(next);
  return true;
}

template <class S>
void Lobpcg<S>::step(Hamiltonian<S>& h, EigenState<S>& state, BandView<const S> fixed) {
  const Directions w = search_directions(h, state, fixed);
  if (advance(h, state, w)) return;
  // P has become dependent on X and W, as happens close to convergence: go on without it, from orthonormal bands.
  directions_.reset();
  rayleigh_ritz(h, state);
  const Directions fresh = search_directions(h, state, fixed);
  if (!advance(h, state, fresh)) rayleigh_ritz(h, state);
}

template <class S>
void Lobpcg<S>::potential_changed(Hamiltonian<S>& h, std::span<const double> change) {
  if (directions_) h.apply_change(change, directions_->p.view(), directions_->hp.view());
}

template class Lobpcg<double>;
template class Lobpcg<std::complex<double>>;

}  // namespace wavegrid
