#include <algorithm>
#include <complex>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/hamiltonian/nonlocal_term.hpp>

namespace wavegrid {

template <class S>
void NonlocalTerm<S>::add(const InnerProduct& product, const Couplings& d, BandView<const S> psi, BandView<S> out) {
  if (projectors_.num_projectors() == 0) return;
  Matrix<S> c = projectors_.overlaps(product, psi);
  d.multiply(projections_in(c));
  projectors_.add(product, c, out);
}

template <class S>
void NonlocalTerm<S>::apply(const InnerProduct& product, BandView<const S> psi, BandView<S> out) {
  if (!projectors_.is_on_grid()) add(product, couplings(), psi, out);
}

template <class S>
void NonlocalTerm<S>::apply_overlap(BandFft<Real>& fft, const InnerProduct& product, BandView<const S> psi,
                                    BandView<S> out) {
  if (const auto q = projectors_.on_grid(*overlaps_)) {
    fft.apply_on_grid(coefficients(psi), {nullptr, {q.get()}}, coefficients(out), psi.count);
    return;
  }
  std::copy_n(psi.data, psi.rows * psi.count, out.data);
  add(product, *overlaps_, psi, out);
}

template <class S>
NonlocalDerivatives NonlocalTerm<S>::derivatives(const InnerProduct& product, BandView<const S> psi,
                                                 std::span<const double> occupations, bool with_strain,
                                                 std::span<const double> eigenvalues) {
  return projectors_.derivatives(
      product, psi, {couplings(), overlaps_ ? &*overlaps_ : nullptr, occupations, eigenvalues}, with_strain);
}

#define WAVEGRID_INSTANTIATE(S) template class NonlocalTerm<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
