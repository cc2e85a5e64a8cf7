#include <complex>
#include <utility>

#include <wavegrid/hamiltonian/combined_derivatives.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/linalg/small_products.hpp>

namespace wavegrid {

template <class S>
CombinedDerivatives<S> combined_derivatives(const InnerProduct& product, const CombinedOrbitals<S>& parts,
                                            const Couplings* charges, BandView<const S> projectors,
                                            BandView<const S> shells) {
  const BandView<const S> phi = parts.orbitals.view();
  CombinedDerivatives<S> out{Bands<S>(phi.rows, phi.count), {}};
  rotate<S>(product, shells, adjoint(shell_columns(parts.combination)), out.orbitals.view());  // Y
  const bool is_orthogonalised = parts.combination.is_orthogonalised();
  Matrix<S> with_q, z;
  if (charges != nullptr) {
    with_q = parts.overlaps;
    charges->multiply(projections_in(with_q));
    z = overlap<S>(product, projectors, std::as_const(out.orbitals).view());
    charges->multiply(projections_in(z));
    out.projectors = Bands<S>(phi.rows, projectors.count);
    rotate<S>(product, std::as_const(out.orbitals).view(), adjoint(with_q), out.projectors.view());
  }
  if (is_orthogonalised) {
    Matrix<S> m = overlap<S>(product, phi, shells);
    if (charges != nullptr) add(1.0, times(adjoint(with_q), overlap<S>(product, projectors, shells)), m);
    Matrix<S> g = overlap_weights(parts.combination, m);
    if (charges != nullptr) add(2.0, times(with_q, g), z);
    for (S& element : g.elements()) element *= static_cast<RealOf<S>>(2);
    rotate<S>(product, phi, g, out.orbitals.view(), true);
  }
  if (charges != nullptr) {
    rotate<S>(product, phi, adjoint(z), out.projectors.view(), true);
    rotate<S>(product, projectors, z, out.orbitals.view(), true);
  }
  return out;
}

#define WAVEGRID_INSTANTIATE(S)                                                                            \
  template CombinedDerivatives<S> combined_derivatives<S>(const InnerProduct&, const CombinedOrbitals<S>&, \
                                                          const Couplings*, BandView<const S>, BandView<const S>);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
