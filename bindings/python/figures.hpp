// Properties of a calculation before it starts: k-points, sizes, division over ranks, memory. None of it needs MPI.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>

/// The closest two atoms (from 0; equal: an atom and its own image) and their distance, if that is below `below`
/// (bohr).
[[nodiscard]] std::optional<std::tuple<int, int, double>> closest_pair(const nanobind::dict& settings, double below,
                                                                       const std::vector<double>& sizes);

/// k-points with a description, the mode, and the numbers of independent functions in the smallest and the largest
/// sphere of mesh and path together (of real wave functions both halves count). Throws bad_input for a problem that
/// cannot be computed.
[[nodiscard]] nanobind::dict describe(const nanobind::dict& settings);

/// The smallest grid not below `least` that every symmetry operation of a crystal maps onto itself: "cell", "species",
/// "atoms" and "initial_magnetic_moments" (may be empty).
[[nodiscard]] wavegrid::Int3 symmetric_grid_of(const nanobind::dict& settings, const wavegrid::Int3& least);

/// The number of rotations of a crystal (as for symmetric_grid_of) that do not map the mesh of k-points onto itself.
[[nodiscard]] int lost_rotations(const nanobind::dict& settings, const wavegrid::Int3& mesh,
                                 const wavegrid::Vec3& shift);

/// Whether a list of k-points (kx, ky, kz, weight) has whole stars of a crystal (as for symmetric_grid_of).
[[nodiscard]] bool list_has_whole_stars(const nanobind::dict& settings, const std::vector<std::array<double, 4>>& list);

/// Operations per second of this process: "fft" and "gemm" (calculation/machine_rates.hpp).
[[nodiscard]] nanobind::dict machine_rates();
/// Seconds of one transform of a band of a problem on one rank; none where it is not measured.
[[nodiscard]] std::optional<double> band_transform_seconds(const nanobind::dict& settings);

/// The memory of the calculation on the rank that needs most, and its parallel layout.
[[nodiscard]] nanobind::dict memory_estimate(const nanobind::dict& settings, int ranks);
