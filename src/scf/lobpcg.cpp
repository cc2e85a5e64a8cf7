#include "scf/lobpcg.hpp"

#include <algorithm>
#include <vector>

#include "linalg/lapack.hpp"

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

/// P <- W c_w + P c_p and X <- X c_x + P, a few rows at a time, so that nothing but P is stored beside X and W. The
/// rows of `c` are c_x, c_w and, where P is not empty on the way in, c_p. Where `p` is null, the steps are not kept.
template <class S>
void move_along(const InnerProduct& product, BandView<S> x, BandView<const S> w, BandView<S> p, bool p_is_filled,
                const Matrix<S>& c) {
  const Index n = x.count;
  AlignedVector<S> part(static_cast<std::size_t>(std::min(rotated_rows, x.rows) * n));
  product.for_pieces(x.rows, rotated_rows, [&](Range piece) {
    const Index first = piece.begin, rows = piece.size();
    const auto collect = [&](const S* bands, Index block, S beta) {
      lapack::gemm<S>('N', 'N', rows, n, n, S(1), bands + first, x.rows, c.data() + block * n, c.rows(), beta,
                      part.data(), rows);
    };
    const auto store = [&](BandView<S> bands) {
      for (Index b = 0; b < n; ++b) std::copy_n(part.data() + b * rows, rows, bands.band(b) + first);
    };
    collect(w.data, 1, S(0));
    if (p_is_filled) collect(p.data, 2, S(1));
    if (p.data) store(p);
    collect(x.data, 0, S(1));
    store(x);
  });
}

}  // namespace

template <class S>
void Lobpcg<S>::Directions::reserve(Index rows, Index count) {
  if (d.rows() == rows && d.count() == count) return;
  d = Bands<S>(rows, count);
  hd = Bands<S>(rows, count);
}

template <class S>
void Lobpcg<S>::restart() {
  has_steps_ = false;
  w_ = p_ = {};
}

template <class S>
void Lobpcg<S>::search_directions(Hamiltonian<S>& h, const EigenState<S>& state, BandView<const S> fixed) {
  w_.reserve(state.x.rows(), state.x.count());
  const BandView<S> w = w_.d.view();
  residuals<S>(state.x.view(), state.hx.view(), state.values.data(), w);
  const std::vector<double> kinetic = h.kinetic_energies(state.x.view());
  precondition<S>(h.waves(), kinetic.data(), w);
  project_off<S>(h.product(), fixed, w);
  project_off<S>(h.product(), state.x.view(), w);
  normalise<S>(h.product(), w);
  h.apply(w, w_.hd.view());
}

template <class S>
bool Lobpcg<S>::advance(Hamiltonian<S>& h, EigenState<S>& state) {
  const Index n = state.x.count();
  std::vector<BandView<const S>> v{state.x.view(), w_.d.view()};
  std::vector<BandView<const S>> hv{state.hx.view(), w_.hd.view()};
  if (has_steps_) {
    normalise<S>(h.product(), p_.d.view(), p_.hd.view());
    v.push_back(p_.d.view());
    hv.push_back(p_.hd.view());
  }
  const SubspaceSolution<S> solution = solve_subspace<S>(h.product(), block_matrix<S>(h.product(), v, hv, false),
                                                         block_matrix<S>(h.product(), v, v, true), n);
  if (!solution.definite) return false;
  state.values = solution.values;
  // The new P is the part of the new X outside the old one.
  if (carry_directions_) p_.reserve(state.x.rows(), n);
  move_along<S>(h.product(), state.x.view(), w_.d.view(), p_.d.view(), has_steps_, solution.vectors);
  move_along<S>(h.product(), state.hx.view(), w_.hd.view(), p_.hd.view(), has_steps_, solution.vectors);
  has_steps_ = carry_directions_;
  return true;
}

template <class S>
void Lobpcg<S>::step(Hamiltonian<S>& h, EigenState<S>& state, BandView<const S> fixed) {
  search_directions(h, state, fixed);
  if (advance(h, state)) return;
  // P has become dependent on X and W, as happens close to convergence: go on without it, from orthonormal bands.
  has_steps_ = false;
  rayleigh_ritz(h, state);
  search_directions(h, state, fixed);
  if (!advance(h, state)) rayleigh_ritz(h, state);
}

template <class S>
void Lobpcg<S>::potential_changed(Hamiltonian<S>& h, std::span<const RealOf<S>> change) {
  if (has_steps_) h.apply_change(change, p_.d.view(), p_.hd.view());
}

template <class S>
double Lobpcg<S>::bytes(Index rows, Index bands, bool carry_directions) {
  return (carry_directions ? 4.0 : 2.0) * Bands<S>::bytes(rows, bands);
}

template <class S>
double Lobpcg<S>::step_bytes(Index rows, Index bands, bool carry_directions) {
  // H and S of the subspace and the vectors, in double precision, beside them one block or the rotated rows.
  const Index n = (carry_directions ? 3 : 2) * bands;
  return 2 * Matrix<DoubleOf<S>>::bytes(n, n) + Matrix<DoubleOf<S>>::bytes(n, bands) +
         std::max(Matrix<S>::bytes(bands, bands), Matrix<S>::bytes(std::min(rotated_rows, rows), bands));
}

#define WAVEGRID_INSTANTIATE(S) template class Lobpcg<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
