// Overlaps of bands with projectors, from the values of the bands at the points of the spheres.
#pragma once

#include <algorithm>
#include <complex>
#include <functional>
#include <span>
#include <vector>

#include <wavegrid/base/profile.hpp>
#include <wavegrid/fft/grid_operator.hpp>
#include <wavegrid/hamiltonian/projector_spheres.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

template <class Real>
struct ProjectionSetting {
  Comm grid;                                   ///< the ranks of the grid
  GridBlock block;                             ///< of this rank
  bool in_order;                               ///< the same bits on any number of ranks
  int bands_per_array;                         ///< 2 in Mode::gamma
  std::span<const std::complex<Real>> phases;  ///< empty: 1
  Profile* profile;
};

/// Projects a block of bands with their phases exp(i k.r), plane by plane: the arrays of a group on a plane are
/// interleaved in a work array that fits into the second-level cache, where all spheres use it. What is done with the
/// overlaps is left to finish(), called after each block. Base: GridVisitor, or GridOperator for bands that are
/// changed.
template <class Real, class Base = GridVisitor<Real>>
class Projection : public Base {
 public:
  using Setting = ProjectionSetting<Real>;

  /// `spheres` and the phases must outlive it.
  Projection(ProjectorSpheres<Real>& spheres, const Setting& setting) : spheres_(spheres), setting_(setting) {}

  void read(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) override;

 protected:
  /// After weights() are <beta|psi> of a block, the same on all ranks of the grid. Local.
  virtual void finish(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) = 0;

  [[nodiscard]] ProjectorSpheres<Real>& spheres() const { return spheres_; }
  [[nodiscard]] const Setting& setting() const { return setting_; }
  /// The factor of a sum over points: sqrt(Omega) is in the values of the projectors.
  [[nodiscard]] Real factor() const {
    const Int3& n = setting_.block.grid;
    return Real(1) / (Real(n[0]) * Real(n[1]) * Real(n[2]));
  }

  /// Groups of arrays of a block.
  [[nodiscard]] static Index num_groups(const GridArrays<Real>& block) {
    return ceil_div(block.count, arrays_per_group<Real>);
  }
  /// <beta|psi> of a group (projectors, lanes).
  [[nodiscard]] Real* weights(Index group) const {
    return spheres_.work().weights.data() + group * spheres_.num_projectors() * lanes<Real>;
  }
  /// One of them: columns are the real and the imaginary part of each array.
  [[nodiscard]] Real& weight(Index projector, Index column) const {
    return weights(column / lanes<Real>)[projector * lanes<Real> + column % lanes<Real>];
  }
  /// Calls action(column, number of the band) for the columns of a block; both columns of an array may be one band's.
  template <class Action>
  void for_columns(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands, Action action) const {
    for (Index c = 0; c < 2 * block.count; ++c) {
      const Index band = setting_.bands_per_array == 2 ? c : c / 2;
      if (band < bands && numbers.of(band) >= 0) action(c, numbers.of(band));
    }
  }
  /// Calls action(x, plane) for each plane of the grid with the interleaved arrays of a group on the lines in spheres,
  /// (my y, nz, lanes), by all threads.
  void for_planes(const GridArrays<Real>& block, Index group,
                  const std::function<void(Index x, Real* plane)>& action) const;
  /// The arrays of a group, and the number of the first point of a line in each.
  [[nodiscard]] static ArrayGroup<Real> arrays_of(const GridArrays<Real>& block, Index group) {
    const Index first = group * arrays_per_group<Real>;
    return {block.values + first * block.stride, std::min(arrays_per_group<Real>, block.count - first), block.stride};
  }
  [[nodiscard]] Index first_point(Index x, Index y) const {
    return (x * setting_.block.y.size() + y) * setting_.block.grid[2];
  }
  [[nodiscard]] SphereSlice<Real> slice(const SpherePiece& piece) const {
    return spheres_.slice(piece, setting_.phases);
  }

 private:
  void project(const GridArrays<Real>& block, Index group);
  void sum_pieces(Index group);
  void sum_in_order(Index group, Index columns);
  [[nodiscard]] Real* sums(const SpherePiece& piece) const {
    return spheres_.work().sums.data() + piece.first_sum * lanes<Real>;
  }

  ProjectorSpheres<Real>& spheres_;
  Setting setting_;
};

}  // namespace wavegrid
