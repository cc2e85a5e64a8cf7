// What plane waves say of a problem before anything is computed.
#pragma once

#include <wavegrid/discretisation/discretisation_rules.hpp>

namespace wavegrid {

/// As DiscretisationRules.
class PlaneWaveRules final : public DiscretisationRules {
 public:
  void require_valid(const Problem& problem) const override;
  [[nodiscard]] GroupChoice groups(const Problem& problem, int ranks) const override;
  [[nodiscard]] ParallelSizes sizes(const Problem& problem, int ranks) const override;
  /// For the rank with most plane waves, or the one with most of the grid (plane_wave_memory.cpp).
  [[nodiscard]] MemoryEstimate memory(const Problem& problem, int ranks) const override;
  [[nodiscard]] EigensolverChoice automatic_eigensolver(const Problem& problem) const override;
  [[nodiscard]] Index basis_size(const Problem& problem, const KPoint& point) const override;
  [[nodiscard]] Int3 field_grid(const Problem& problem) const override { return problem.field_grid(); }
};

/// Whether the bands begin in single precision. Pure.
[[nodiscard]] bool begins_in_single(const Problem& problem);

}  // namespace wavegrid
