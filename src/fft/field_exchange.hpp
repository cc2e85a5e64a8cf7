// Fields between the ranks of all groups and the groups that use them: of an FFT grid or of a mesh.
//
// Density and potential are stored once, distributed over all ranks. Every group needs the whole potential,
// distributed over its own ranks, and contributes to the density: the same plan, forward and adjoint.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/tuned_plan.hpp>
#include <wavegrid/fft/fft_layout.hpp>

namespace wavegrid {

/// Global indices (x * ny + y) * nz + z of the points of this rank's block, in local order. Pure.
[[nodiscard]] IndexList grid_indices(const FftLayout& layout);

/// Moves real fields between the layout of all ranks and that of each group. All calls are collective over
/// `world`.
class FieldExchange {
 public:
  /// `whole` has the points of this rank where the field is distributed over `world`, `part` those where the same
  /// field is distributed over the group of this rank; both in local order. Without a transport to_groups() searches
  /// for the fastest one.
  FieldExchange(const Comm& world, const IndexList& whole, const IndexList& part,
                const std::optional<Transport>& transport);

  /// The field on this rank's block in the layout of its group.
  [[nodiscard]] std::vector<double> to_groups(const std::vector<double>& field);
  /// The sum of all groups' fields on this rank's block in the layout of the world, added in the order of ranks.
  [[nodiscard]] std::vector<double> sum_over_groups(const std::vector<double>& part);

  [[nodiscard]] TunedPlan<ExchangePlan>& plan() { return plan_; }  ///< Local.

 private:
  Index whole_size_, part_size_;
  TunedPlan<ExchangePlan> plan_;
};

/// A whole field on rank 0, zero at indices that no rank owns; empty on other ranks. `mine`: the indices, from 0 to
/// `size`, of this rank's values. Collective.
[[nodiscard]] std::vector<double> gather_field(const Comm& comm, const IndexList& mine, Index size,
                                               const std::vector<double>& field);
/// The same of an FFT grid: (nx, ny, nz), z fastest. Collective.
[[nodiscard]] std::vector<double> gather_field(const Comm& comm, const FftLayout& layout,
                                               const std::vector<double>& field);

}  // namespace wavegrid
