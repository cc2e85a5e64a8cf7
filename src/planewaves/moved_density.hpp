// The density of an earlier geometry on the FFT grid of another one.
#pragma once

#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>

namespace wavegrid {

/// A density of an earlier crystal on its own grid; components as in spin_fields.hpp.
struct EarlierDensity {
  const Crystal& crystal;
  const GridFft& grid;
  SpinCoefficients density;
};

/// The initial density of a calculation of `crystal`: `superposed` (its superposed atoms) plus the difference between
/// the earlier density and the superposed atoms of the earlier crystal. The magnetisation is that of the earlier
/// density. Components that the earlier density lacks stay as in `superposed`. Collective over the ranks of both grids,
/// which are the same.
[[nodiscard]] SpinCoefficients carried_density(const GridFft& grid, const Crystal& crystal, SpinCoefficients superposed,
                                               EarlierDensity earlier, const std::vector<PseudoAtom>& atoms);

/// A density minus the superposed atoms of its crystal, whose species have the order of `atoms`; the magnetisation is
/// left as it is. Collective over the grid.
[[nodiscard]] SpinCoefficients density_change(const GridFft& grid, const Crystal& crystal, SpinCoefficients density,
                                              const std::vector<PseudoAtom>& atoms);
/// A density on another grid: on the same object the coefficients themselves, otherwise transferred by Miller index and
/// scaled by the ratio of the volumes. Collective over the ranks of both grids, which are the same.
[[nodiscard]] SpinCoefficients moved_density(const GridFft& from, const GridFft& to, SpinCoefficients density);

}  // namespace wavegrid
