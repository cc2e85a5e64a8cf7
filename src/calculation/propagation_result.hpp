// What a propagation in time reports.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/calculation/result.hpp>
#include <wavegrid/scf/energies.hpp>

namespace wavegrid {

/// The electrons at a time, the same on all ranks. Units: Ha, bohr, hbar = 1; charges in units of that of a proton.
struct PropagationStep {
  Index step = 0;  ///< 0: just after the kick
  double time = 0;
  double energy = 0;                      ///< of electrons and ions
  double electrons = 0;                   ///< the integral of the density
  std::optional<Vec3> dipole{};           ///< of electrons and ions, e bohr; none where the crystal does not end
  std::optional<Vec3> magnetic_moment{};  ///< of the electrons' orbital motion, e hbar/m_e; none unless asked for
  std::optional<Vec3> field{};            ///< of lasers, Ha/bohr: the force on a positive charge
  GatheredFields density{};               ///< on rank 0, electrons/bohr^3; empty at most steps
  std::vector<Vec3> forces{};             ///< on each atom, Ha/bohr; empty unless asked for
  std::vector<Vec3> positions{};          ///< of atoms that move, bohr, Cartesian; empty: they stand
  double ion_kinetic = 0;                 ///< their kinetic energy, Ha, part of `energy`
  std::vector<double> occupations{};      ///< electrons in each band of the start, of each spin; empty unless asked for
  std::optional<double> excited{};  ///< electrons outside the bands occupied at the start, where A is as it was then
  std::optional<Vec3> current{};  ///< of the electrons, per volume of the cell, e/(bohr^2 hbar/Ha); velocity gauge only
};

/// Called on every rank.
using PropagationObserver = std::function<void(const PropagationStep&)>;

struct PropagationResult {
  Index steps = 0;                           ///< in all, with those before a state from which it went on
  double time = 0;                           ///< hbar/Ha
  double first_energy = 0, last_energy = 0;  ///< Ha; the first one after the kick
  double electrons = 0;                      ///< the largest difference from their number
  double phase_error = 0;                    ///< the largest of a step
  /// Relative, of a frequency w by the time step: (w dt)^2 / 12 with the mean w of the potential.
  double frequency_error = 0;
  double iterations = 0;                         ///< potentials for the end of a step, on average
  double applications = 0;                       ///< of H to a band in a step, on average
  int stop_signal = 0;                           ///< that ended it early; 0: none
  std::optional<CheckpointReport> checkpoint{};  ///< of states that were saved
  double seconds = 0;                            ///< wall time
};

}  // namespace wavegrid
