// The memory of electrons that flow in a meta-GGA (flow.hpp).
#pragma once

#include <algorithm>
#include <complex>

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Bytes that a propagation with a functional of tau holds besides what others do: V, v_tau and three components of
/// dE/dj of each spin at this rank's points, of the last four potentials and three in a step, and two blocks of bands
/// for the current. Pure.
[[nodiscard]] inline double flow_bytes(double points, int spins, Index rows, Index bands) {
  constexpr double fields = 5, potentials = 7;
  constexpr Index block = 16;
  return fields * potentials * spins * points * sizeof(double) +
         2 * Bands<std::complex<double>>::bytes(rows, std::min(block, bands));
}

}  // namespace wavegrid
