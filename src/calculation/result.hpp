// Results of a calculation, and statistics of the run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/base/profile.hpp>
#include <wavegrid/calculation/atomic_charges.hpp>
#include <wavegrid/calculation/casida_equation.hpp>
#include <wavegrid/calculation/charge_moments.hpp>
#include <wavegrid/calculation/derivatives.hpp>
#include <wavegrid/calculation/exact_exchange_report.hpp>
#include <wavegrid/calculation/plane_average.hpp>
#include <wavegrid/calculation/projections.hpp>
#include <wavegrid/calculation/shell_occupations.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/discretisation/restart_report.hpp>
#include <wavegrid/discretisation/work.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/terms/augmentation_choice.hpp>

namespace wavegrid {

/// Bands along `Problem::band_path`, ordered k-point, spin, band.
struct BandStructure {
  std::vector<double> eigenvalues;  ///< Ha
  double error = 0;                 ///< Ha; largest estimated error of an eigenvalue (converge_bands)
  bool converged = true;
};

/// The checkpoints that a calculation has written.
struct CheckpointReport {
  std::string file;
  int writes = 0;
  double seconds = 0;   ///< of all writes
  double bytes = 0;     ///< of the last
  std::string error{};  ///< why the last one could not be written; empty: no error
};

/// Seconds by phase of the first rank.
struct PhaseSeconds {
  double total = 0;
  std::array<double, num_phases> per_phase{};
};

/// The same on all ranks, except for the seconds.
struct CalculationResult {
  ScfResult scf;
  Index bands = 0;                              ///< per k-point and spin, at the end
  BandStructure path;                           ///< empty without a path
  std::optional<CasidaResult> casida;           ///< if requested; none after a stop
  GatheredFields density, potential;            ///< empty unless asked for; the potential in Ha
  PlaneAverage potential_average;               ///< electrostatic, Ha; empty unless asked for
  std::optional<ChargeMoments> charge_moments;  ///< where asked for and the crystal ends; none after a stop
  Derivatives derivatives;                      ///< those requested, also for bands not converged; empty after a stop
  double derivative_seconds = 0;                ///< wall time of these, part of `seconds`
  std::optional<AtomicCharges> atomic_charges;  ///< of the last density
  std::vector<ShellOccupations> shells;         ///< of DFT+U, of the last density; empty without it
  std::optional<Projections> projections;       ///< if requested; none after a stop
  std::vector<double> spins;                    ///< of spinors: (k-point, band, axis), of the path if there is one
  std::vector<KPoint> kpoints;                  ///< that the states belong to
  std::string kpoints_description;
  std::optional<RestartReport> restart;
  std::optional<CheckpointReport> checkpoint;
  int stop_signal = 0;  ///< that ended the calculation early; 0: none
  ParallelReport parallel;
  std::optional<MeshReport> mesh;                    ///< of a mesh in real space
  std::optional<LocalOrbitalReport> local_orbitals;  ///< of bands that are sums of them
  bool mixed_precision = false;
  ScfMethod method = ScfMethod::mixing;
  Eigensolver eigensolver = Eigensolver::lobpcg;
  std::string eigensolver_reason;
  ProjectorChoice projectors;
  std::optional<ExactExchangeReport> exact_exchange;  ///< of a hybrid functional
  std::optional<AugmentationChoice> augmentation;     ///< none: no ultrasoft potential
  PreconditionerChoice preconditioner;                ///< of the mixing
  double peak_memory = 0;                             ///< largest resident memory of a rank's process, bytes
  Work work;                                          ///< of all k-points and groups
  PhaseSeconds seconds;
  TrafficByKind traffic{};  ///< exchanges: the most of a rank; messages and bytes: of all ranks; seconds: of this one
};

}  // namespace wavegrid
