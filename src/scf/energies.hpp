// The parts of the free energy.
#pragma once

#include <cmath>

namespace wavegrid {

/// All in Ha per cell. `local` leaves out G = 0, which is `local_g0`; smearing is -TS.
struct Energies {
  double kinetic = 0, hartree = 0, xc = 0, ewald = 0, local = 0, local_g0 = 0, nonlocal = 0, smearing = 0;

  [[nodiscard]] double free() const { return kinetic + hartree + xc + ewald + local + local_g0 + nonlocal + smearing; }
  [[nodiscard]] double total() const { return free() - smearing; }
  /// The rounding error of the sum, Ha: the free energy is not known better.
  [[nodiscard]] double rounding() const {
    double sum = 0;
    for (const double term : {kinetic, hartree, xc, ewald, local, local_g0, nonlocal, smearing}) sum += std::abs(term);
    return 1e-15 * sum;
  }
};

}  // namespace wavegrid
