// A whole calculation: from a crystal and its settings to energies and eigenvalues.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "atoms/crystal.hpp"
#include "atoms/space_group.hpp"
#include "base/profile.hpp"
#include "basis/kpoints.hpp"
#include "calculation/derivatives.hpp"
#include "calculation/restart.hpp"
#include "calculation/start_orbitals.hpp"
#include "costmodel/choose_groups.hpp"
#include "costmodel/choose_partition.hpp"
#include "scf/scf_system.hpp"

namespace wavegrid {

/// The precision of bands and of all that is done with them; densities, energies and eigenvalues have double always.
enum class Precision {
  automatic,    ///< mixed where the tolerance is within its reach
  mixed,        ///< single until nearly converged; the last step and all results double (decision 0006)
  double_only,  ///< double throughout
};

/// When and where a calculation leaves checkpoints; always one at its end.
struct CheckpointOptions {
  std::string file;  ///< the newest; older ones stand beside it with a number
  int keep = 2;      ///< how many of them
  std::optional<double> every_seconds = std::nullopt;
  std::optional<int> every_steps = std::nullopt;
  std::string input, versions, program;  ///< written into the file (CheckpointHeader)
};

/// What to compute and how to spread it. Units: Ha, bohr.
struct Problem {
  Crystal crystal;
  Pseudopotentials pseudopotentials;  ///< one per species
  double ecut = 0;
  Int3 grid{};
  std::string xc = "LDA_XC_TETER93";
  std::vector<KPoint> kpoints{{}};           ///< weights add up to 1
  std::optional<KMesh> mesh = std::nullopt;  ///< they are of; none: a list
  std::string kpoints_sentence = "Gamma";    ///< where they come from, for the output
  SpaceGroup symmetry{};  ///< under which the density is symmetrised; `kpoints` may then be irreducible ones
  Index bands = 0;        ///< per k-point and spin
  Smearing smearing{SmearingKind::fixed, 0};
  int spins = 1;                                      ///< 1, or 2 for collinear spin
  std::vector<double> moments{};                      ///< n_up - n_down to start with, per atom; empty: none
  std::optional<double> total_moment = std::nullopt;  ///< held fixed; none: free
  double charge = 0;                                  ///< of the cell, in a neutralising background
  Mode mode = Mode::gamma;  ///< gamma: real wave functions, for k = 0 alone; complex: any k-points
  Start start = Start::lcao;
  std::optional<Eigensolver> eigensolver = std::nullopt;            ///< none: chosen by choose_eigensolver
  std::optional<PreconditionerKind> preconditioner = std::nullopt;  ///< of the mixing; none: chosen
  ScfOptions scf;
  Precision precision = Precision::automatic;
  std::vector<KPoint> band_path{};  ///< k-points whose bands are wanted in the converged potential; weights unused
  bool keep_density = false;        ///< give the density on the whole grid to rank 0
  DerivativeOptions derivatives{};  ///< forces and stress at the end

  std::optional<CheckpointOptions> checkpoint = std::nullopt;
  std::string restart_file = "";  ///< a checkpoint to go on from; empty: none

  GroupOptions levels{};                              ///< numbers of groups; what is left open is chosen
  std::optional<GridShape> shape = std::nullopt;      ///< rows x columns of a band group
  std::optional<Scheme> scheme = std::nullopt;        ///< empty: greedy or optimized, by estimated cost
  std::optional<Transport> transport = std::nullopt;  ///< none: the fastest, found out while running
  std::string transports_file = "";                   ///< where such decisions are kept from run to run; empty: nowhere
  int threads = 1;
  /// Energies, eigenvalues and densities do not depend on rows x columns or on the number of ranks, bit for bit, at
  /// fixed numbers of k-groups, band groups and threads. Double precision only (decision 0007).
  bool deterministic = false;
};

/// Bands along `Problem::band_path`, ordered k-point, spin, band.
struct BandStructure {
  std::vector<double> eigenvalues;  ///< Ha
  double error = 0;                 ///< Ha; the largest error that the residuals of the wanted bands allow
  bool converged = true;
};

/// The checkpoints that a calculation has written.
struct CheckpointFigures {
  std::string file;
  int writes = 0;
  double seconds = 0;   ///< of all writes
  double bytes = 0;     ///< of the last
  std::string fault{};  ///< why the last one could not be written; empty: it was
};

/// The result with the figures of how it was reached. The same on all ranks, but for the seconds.
struct CalculationResult {
  ScfResult scf;
  BandStructure path;       ///< empty without a path
  SpinFields density;       ///< on rank 0, (nx, ny, nz) with z fastest; empty unless asked for
  Derivatives derivatives;  ///< those asked for where it was not stopped; of bands that are not converged too
  std::optional<RestartReport> restart;
  std::optional<CheckpointFigures> checkpoint;
  int stop_signal = 0;    ///< that ended it before its time; 0: none
  Index plane_waves = 0;  ///< of the first k-point's sphere as stored: half of it in Mode::gamma
  Index max_plane_waves = 0, min_plane_waves = 0;  ///< of a rank of a band group
  int ranks = 1;
  GroupCounts levels;
  std::string levels_reason;
  Scheme scheme = Scheme::greedy;
  GridShape shape;
  bool mixed_precision = false;
  std::string transport;                   ///< as it was used: "none" on one rank
  std::optional<TunerReport> tuning;       ///< how it was chosen, where it was
  std::optional<TunerReport> band_tuning;  ///< the same of the exchange between band groups
  std::string partition_reason;
  Eigensolver eigensolver = Eigensolver::lobpcg;
  std::string eigensolver_reason;
  PreconditionerKind preconditioner = PreconditionerKind::kerker;  ///< of the mixing
  double peak_memory = 0;  ///< bytes resident at most on a rank, the whole process
  Index h_applications = 0, nonlocal_applications = 0, ffts = 0;  ///< of all k-points and groups
  struct Seconds {
    double total = 0;
    std::array<double, num_phases> of_phase{};
  } seconds;
};

/// How a problem is divided over ranks. Pure, the same on all ranks.
struct Division {
  /// Throws bad_input where what the problem asks for does not fit.
  Division(const Problem& problem, int ranks);

  GSphere sphere;  ///< of the first k-point
  GroupChoice levels;

  /// The partition of the first k-point's sphere over a band group of `ranks` ranks, with the reason.
  [[nodiscard]] PartitionChoice partition(const Problem& problem, int ranks) const;
};

/// Whether the problem begins in single precision. Pure.
[[nodiscard]] bool begins_in_single(const Problem& problem);

/// Solves the problem on the ranks of `comm`. Collective. Throws on all ranks alike. With a trace (start_trace) each
/// rank writes there what it did when.
[[nodiscard]] CalculationResult run_calculation(const Comm& comm, const Problem& problem,
                                                const ScfObserver& observer = {}, Trace* trace = nullptr);

}  // namespace wavegrid
