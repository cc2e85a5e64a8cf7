// Fields between the ranks of all groups and the band groups that use them.
//
// Density and potential are stored once, distributed over all ranks. Every band group needs the whole potential,
// distributed over its own ranks, and contributes to the density: the same plan, forward and adjoint.
#pragma once

#include <vector>

#include "exchange/directory.hpp"
#include "exchange/exchange_plan.hpp"
#include "fft/fft_layout.hpp"

namespace wavegrid {

/// Global indices (x * ny + y) * nz + z of the points of this rank's block, in local order. Pure.
[[nodiscard]] IndexList points_of(const FftLayout& layout);

/// Moves real fields between the layout of all ranks and that of each band group. All calls are collective over
/// `world`.
class FieldExchange {
 public:
  /// `whole` is the layout of the field distributed over `world`, `part` that of the same grid distributed over the
  /// band group of this rank.
  FieldExchange(const Comm& world, const FftLayout& whole, const FftLayout& part, Transport transport);

  /// The field on this rank's block in the layout of its band group.
  [[nodiscard]] std::vector<double> to_groups(const std::vector<double>& field);
  /// The sum of all band groups' fields on this rank's block in the layout of the world, added in the order of ranks.
  [[nodiscard]] std::vector<double> sum_of_groups(const std::vector<double>& part);

 private:
  Index whole_size_, part_size_;
  ExchangePlan plan_;
};

/// A whole field (nx, ny, nz), z fastest, on rank 0; empty on other ranks. Collective.
[[nodiscard]] std::vector<double> gather_field(const Comm& comm, const FftLayout& layout,
                                               const std::vector<double>& field);

}  // namespace wavegrid
