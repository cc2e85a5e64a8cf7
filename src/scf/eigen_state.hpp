// The bands of one k-point on their way to convergence.
#pragma once

#include <vector>

#include "linalg/bands.hpp"
#include "terms/hamiltonian.hpp"

namespace wavegrid {

/// Bands X with HX and their Ritz values; X is orthonormal and X^H H X diagonal after every solver step, until the
/// potential changes.
template <class S>
struct EigenState {
  Bands<S> x, hx;
  std::vector<double> values;  ///< Ha, rising

  EigenState(Index rows, Index count) : x(rows, count), hx(rows, count), values(static_cast<std::size_t>(count)) {}
};

/// Makes X orthonormal and X^H H X diagonal within its span; HX follows. Throws an internal error where the bands are
/// linearly dependent. Collective.
template <class S>
void rayleigh_ritz(Hamiltonian<S>& h, EigenState<S>& state);

/// out = hx - values x, band by band. Local.
template <class S>
void residuals(BandView<const S> x, BandView<const S> hx, const double* values, BandView<S> out);

/// Scales each band by the preconditioner of Teter, Payne and Allan (Phys. Rev. B 40, 12255 (1989),
/// 10.1103/PhysRevB.40.12255): an inverse of the kinetic energy above `kinetic`, the band's own. Local.
template <class S>
void precondition(const PlaneWaves& waves, const double* kinetic, BandView<S> bands);

/// y += a x for each band with its own factor. Local.
template <class S>
void add_scaled(BandView<const S> x, const S* factors, BandView<S> y);

/// |R_i|^2 of each band, Ha^2. Collective.
template <class S>
[[nodiscard]] std::vector<double> squared_residuals(Hamiltonian<S>& h, const EigenState<S>& state);

/// Bounds the error of the free energy by the bands: sum_i f_i |R_i|^2, Ha. Collective.
template <class S>
[[nodiscard]] double band_error(Hamiltonian<S>& h, const EigenState<S>& state, const std::vector<double>& filling);

}  // namespace wavegrid
