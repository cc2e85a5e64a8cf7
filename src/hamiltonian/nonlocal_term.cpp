#include <algorithm>
#include <complex>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/hamiltonian/nonlocal_term.hpp>
#include <wavegrid/hamiltonian/overlap_inverse.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/projection_products.hpp>

namespace wavegrid {

template <class S>
void NonlocalTerm<S>::add(const InnerProduct& product, const Couplings& d, BandView<const S> psi, BandView<S> out) {
  if (projectors_.num_projectors() == 0) return;
  Matrix<S> c = projectors_.overlaps(product, psi);
  d.multiply(projections_in(c, projectors_.components()));
  projectors_.add(product, c, out);
}

template <class S>
void NonlocalTerm<S>::apply(const InnerProduct& product, BandView<const S> psi, BandView<S> out) {
  if (!projectors_.is_on_grid()) add(product, couplings(), psi, out);
}

template <class S>
void NonlocalTerm<S>::set_couplings(const AtomMatrices& d) {
  const std::vector<Range> atoms = projectors_.atom_projectors();
  if (own_) {
    AtomMatrices change = d;
    wavegrid::add(-1.0, matrices_, change);
    change_ = couplings_for<S>(change, atoms);
  }
  own_ = couplings_for<S>(d, atoms);
  matrices_ = d;
}

template <class S>
void NonlocalTerm<S>::apply_change(const InnerProduct& product, BandView<const S> psi, BandView<S> out) {
  if (change_) add(product, *change_, psi, out);
}

template <class S>
void NonlocalTerm<S>::accumulate_projections(const InnerProduct& product, BandView<const S> psi,
                                             std::span<const double> weights, AtomMatrices& rho) {
  Matrix<S> c = projectors_.overlaps(product, psi);
  add_projection_products<S>(projections_in(c, projectors_.components()), projectors_.atom_projectors(), weights, rho);
}

template <class S>
void NonlocalTerm<S>::apply_overlap(BandFft<Real>& fft, const InnerProduct& product, BandView<const S> psi,
                                    BandView<S> out) {
  if (const auto q = projectors_.on_grid(*overlaps())) {
    fft.apply_on_grid(coefficients(psi), {nullptr, {q.get()}}, coefficients(out), psi.count);
    return;
  }
  std::copy_n(psi.data, psi.rows * psi.count, out.data);
  add(product, *overlaps(), psi, out);
}

template <class S>
void NonlocalTerm<S>::apply_with_overlap(BandFft<Real>& fft, const InnerProduct& product, BandView<const S> psi,
                                         BandView<S> h_psi, BandView<S> s_psi) {
  if (projectors_.is_on_grid() || projectors_.num_projectors() == 0) {
    apply(product, psi, h_psi);
    apply_overlap(fft, product, psi, s_psi);
    return;
  }
  const Matrix<S> projections = projectors_.overlaps(product, psi);
  const auto add_coupled = [&](const Couplings& d, BandView<S> out) {
    Matrix<S> c = projections;
    d.multiply(projections_in(c, projectors_.components()));
    projectors_.add(product, c, out);
  };
  add_coupled(couplings(), h_psi);
  std::copy_n(psi.data, psi.rows * psi.count, s_psi.data);
  add_coupled(*overlaps(), s_psi);
}

template <class S>
void NonlocalTerm<S>::keep_inverse(const InnerProduct& product, Index rows, bool kept) {
  inverse_.reset();
  if (kept && has_overlap() && projectors_.num_projectors() > 0)
    inverse_ = overlap_inverse<S>(product, projectors_, *overlaps(), rows);
}

template <class S>
void NonlocalTerm<S>::solve_overlap(const InnerProduct& product, BandView<const S> b, BandView<S> x) {
  const Matrix<S> c = projectors_.overlaps(product, b);
  const Index n = c.rows();
  Matrix<S> mc(n, c.columns());
  lapack::gemm<S>('N', 'N', n, c.columns(), n, S(-1), inverse_->data(), n, c.data(), n, S(0), mc.data(), n);
  std::copy_n(b.data, b.rows * b.count, x.data);
  projectors_.add(product, mc, x);
}

template <class S>
NonlocalDerivatives NonlocalTerm<S>::derivatives(const InnerProduct& product, BandView<const S> psi,
                                                 std::span<const double> occupations, bool with_strain,
                                                 std::span<const double> eigenvalues) {
  return projectors_.derivatives(product, psi, {couplings(), overlaps(), occupations, eigenvalues}, with_strain);
}

#define WAVEGRID_INSTANTIATE(S) template class NonlocalTerm<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
