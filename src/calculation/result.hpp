// Results of a calculation, and statistics of the run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/profile.hpp"
#include "calculation/atomic_charges.hpp"
#include "calculation/choose_projectors.hpp"
#include "calculation/derivatives.hpp"
#include "calculation/problem.hpp"
#include "calculation/projections.hpp"
#include "calculation/restart_report.hpp"
#include "calculation/work.hpp"
#include "exchange/tuner.hpp"

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

/// The transport of one kind of exchange (transport_choice.hpp lists them).
struct ExchangeReport {
  std::string name;
  TunerReport tuning;  ///< the transport that was used, why, and what was measured
};

/// How ranks and plane waves were divided.
struct ParallelReport {
  int ranks = 1;
  GroupCounts groups;
  std::string groups_reason;
  Scheme scheme = Scheme::greedy;
  GridShape shape;
  std::string partition_reason;
  Index plane_waves = 0;  ///< of the first k-point's sphere as stored: half of it in Mode::gamma
  Index max_plane_waves = 0, min_plane_waves = 0;  ///< of a rank of a band group
  std::string transport = "none";                  ///< of the first of the exchanges
  std::vector<ExchangeReport> exchanges;           ///< those that move anything; those of bands first
};

/// How the points of a mesh were divided.
struct MeshReport {
  Index points = 0;
  Index max_points = 0, min_points = 0;          ///< of a rank
  Index max_ghosts = 0;                          ///< points of others that a rank needs
  Index max_neighbours = 0;                      ///< ranks that these are from
  double highest_energy = 0;                     ///< Ha, upper bound of the kinetic energies on the mesh
  HaloOverlap overlap = HaloOverlap::automatic;  ///< automatic if it could not be decided
  std::string overlap_reason;                    ///< empty if it was given or could not be decided
  double hidden_share = 0;                       ///< of the time of halo exchanges with overlap, mean of all ranks
};

/// Seconds by phase of the first rank.
struct PhaseSeconds {
  double total = 0;
  std::array<double, num_phases> of_phase{};
};

/// The same on all ranks, except for the seconds.
struct CalculationResult {
  ScfResult scf;
  Index bands = 0;          ///< per k-point and spin, at the end
  BandStructure path;       ///< empty without a path
  SpinFields density;       ///< on rank 0, (density_counts) with z fastest; empty unless asked for
  Int3 density_first{};     ///< its first point: 0, except on a mesh whose region is not the cell
  Int3 density_counts{};    ///< its points along each lattice vector: the grid, or the box of all points of a mesh
  Derivatives derivatives;  ///< those requested, also for bands not converged; empty after a stop
  double derivative_seconds = 0;                ///< wall time of these, part of `seconds`
  std::optional<AtomicCharges> atomic_charges;  ///< none after a stop
  std::optional<Projections> projections;       ///< if requested; none after a stop
  std::vector<KPoint> kpoints;                  ///< that the states belong to
  std::string kpoints_description;
  std::optional<RestartReport> restart;
  std::optional<CheckpointReport> checkpoint;
  int stop_signal = 0;  ///< that ended the calculation early; 0: none
  ParallelReport parallel;
  std::optional<MeshReport> mesh;  ///< of a mesh in real space
  bool mixed_precision = false;
  ScfMethod method = ScfMethod::mixing;
  Eigensolver eigensolver = Eigensolver::lobpcg;
  std::string eigensolver_reason;
  ProjectorChoice projectors;
  PreconditionerKind preconditioner = PreconditionerKind::kerker;  ///< of the mixing
  double peak_memory = 0;  ///< largest resident memory of a rank's process, bytes
  Work work;               ///< of all k-points and groups
  PhaseSeconds seconds;
  TrafficByKind traffic{};  ///< exchanges: the most of a rank; messages and bytes: of all ranks; seconds: of this one
};

}  // namespace wavegrid
