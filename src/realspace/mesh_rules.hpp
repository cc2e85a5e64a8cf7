// What a mesh says of a problem before anything is computed.
#pragma once

#include <wavegrid/discretisation/discretisation_rules.hpp>

namespace wavegrid {

/// As DiscretisationRules; the problem has a mesh_basis.
class MeshRules final : public DiscretisationRules {
 public:
  void require_valid(const Problem& problem) const override;
  [[nodiscard]] GroupChoice groups(const Problem& problem, int ranks) const override;
  [[nodiscard]] ParallelSizes sizes(const Problem& problem, int ranks) const override;
  [[nodiscard]] MemoryEstimate memory(const Problem& problem, int ranks) const override;
  [[nodiscard]] EigensolverChoice automatic_eigensolver(const Problem& problem) const override;
  /// The points of the region, at every k-point.
  [[nodiscard]] Index basis_size(const Problem& problem, const KPoint& point) const override;
  [[nodiscard]] Int3 field_grid(const Problem& problem) const override;
};

}  // namespace wavegrid
