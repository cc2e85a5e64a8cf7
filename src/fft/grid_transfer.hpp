// Fields on two grids: that of the density, and that of the bands, which is coarser.
//
//   restriction     (R v)(G) = v(G),   from the density's grid to the bands'
//   interpolation   (I n)(G) = n(G),   back;   both for |G|^2/2 <= cut, and 0 elsewhere
//
// The cut is below the faces of both FFT boxes, so that every G has its -G: real fields stay real, and a set of G that
// the symmetry maps onto itself stays one. int n (R v) = int (I n) v for all v and n: the operator of the bands in the
// potential R v is the derivative of an energy of the density I n.
#pragma once

#include <vector>

#include <wavegrid/exchange/tuned_plan.hpp>
#include <wavegrid/fft/grid_fft.hpp>

namespace wavegrid {

/// Fields on both grids are distributed over the same ranks. Members are collective over them.
class GridTransfer {
 public:
  /// Between `density`, which has to outlive it, and `bands_grid`, distributed as GridFft says. `cut` in Ha. Throws
  /// bad_input where a grid does not hold the sphere of `cut` inside its faces.
  GridTransfer(GridFft& density, const ProcessGrid& ranks, const Int3& bands_grid, Scheme scheme, double cut,
               const FftOptions& options);

  /// Bytes on one part that the transform on the bands' grid does not count, for `waves` G within the cut. Pure.
  [[nodiscard]] static double bytes(Index waves) { return 2.0 * sizeof(Index) * static_cast<double>(waves); }

  [[nodiscard]] GridFft& bands_grid() { return bands_; }              ///< Local.
  [[nodiscard]] const GridFft& bands_grid() const { return bands_; }  ///< Local.
  [[nodiscard]] TunedPlan<ExchangePlan>& plan() { return plan_; }     ///< Local.

  /// R v, at the points of the bands' grid.
  [[nodiscard]] std::vector<double> restriction(const std::vector<double>& values);
  /// I n, at the points of the density's grid.
  [[nodiscard]] std::vector<double> interpolation(const std::vector<double>& values);

 private:
  GridFft& density_;
  GridFft bands_;
  std::vector<std::size_t> density_places_, bands_places_;  ///< places of this rank's G within the cut on each grid
  TunedPlan<ExchangePlan> plan_;                            ///< from the density's grid to the bands'
};

}  // namespace wavegrid
