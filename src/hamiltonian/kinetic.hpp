// The kinetic energy -1/2 grad^2: |k+G|^2/2 on plane waves, and the preconditioner made from it.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <wavegrid/basis/wave_rows.hpp>

namespace wavegrid {

/// sum_G |k+G|^2/2 |psi|^2 per band, Ha. Collective.
template <class S>
[[nodiscard]] std::vector<double> kinetic_energies(const InnerProduct& product, const PlaneWaves& waves,
                                                   BandView<const S> psi);

/// sum_G |R(G)|^2 / max(least, |k+G|^2/2 - 1 Ha) per band, Ha: far above the band, H is mostly kinetic energy, and the
/// potential lowers that of occupied states by about 1 Ha. `squares`: |R|^2 of each band, Ha^2. Collective.
template <class S>
[[nodiscard]] std::vector<double> eigenvalue_errors(const InnerProduct& product, const PlaneWaves& waves,
                                                    BandView<const S> residuals, const std::vector<double>& squares,
                                                    double least);

/// Scales each band by the preconditioner of M. P. Teter, M. C. Payne, D. C. Allan, Phys. Rev. B 40, 12255 (1989),
/// 10.1103/PhysRevB.40.12255: an approximate inverse of the kinetic energy far above `kinetic`, that of the band, Ha.
/// Local.
template <class S>
void precondition_by_kinetic_energy(const PlaneWaves& waves, std::span<const double> kinetic, BandView<S> bands);

/// Divides each band by 1 + i time (|k+G|^2/2 - e), e its energy, Ha; time in hbar/Ha. Local.
void precondition_step_by_kinetic_energy(const PlaneWaves& waves, double time, std::span<const double> energies,
                                         BandView<std::complex<double>> bands);

}  // namespace wavegrid
