// Spheres that several tests of partitions use.
#pragma once

#include <numbers>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/g_sphere.hpp>

namespace wavegrid {

/// The sphere of a cubic supercell of `repeat`^3 fcc aluminium cells, a = 4.05 angstrom, 240 eV: Al108 is repeat 3 on
/// 48^3, Al500 repeat 5 on 80^3.
inline GSphere aluminium(int repeat, int grid, Mode mode = Mode::gamma, const Vec3& k = {0, 0, 0}) {
  const double a = repeat * 4.05 / units::bohr_in_angstrom;
  const Mat3 cell{{{a, 0, 0}, {0, a, 0}, {0, 0, a}}};
  return {Lattice(cell), 240 / units::hartree_in_ev, {grid, grid, grid}, mode, k};
}

/// A sphere of `radius` grid steps in a cubic cell with an n^3 grid.
inline GSphere sphere_of_radius(int n, double radius, Mode mode = Mode::gamma) {
  const double g = radius * 2 * std::numbers::pi / 10;
  return {Lattice({{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}}), 0.5 * g * g, {n, n, n}, mode};
}

/// A small sphere in a skewed cell on an uneven grid.
inline GSphere skewed_sphere(Mode mode, const Vec3& k = {0, 0, 0}) {
  return {Lattice({{{9, 1, -2}, {0.5, 8, 1}, {-1, 2, 10}}}), 6.0, {17, 14, 19}, mode, k};
}

}  // namespace wavegrid
