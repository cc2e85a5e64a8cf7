// A calculation that is set up once and solved many times, for changed positions or a changed cell.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/calculation/activity.hpp>
#include <wavegrid/calculation/field_response_result.hpp>
#include <wavegrid/calculation/propagation_result.hpp>
#include <wavegrid/calculation/result.hpp>
#include <wavegrid/calculation/solved_state.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

struct SessionOptions {
  /// Whether transforms and projectors of both precisions are kept between solves. Without it a single solve needs less
  /// memory, and a later solve makes them again.
  bool keep_plans = true;
};

/// Owns communicator, plans, projectors, bands and density of a problem. The first solve starts from superposed atoms
/// or from the problem's checkpoint; each later one from the densities and the bands of the last four solves:
///
/// - bands and differences of the densities from superposed atoms are extrapolated to the new geometry
///   (extrapolation.hpp);
/// - in another cell the bands are reassigned by Miller index onto the new sphere of plane waves, and orthonormalised;
/// - if the problem follows symmetry (Problem::follow_symmetry) and the symmetry changes, the bands of the new k-points
///   are those of equivalent old ones, rotated.
///
/// What does not depend on the geometry is kept: groups of ranks and their communicators, tuned transports, FFT plans
/// if the sphere is the same, the pseudo-atoms. All members but the getters are collective over the communicator;
/// arguments are the same on all ranks, and errors are thrown on all ranks.
class Session {
 public:
  /// If a trace is given, each rank records its phases in it; it must outlive the session. Throws bad_input for a
  /// problem that cannot be computed.
  Session(const Comm& comm, const Problem& problem, Trace* trace = nullptr, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Solves the problem in its present geometry. Times and counts in the result are those of this solve. The observer
  /// may call fields(), bands() and visit_bands(), on all ranks, and no other member that is collective. If it throws,
  /// on all ranks, the solve ends with its exception, and the next one starts as the first one did.
  [[nodiscard]] CalculationResult solve(const ScfObserver& observer = {}, const ActivityObserver& activity = {});

  /// Propagates the bands of the last solve in time, or goes on from where the last propagation has ended; the observer
  /// may call no member of the session. fields() and bands() are those of the time that was reached. Throws bad_input
  /// for what cannot be propagated (require_valid), such as real bands, and if there was no solve that came to its end.
  [[nodiscard]] PropagationResult propagate(const Propagation& options, const PropagationObserver& observer = {});

  /// The response of the bands of the last solve, of an insulator, to uniform electric fields of clamped ions; the
  /// observer, after each field, may call no member of the session. A stop signal ends it after a field. Throws
  /// bad_input as propagate(), and for a metal.
  [[nodiscard]] FieldResponseResult respond(const FieldResponse& options, const FieldResponseObserver& observer = {});

  /// Levels at further k-points, in units of the reciprocal vectors, in the potential of the last solve: k-point, spin,
  /// band. Throws bad_input for exact exchange, bands that are real, and if there was no solve that came to its end.
  [[nodiscard]] BandStructure levels(const std::vector<Vec3>& kpoints);

  /// Writes a checkpoint of the last solve, before the geometry is changed; without Problem::checkpoint there is none.
  /// Returns the report of all checkpoints so far. Throws bad_input if there was no solve that came to its end.
  std::optional<CheckpointReport> write_checkpoint();

  /// Moves the atoms: fractional coordinates in the crystal's order. Throws bad_input, and changes nothing, if their
  /// number is not that of the atoms or if atoms coincide.
  void set_positions(const std::vector<Vec3>& fractional);
  /// Sets the cell vectors (rows, bohr); fractional coordinates stay. Throws bad_input, and changes nothing, if the FFT
  /// grid is too small for the new sphere; another grid may be given, and with a grid of the density of its own
  /// (Problem::density_grid) another one of these.
  void set_cell(const Mat3& vectors, std::optional<Int3> grid = std::nullopt,
                std::optional<Int3> density_grid = std::nullopt);

  /// Density and potential of the last solve at this rank's points. Within an observer of solve() those of the step:
  /// its input density (with direct minimisation the density that it has reached) and the potential made from it, in
  /// which the bands were found. Throws bad_input outside of an observer if there was no solve that came to its end in
  /// the present geometry.
  [[nodiscard]] SolvedFields fields();
  /// The bands of this rank's k-point group, a copy of its rows; of a step in single precision with the rounding of
  /// that. Throws as fields().
  [[nodiscard]] std::vector<SolvedBands> bands();
  /// Shows the visitor each of these in place, with its operator in the potential of the density; operations on them
  /// are collective over the k-point group. Within an observer of solve() the operators have the potential of the step,
  /// and must keep it; bands in single precision are refused (bad_input). Throws as fields().
  void visit_bands(BandsVisitor& visitor);

  /// With the present geometry, k-points and symmetry.
  [[nodiscard]] const Problem& problem() const;

  /// Implementation for one scalar type of bands. Not for callers.
  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// A session that is solved once, with the least memory. Collective over `comm`. Throws on all ranks or none.
[[nodiscard]] CalculationResult run_calculation(const Comm& comm, const Problem& problem,
                                                const ScfObserver& observer = {}, Trace* trace = nullptr,
                                                const ActivityObserver& activity = {});

}  // namespace wavegrid
