// Density and bands of an earlier geometry, k-points or basis taken over by a later calculation: from memory
// (session.hpp) or from a checkpoint (restart.hpp).
#pragma once

#include <optional>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "basis/kpoints.hpp"
#include "terms/grid_fields.hpp"
#include "wavefunctions/wave_map.hpp"

namespace wavegrid {

/// Lattice vectors equal to 1e-9 bohr. Pure.
[[nodiscard]] bool same_cell(const Lattice& a, const Lattice& b);
/// The same atoms at the same places, to 1e-9 of the cell and whole lattice vectors; the cells may differ. Pure.
[[nodiscard]] bool same_positions(const Crystal& a, const Crystal& b);
/// The same elements in the same order. Pure.
[[nodiscard]] bool same_elements(const Crystal& a, const Crystal& b);

/// A density of an earlier crystal on its own grid; components as spin_fields.hpp says.
struct EarlierDensity {
  const Crystal& crystal;
  const GridFft& grid;
  SpinCoefficients density;
};

/// The density with which a calculation of `crystal` goes on: `superposed` (its superposed atoms) plus what the earlier
/// density differed from its own superposed atoms; of a magnetisation the earlier one itself. Components that the
/// earlier density lacks stay those of `superposed`. Where only atoms have moved the coefficients correspond one by
/// one, else they travel by Miller index, scaled by the volumes. Collective over the ranks of both grids, which are the
/// same.
[[nodiscard]] SpinCoefficients carried_density(const GridFft& grid, const Crystal& crystal, SpinCoefficients superposed,
                                               EarlierDensity earlier, const std::vector<PseudoAtom>& atoms);

/// Gives a carried density the exact number of electrons and the symmetry of its fields. Collective.
void normalise_density(GridFields& fields, double electrons, SpinCoefficients& density);

/// Which earlier k-point bands of `k` follow from, and how.
struct BandOrigin {
  int k = 0;
  WaveMap map{};
};
/// The k-point itself before all that are equivalent under the group or time reversal; none where there is neither.
/// Pure.
[[nodiscard]] std::optional<BandOrigin> origin_of(const Vec3& k, const std::vector<KPoint>& earlier,
                                                  const SpaceGroup& group);

}  // namespace wavegrid
