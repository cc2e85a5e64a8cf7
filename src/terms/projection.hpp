// Overlaps of bands with projectors, from the values of the bands at the points of the spheres.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "base/profile.hpp"
#include "fft/grid_operator.hpp"
#include "mpi/comm.hpp"
#include "terms/projector_spheres.hpp"

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

/// Collects a block of bands at the points of the spheres, with their phases exp(i k.r), and projects them. What is
/// done with the overlaps is left to finish(), called after each block.
template <class Real>
class Projection : public GridOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  using Setting = ProjectionSetting<Real>;

  /// `spheres` and the phases must outlive it.
  Projection(ProjectorSpheres<Real>& spheres, const Setting& setting) : spheres_(spheres), setting_(setting) {}

  void begin(Index arrays) override;
  void take(const Complex* lines, Index row, const Tile& tile, Index array) override;
  void combine(const BandNumbers& numbers, Index bands) override;
  void add(Complex* lines, Index row, const Tile& tile, Index array) const override;

 protected:
  /// After weights() are <beta|psi> of a block, the same on all ranks of the grid. Local.
  virtual void finish(const BandNumbers& numbers, Index bands) = 0;

  [[nodiscard]] ProjectorSpheres<Real>& spheres() const { return spheres_; }
  [[nodiscard]] const Setting& setting() const { return setting_; }
  /// (projectors, columns): two columns for each array, of its real and its imaginary part.
  [[nodiscard]] Matrix<Real>& weights() const { return spheres_.work().weights; }
  [[nodiscard]] Index columns() const { return columns_; }
  /// The values of a column at all points of this rank.
  [[nodiscard]] Real* column(Index c) const { return spheres_.work().points.data() + c * spheres_.num_points(); }
  /// The factor of a sum over points: sqrt(Omega) is in the values of the projectors.
  [[nodiscard]] Real factor() const {
    const Int3& n = setting_.block.grid;
    return Real(1) / (Real(n[0]) * Real(n[1]) * Real(n[2]));
  }
  /// Calls action(column, number of the band) for the columns of a block; both columns of an array may be one band's.
  template <class Action>
  void for_columns(const BandNumbers& numbers, Index bands, Action action) const {
    for (Index c = 0; c < columns_; ++c) {
      const Index band = setting_.bands_per_array == 2 ? c : c / 2;
      if (band < bands && numbers.of(band) >= 0) action(c, numbers.of(band));
    }
  }

 private:
  void sum_in_order();
  /// Calls action(line of the tile, run) for the runs on a tile's lines, those of a line by atom.
  template <class Action>
  void for_runs(const Tile& tile, Action action) const {
    for (Index line = 0; line < tile.count; ++line)
      for (const Index run : spheres_.runs_of_line(tile.x * setting_.block.y.size() + tile.y + line))
        action(line, spheres_.run(run));
  }

  ProjectorSpheres<Real>& spheres_;
  Setting setting_;
  Index columns_ = 0;
};

/// Column by column: out = values c, (points, columns) = (points, projectors) (projectors, columns), of one sphere, in
/// an order that does not depend on the number of points.
template <class Real>
void expand_in_order(const Real* values, Index points, Index projectors, const Real* c, Index ldc, Index columns,
                     Real* out, Index ldo) {
  for (Index j = 0; j < columns; ++j) {
    std::fill_n(out + j * ldo, points, Real(0));
    for (Index i = 0; i < projectors; ++i)
      for (Index p = 0; p < points; ++p) out[j * ldo + p] += values[i * points + p] * c[j * ldc + i];
  }
}

}  // namespace wavegrid
