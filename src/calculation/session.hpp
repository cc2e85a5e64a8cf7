// A calculation that is set up once and solved many times: for other positions, another cell.
#pragma once

#include <memory>
#include <vector>

#include "calculation/result.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

struct SessionOptions {
  /// Whether transforms and projectors of both precisions stay between solves. Without it a single solve needs less
  /// memory, and a later one makes anew what it needs.
  bool keep_plans = true;
};

/// Owns communicator, plans, projectors, bands and density of a problem. The first solve begins from superposed atoms
/// or from the problem's checkpoint; each later one from the density and the bands of the one before:
///
/// - the density is carried over as the change against superposed atoms (carry_over.hpp), as a restart does;
/// - in another cell the bands are reassigned by Miller index onto the new sphere of plane waves, and made orthonormal;
/// - where the problem follows symmetry (Problem::follow_symmetry) and the geometry has another one, the bands of the
/// new
///   k-points are those of equivalent old ones, rotated.
///
/// What does not depend on the geometry stays: groups of ranks and their communicators, tuned transports, FFT plans
/// where the sphere is the same, the solved atoms. All members but the getters are collective over the communicator;
/// arguments are the same on all ranks, and errors are thrown on all ranks alike.
class Session {
 public:
  /// With a trace, which must live longer, each rank writes there what it did when. Throws bad_input for a problem that
  /// cannot be computed.
  Session(const Comm& comm, const Problem& problem, Trace* trace = nullptr, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Solves the problem in its present geometry. Figures of the result are those of this solve.
  [[nodiscard]] CalculationResult solve(const ScfObserver& observer = {});

  /// Moves the atoms: fractional coordinates in the crystal's order. Throws bad_input, and changes nothing, where there
  /// are not as many as atoms or where atoms coincide.
  void set_positions(const std::vector<Vec3>& fractional);
  /// Gives the cell other vectors (rows, bohr); fractional coordinates stay. Throws bad_input, and changes nothing,
  /// where the FFT grid does not hold the new sphere; another grid may be given.
  void set_cell(const Mat3& vectors, std::optional<Int3> grid = std::nullopt);

  /// With the present geometry, k-points and symmetry.
  [[nodiscard]] const Problem& problem() const;

  /// What a session does for one scalar of bands. Not for callers.
  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// A session solved once, with as little memory as may be. Collective over `comm`. Throws on all ranks alike.
[[nodiscard]] CalculationResult run_calculation(const Comm& comm, const Problem& problem,
                                                const ScfObserver& observer = {}, Trace* trace = nullptr);

}  // namespace wavegrid
