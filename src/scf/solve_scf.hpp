// The self-consistency loop.
#pragma once

#include <functional>
#include <vector>

#include "fft/grid_fft.hpp"
#include "scf/band_solver.hpp"
#include "scf/mixer.hpp"
#include "terms/effective_potential.hpp"
#include "terms/energies.hpp"
#include "terms/smearing.hpp"

namespace wavegrid {

struct ScfOptions {
  Eigensolver eigensolver = Eigensolver::lobpcg;
  double energy_tolerance = 1e-7;  ///< Ha; the estimated error of the free energy falls below it (decision 0002)
  int max_steps = 60;
  MixerOptions mixer;
};

/// What an observer sees after each step. The same on all ranks.
struct ScfStep {
  int step = 0;
  double free_energy = 0;     ///< Ha, of the output density
  double error_estimate = 0;  ///< Ha: 2 sum_i f_i |R_i|^2 + E_H[rho_out - rho_in]
  Index h_applications = 0;   ///< so far
};
/// Called on every rank; throwing from it ends the loop on that rank alone, so throw on all or none.
using ScfObserver = std::function<void(const ScfStep&)>;

/// Not converged is a state, not an error.
struct ScfResult {
  bool converged = false;
  int steps = 0;
  double error_estimate = 0;  ///< Ha
  int recovered_states = 0;   ///< missed states that the final check found and put right
  Energies energies;
  double fermi = 0;                 ///< Ha
  bool too_few_bands = false;       ///< the highest band is still occupied
  std::vector<double> eigenvalues;  ///< Ha, rising
  std::vector<double> filling;      ///< electrons per band
};

/// The parts that do not change from step to step.
template <class S>
struct ScfSystem {
  Hamiltonian<S>& h;
  GridFft& grid;
  EffectivePotential& potential;
  double electrons;
  Smearing smearing;
  double ewald = 0;  ///< Ha
  double core = 0;   ///< Ha
};

/// Starts bands in the potential of the start density: called once, when H is ready.
template <class S>
using BandStart = std::function<EigenState<S>(Hamiltonian<S>&)>;

/// Iterates density and bands to self-consistency from `density`, coefficients on this rank's G of the box.
///
/// The free energy is the Kohn-Sham functional of the output bands and their density, an upper bound with an error of
/// second order. Collective; every rank follows the same path.
template <class S>
[[nodiscard]] ScfResult solve_scf(ScfSystem<S> system, GridFft::Coefficients density, const BandStart<S>& start,
                                  const ScfOptions& options, const ScfObserver& observer = {});

}  // namespace wavegrid
