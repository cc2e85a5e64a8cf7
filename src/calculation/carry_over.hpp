// Reuse of the density and the bands of an earlier geometry, k-point set or basis: from memory (session.hpp) or from a
// checkpoint (restart.hpp).
#pragma once

#include <optional>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "basis/kpoints.hpp"
#include "terms/grid_fields.hpp"
#include "wavefunctions/wave_map.hpp"

namespace wavegrid {

/// Whether the lattice vectors agree to 1e-9 bohr. Pure.
[[nodiscard]] bool same_cell(const Lattice& a, const Lattice& b);
/// Whether the fractional positions agree to 1e-9, up to lattice vectors; the cells may differ. Pure.
[[nodiscard]] bool same_positions(const Crystal& a, const Crystal& b);
/// Whether the elements are the same, in the same order. Pure.
[[nodiscard]] bool same_elements(const Crystal& a, const Crystal& b);

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

/// Sets the exact number of electrons of a density and applies the symmetry of `fields`. Collective.
void normalise_density(GridFields& fields, double electrons, SpinCoefficients& density);

/// The earlier k-point from which the bands of a k-point are obtained, and the map between both.
struct BandOrigin {
  int k = 0;
  WaveMap map{};
};
/// The origin of the bands of `k`: the k-point itself if it is in `earlier`, otherwise one that is equivalent under the
/// group or time reversal; none if there is neither. Pure.
[[nodiscard]] std::optional<BandOrigin> origin_of(const Vec3& k, const std::vector<KPoint>& earlier,
                                                  const SpaceGroup& group);

}  // namespace wavegrid
