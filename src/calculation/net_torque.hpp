// The net torque of the forces on a molecule, and forces without it.
//
// Points of a grid between the atoms make energies depend on how a molecule lies on them, so that its forces turn it.
// What is taken off is the field omega x (r - c) with the same torque about the middle c of the atoms:
//
//   I omega = sum_a (r_a - c) x F_a,   I = sum_a |r_a - c|^2 - (r_a - c)(r_a - c)^T
//
// which among all that cancel the torque and no net force is the smallest.
#pragma once

#include <vector>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// Takes the torque off the forces, whose sum stays, and returns it, about the middle of the positions. Pure.
Vec3 take_off_torque(const std::vector<Vec3>& positions, std::vector<Vec3>& forces);

}  // namespace wavegrid
