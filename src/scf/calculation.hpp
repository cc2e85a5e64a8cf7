// A whole calculation: from a crystal and its settings to energies and eigenvalues.
#pragma once

#include <optional>
#include <string>

#include "atoms/crystal.hpp"
#include "scf/solve_scf.hpp"
#include "scf/start_orbitals.hpp"

namespace wavegrid {

/// What to compute and how to spread it. Units: Ha, bohr.
struct Problem {
  Crystal crystal;
  Pseudopotentials pseudopotentials;  ///< one per species
  double ecut = 0;
  Int3 grid{};
  std::string xc = "LDA_XC_TETER93";
  Index bands = 0;
  Smearing smearing{SmearingKind::fixed, 0};
  Mode mode = Mode::gamma;  ///< gamma: real wave functions; complex: the same k = 0 without that symmetry
  Start start = Start::lcao;
  ScfOptions scf;
  std::optional<Scheme> scheme = std::nullopt;        ///< empty: greedy or optimized, by estimated cost
  std::optional<Transport> transport = std::nullopt;  ///< none: the fastest, found out while running
  std::string transports_file = "";                   ///< where such decisions are kept from run to run; empty: nowhere
  int threads = 1;
};

/// The result with the figures of how it was reached. The same on all ranks, but for the seconds.
struct CalculationResult {
  ScfResult scf;
  Index plane_waves = 0;  ///< of the sphere as stored: half of it in Mode::gamma
  Index max_plane_waves = 0, min_plane_waves = 0;
  int ranks = 1;
  Scheme scheme = Scheme::greedy;
  GridShape shape;
  std::string transport;              ///< as it was used: "none" on one rank
  std::optional<TunerReport> tuning;  ///< how it was chosen, where it was
  std::string partition_reason;
  double peak_memory = 0;  ///< bytes resident at most on a rank, the whole process
  Index h_applications = 0, nonlocal_applications = 0, ffts = 0;
  struct Seconds {
    double total = 0, fft = 0, exchange = 0, linear_algebra = 0, nonlocal = 0, other = 0;
  } seconds;
};

/// Solves the problem on the ranks of `comm`. Collective. Throws on all ranks alike. With a trace (start_trace) each
/// rank writes there what it did when.
[[nodiscard]] CalculationResult run_calculation(const Comm& comm, const Problem& problem,
                                                const ScfObserver& observer = {}, Trace* trace = nullptr);

}  // namespace wavegrid
