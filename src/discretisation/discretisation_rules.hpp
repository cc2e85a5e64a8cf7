// What a discretisation says of a problem before anything is computed: whether it can compute it, how it would divide
// it over ranks, how much memory it needs.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <wavegrid/base/index.hpp>
#include <wavegrid/costmodel/choose_groups.hpp>
#include <wavegrid/discretisation/choose_eigensolver.hpp>
#include <wavegrid/discretisation/memory_estimate.hpp>
#include <wavegrid/discretisation/projector_choice.hpp>
#include <wavegrid/layout/partition.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// How a problem is divided over ranks, and its sizes. Zeros where a discretisation has no such number.
struct ParallelSizes {
  GroupChoice groups;
  std::string partition, partition_reason;
  GridShape shape;
  Index plane_waves = 0;                           ///< of the first k-point, as stored
  Index max_plane_waves = 0, min_plane_waves = 0;  ///< of a rank of a band group
  /// Of the transform of a band in each direction, on the rank that has most of each.
  Index transform_flops = 0;
  Index transform_messages = 0, transform_bytes = 0, transform_first_messages = 0, transform_first_bytes = 0;
  std::optional<ProjectorChoice> projectors;

  struct MeshSizes {
    Index points = 0;
    Index legs = 0;                   ///< neighbours of a point in the stencil
    std::array<double, 3> spacing{};  ///< bohr
    Int3 poisson_grid{};              ///< points of the box in which Poisson's equation is solved
  };
  std::optional<MeshSizes> mesh;
};

/// Pure: the same on all ranks. The problem of all but require_valid() is valid.
class DiscretisationRules {
 public:
  DiscretisationRules() = default;
  DiscretisationRules(const DiscretisationRules&) = delete;
  DiscretisationRules& operator=(const DiscretisationRules&) = delete;
  virtual ~DiscretisationRules() = default;

  /// Throws bad_input for a problem, valid as far as require_valid_values() knows, that it cannot compute.
  virtual void require_valid(const Problem& problem) const = 0;
  /// The division into groups; throws bad_input if the one requested does not fit the ranks.
  [[nodiscard]] virtual GroupChoice groups(const Problem& problem, int ranks) const = 0;
  /// Throws as groups().
  [[nodiscard]] virtual ParallelSizes sizes(const Problem& problem, int ranks) const = 0;
  /// Of the rank that needs most. Throws as groups().
  [[nodiscard]] virtual MemoryEstimate memory(const Problem& problem, int ranks) const = 0;
  /// The eigensolver where nothing else decides.
  [[nodiscard]] virtual EigensolverChoice automatic_eigensolver(const Problem& problem) const = 0;
  /// The number of independent functions at a k-point.
  [[nodiscard]] virtual Index basis_size(const Problem& problem, const KPoint& point) const = 0;
  /// Points along each axis of the grid on which densities have Fourier coefficients.
  [[nodiscard]] virtual Int3 field_grid(const Problem& problem) const = 0;
};

/// The eigensolver set in the problem, otherwise one chosen by measurements (docs/lab/solvers.md). Pure,
/// the same on all ranks.
[[nodiscard]] EigensolverChoice choose_eigensolver(const Problem& problem, const DiscretisationRules& rules);

}  // namespace wavegrid
