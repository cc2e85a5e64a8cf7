// Which transport is fastest, measured by the running application itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/exchange/transport.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// What a tuner measured and chose.
struct TunerReport {
  struct Row {
    Transport transport = Transport::alltoallv;
    double median = 0;  ///< seconds per step of the slowest rank
    double spread = 0;  ///< seconds between the fastest and the slowest of its rounds
  };
  std::vector<Row> rows;  ///< fastest first; empty if nothing was measured
  Transport chosen = Transport::alltoallv;
  std::string reason;  ///< one sentence
};

/// Measures candidates in the steps of the running calculation, with the delays between ranks that really occur, and
/// chooses the fastest, the same on all ranks.
///
/// A step is all the work that the caller does with one transport, computation included: if only the MPI call were
/// measured, a candidate could move waiting time to other parts. (In CP2K a synchronised micro-benchmark predicted a
/// gain of 43%, and the application gained 2%.) Every candidate has one warm-up step and `rounds` measured steps, in an
/// order that rotates.
class Tuner {
 public:
  /// `candidates` are tried in this order, which also decides ties.
  Tuner(const Comm& comm, std::vector<Transport> candidates, int rounds = 3);

  [[nodiscard]] bool decided() const { return report_.has_value(); }
  /// The transport of the next step: the next candidate, after the decision the chosen one.
  [[nodiscard]] Transport transport() const;
  /// Records the seconds that the step took on this rank. The last call of a search decides: it is collective.
  void record(double seconds);
  /// Does `work` as one step, with the transport of this step in `plan`: an ExchangePlan, or what has its transport(),
  /// use_agreed() and release_other_transports(). Afterwards the plan has the transport from before, or that of the
  /// decision: then the resources of all others are freed. `amount`: of the work, where steps differ; times are divided
  /// by it.
  template <class Plan, class Work>
  void step(Plan& plan, const Work& work, double amount = 1.0) {
    const Transport before = plan.transport();
    plan.use_agreed(transport());
    const auto began = std::chrono::steady_clock::now();
    work();
    record(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / amount);
    plan.use_agreed(decided() ? transport() : before);
    if (decided()) plan.release_other_transports();
  }
  /// Ends the search with a transport known to be good, such as one stored by an earlier run.
  void decide(Transport transport, std::string reason);

  /// What was measured and chosen; before the decision the candidate of the next step without measurements.
  [[nodiscard]] TunerReport report() const;

 private:
  [[nodiscard]] std::size_t turn() const;
  void compare();

  Comm comm_;
  std::vector<Transport> candidates_;
  std::size_t rounds_;
  std::size_t step_ = 0;
  std::vector<double> seconds_;  ///< (candidate, round)
  std::optional<TunerReport> report_;
};

/// Decisions of earlier runs, a text file of lines "shape<tab>transport".
class StoredTransports {
 public:
  /// Reads the file on rank 0 for all ranks. Collective. A missing file means that nothing is stored; a malformed line
  /// throws bad_input that quotes it.
  StoredTransports(const Comm& comm, std::string file);

  [[nodiscard]] std::optional<Transport> find(const std::string& shape) const;
  /// Adds a decision, or replaces that of the same shape. Local.
  void set(const std::string& shape, Transport transport);
  /// Writes the decisions of rank 0 if any of them is new; throws environment_error if the file cannot be written.
  /// Collective.
  void write();

 private:
  Comm comm_;
  std::string file_;
  std::vector<std::pair<std::string, Transport>> decisions_;
  bool changed_ = false;
};

}  // namespace wavegrid
