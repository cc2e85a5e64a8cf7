// The magnetic space group of a crystal: what its magnetic moments leave of its space group.
#pragma once

#include <span>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// How far apart equal moments may be, mu_B: inputs round directions to three digits or more.
inline constexpr double same_moment_vector = 1e-3;

/// The operations of the crystal's `group` under which every moment is that of the atom to which it is moved, or, with
/// time reversal, the opposite of that. `moments`, mu_B, Cartesian, one per atom, are axial vectors. Where all are zero
/// each operation is there without and with time reversal: the grey group. Pure. Throws internal_error for another
/// number of moments.
///
/// D. B. Litvin, Magnetic Group Tables, International Union of Crystallography (2013), 10.1107/9780955360220001.
[[nodiscard]] SpaceGroup magnetic_group(const SpaceGroup& group, const Crystal& crystal, std::span<const Vec3> moments);

}  // namespace wavegrid
