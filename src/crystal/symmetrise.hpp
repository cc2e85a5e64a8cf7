// Averages of forces and stress over a space group.
#pragma once

#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// F_sym(a) = 1/N sum over operations of R F(a'), a' the atom that the operation maps to a, R its Cartesian rotation.
/// `forces` Cartesian, one per atom, any unit. Pure. Throws internal_error if an operation is not one of the crystal.
[[nodiscard]] std::vector<Vec3> symmetrise_forces(const SpaceGroup& group, const Crystal& crystal,
                                                  const std::vector<Vec3>& forces);

/// 1/N sum over operations of R stress R^T. Cartesian, any unit. Pure.
[[nodiscard]] Mat3 symmetrise_stress(const SpaceGroup& group, const Lattice& lattice, const Mat3& stress);

}  // namespace wavegrid
