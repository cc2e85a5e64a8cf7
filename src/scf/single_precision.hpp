// How far single precision carries a self-consistency loop (decision 0006).
#pragma once

#include <cmath>

#include <wavegrid/scf/energies.hpp>
#include <wavegrid/scf/stagnation_counter.hpp>

namespace wavegrid {

/// Ha per electron: above this, rounding in single precision does not prevent convergence (measured: it stops at
/// 2e-13 for Si2, 7e-12 for a distorted Al32; decision 0006).
inline constexpr double single_precision_reach = 1e-11;

/// Ha: more than the error that rounding in single precision leaves in the free energy. It is systematic (norms,
/// transforms) and grows with the energies of the electrons: measured at 3e-10 to 1.2e-7 of their sum.
[[nodiscard]] inline double single_rounding(const Energies& energies) {
  double sum = 0;
  for (const auto& [name, energy] : energies)
    if (name != "ion_ion" && name != "local_g0" && name != "entropy") sum += std::abs(energy);
  return 5e-7 * sum;
}

/// Whether a loop in single precision goes on: its error estimate has to halve within few steps where rounding may
/// prevent it (as at 3e-9 Ha per electron in Al500), within many above, where a system may converge slowly. Pure.
[[nodiscard]] inline bool single_precision_falls(const StagnationCounter& counter, double electrons) {
  return counter.steps() < (counter.reference() < 1e-8 * electrons ? 2 : 12);
}

}  // namespace wavegrid
