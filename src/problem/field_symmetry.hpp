// The operations of a crystal that leave the fields of a propagation in time as they are.
#pragma once

#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/problem/propagation.hpp>

namespace wavegrid {

/// The directions of its kick and pulses, Cartesian. Pure.
[[nodiscard]] std::vector<Vec3> field_directions(const Propagation& propagation);

/// Whether the operation leaves vectors (Cartesian) as they are, and has no time reversal. Pure.
[[nodiscard]] bool keeps_fields(const SymmetryOperation& operation, const Lattice& lattice,
                                const std::vector<Vec3>& fields);

/// The average of R v over a group, such as of a current that was summed over irreducible k-points, or with `axial`
/// that of a magnetic moment, det(R) R v. Pure.
[[nodiscard]] Vec3 symmetrise_vector(const SpaceGroup& group, const Lattice& lattice, const Vec3& vector,
                                     bool axial = false);

}  // namespace wavegrid
