// The result of a self-consistency loop.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/scf/energies.hpp>
#include <wavegrid/scf/stagnation.hpp>

namespace wavegrid {

/// The states of the electrons, as an ElectronSolver finds them; the same on all ranks. Arrays over states are ordered
/// k-point, spin, band.
struct ElectronStates {
  std::vector<double> eigenvalues;  ///< Ha, ascending within a k-point and spin
  std::vector<double> residuals;    ///< |H psi - eps psi| of each state, Ha; the error of eps is of second order in it
  std::vector<double> occupations;  ///< electrons per state, weights included
  std::vector<double> fermi;        ///< Ha; one, or with a fixed moment up and down
  bool too_few_bands = false;       ///< the highest band is still occupied
  /// Fixed occupations, a free moment, and the highest band of a spin is full; of a result: at the end of a loop that
  /// converged, or for its last steps.
  bool moment_limited = false;
  Index enough_bands = 0;    ///< where more are wanted: an estimate of the number needed
  int recovered_states = 0;  ///< missed states that the final check found and added
  /// Ha; difference between <psi|V_nl|psi> of the final bands and its value from the eigenvalues: a check of the H psi
  /// that the solvers keep. 0 where a watch stopped the loop.
  double hpsi_deviation = 0;

  [[nodiscard]] bool wants_bands() const { return too_few_bands || moment_limited; }
};

/// The magnetisation of the cell, electrons.
struct Magnetisation {
  double total = 0;      ///< int m, or the length of that vector
  double absolute = 0;   ///< int |m|
  Vec3 vector{0, 0, 0};  ///< int m of spinors, Cartesian
};

/// A loop that has not converged is no error.
struct ScfResult : ElectronStates {
  bool converged = false;          ///< never if there are too few bands
  bool stopped = false;            ///< by a watch
  bool at_rounding = false;        ///< converged to the rounding of the energy, not to the tolerance, which is below it
  int steps = 0;                   ///< the evaluation in double precision of bands that converged in single is none
  Index h_applications = 0;        ///< of all k-points and steps
  double error_estimate = 0;       ///< Ha
  std::vector<ScfChange> changes;  ///< of method, where the loop stagnated
  Energies energies;
  Magnetisation magnetisation;
};

}  // namespace wavegrid
