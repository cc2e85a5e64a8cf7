// Options of a self-consistency loop.
#pragma once

#include <wavegrid/scf/mixer.hpp>

namespace wavegrid {

/// How the self-consistent density is found.
enum class ScfMethod {
  mixing,  ///< bands of a density, and a next density by mixing (KohnShamSolver)
  direct,  ///< the energy is minimised over the bands (DirectMinimiser); fixed occupations only
};

/// The name used in input and output, such as "direct".
[[nodiscard]] constexpr const char* to_string(ScfMethod method) {
  return method == ScfMethod::direct ? "direct" : "mixing";
}

struct ScfOptions {
  ScfMethod method = ScfMethod::mixing;
  double energy_tolerance = 1e-7;  ///< Ha; the estimated error of the free energy falls below it (decision 0002)
  int max_steps = 60;
  MixerOptions mixer;
  bool many_bands = false;                 ///< little accuracy of bands in the first steps (BandAccuracy)
  bool may_change_preconditioner = false;  ///< where the loop stagnates (Stagnation)
  /// End early if the highest band stays occupied, or full with a free moment: the caller adds bands and continues.
  bool asks_for_bands = false;
  /// The bands of the potential of the initial density, which stays: the energy is that of Harris and Foulkes, to first
  /// order in the change to the density of the bands (the force theorem).
  bool fixed_density = false;
};

}  // namespace wavegrid
