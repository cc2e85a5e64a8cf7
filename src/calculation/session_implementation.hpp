// What a session does, for one discretisation and scalar type of bands.
#pragma once

#include <wavegrid/calculation/session.hpp>

namespace wavegrid {

class Session::Implementation {
 public:
  virtual ~Implementation() = default;
  [[nodiscard]] virtual CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) = 0;
  [[nodiscard]] virtual PropagationResult propagate(const Propagation& options,
                                                    const PropagationObserver& observer) = 0;
  [[nodiscard]] virtual FieldResponseResult respond(const FieldResponse& options,
                                                    const FieldResponseObserver& observer) = 0;
  [[nodiscard]] virtual BandStructure levels(const std::vector<Vec3>& kpoints) = 0;
  virtual std::optional<CheckpointReport> write_checkpoint() = 0;
  virtual void set_geometry(Crystal crystal, const Int3& grid, const Int3& density_grid) = 0;
  [[nodiscard]] virtual const Problem& problem() const = 0;
  [[nodiscard]] virtual SolvedFields fields() = 0;
  [[nodiscard]] virtual std::vector<SolvedBands> bands() = 0;
  virtual void visit_bands(BandsVisitor& visitor) = 0;
};

}  // namespace wavegrid
