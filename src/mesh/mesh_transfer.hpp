// Moves functions from one region of the points of a cell to another one, also of a cell that has changed.
#pragma once

#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/mesh/mesh.hpp>

namespace wavegrid {

/// Whether both are the same points: of the same cell, counts, boundaries and region, exactly. Pure.
[[nodiscard]] bool same_points(const MeshGrid& a, const MeshGrid& b);

/// Functions on one mesh as functions on another one of the same counts and boundaries, whose cell, region and
/// distribution may differ: the same values at the points that both have, by their numbers along the lattice vectors, 0
/// at the others.
class MeshTransfer {
 public:
  /// Collective over to.comm(), whose ranks are those of `from`. The meshes are not needed afterwards.
  MeshTransfer(const Mesh& from, const Mesh& to);

  /// A function by its values at this rank's points. Collective.
  [[nodiscard]] std::vector<double> operator()(const std::vector<double>& values);
  /// Bands, (components x points, count). Collective.
  template <class S>
  [[nodiscard]] Bands<S> operator()(const Bands<S>& bands, int components = 1);

 private:
  Index points_;
  ExchangePlan plan_;
};

}  // namespace wavegrid
