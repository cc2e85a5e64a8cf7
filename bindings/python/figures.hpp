// What a calculation will be, before it starts: k-points, sizes, division over ranks, memory. None of it needs MPI.
#pragma once

#include <nanobind/nanobind.h>

#include "base/index.hpp"

/// k-points with a description of where they come from, mode, and the plane waves of the smallest and largest sphere,
/// of mesh and path together; as bands may count on them: both halves of real wave functions.
[[nodiscard]] nanobind::dict describe(const nanobind::dict& settings);

/// The smallest grid from `least` on that carries every operation of a crystal: "cell", "species", "atoms" and
/// "initial_magnetic_moments" (may be empty).
[[nodiscard]] wavegrid::Int3 symmetric_grid_of(const nanobind::dict& settings, const wavegrid::Int3& least);

/// What the calculation takes of the fullest rank, and how it is divided.
[[nodiscard]] nanobind::dict memory_estimate(const nanobind::dict& settings, int ranks);
