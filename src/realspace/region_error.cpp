#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/realspace/basis_grid.hpp>
#include <wavegrid/realspace/region_error.hpp>

namespace wavegrid {

namespace {

using Region = MeshBasis::Region;

constexpr double least_inside = 2;  ///< bohr, of an atom from a free boundary

/// A part of the boundary of a region.
struct Side {
  std::string key;                            ///< of [basis], that moves it
  std::string name;                           ///< "... the free boundary <name>"
  std::function<double(int)> depth;           ///< of an atom inside it, bohr; negative outside
  std::function<std::string(double)> remedy;  ///< for an atom that lacks this much
};

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

/// At least `value`, with two decimals.
std::string rounded_up(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", std::ceil(value * 100 - 1e-6) / 100);
  return text;
}

std::string vector_named(std::size_t axis) { return "lattice vector " + std::to_string(axis + 1); }

/// The component of a vector along a lattice vector, in the coordinates of the cell, bohr.
double along(const Lattice& lattice, std::size_t axis, const Vec3& away) {
  return dot(away, lattice.reciprocal()[axis]) / (2.0 * units::pi) * norm(lattice.vectors()[axis]);
}

std::vector<std::size_t> free_axes(const Periodic& periodic) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!periodic[axis]) axes.push_back(axis);
  return axes;
}

/// The sides that are planes of the cell.
std::vector<Side> sides_of_cell(const MeshBasis& basis, const Crystal& crystal) {
  std::vector<Side> sides;
  for (const std::size_t axis : free_axes(basis.periodic))
    sides.push_back({"boundary", "across " + vector_named(axis),
                     [&crystal, axis](int a) {
                       const double height = 2.0 * units::pi / norm(crystal.lattice.reciprocal()[axis]);
                       const double x = crystal.atoms[static_cast<std::size_t>(a)].position[axis];
                       return std::min(x, 1 - x) * height;
                     },
                     [](double lacking) {
                       return "the atoms moved inwards by " + rounded_up(lacking) +
                              " bohr, a larger cell, or a region of spheres around the atoms";
                     }});
  return sides;
}

std::vector<Side> sides_of_box(const MeshBasis& basis, const Crystal& crystal) {
  std::vector<Side> sides;
  for (const std::size_t axis : free_axes(basis.periodic))
    sides.push_back({"region.lengths", "of the box along " + vector_named(axis),
                     [&, axis](int a) {
                       return 0.5 * basis.lengths[axis] -
                              std::abs(along(crystal.lattice, axis, crystal.cartesian(a) - basis.centre));
                     },
                     [&basis, axis](double lacking) {
                       return "a length of at least " + rounded_up(basis.lengths[axis] + 2 * lacking) + " bohr";
                     }});
  return sides;
}

std::vector<Side> sides_of_cylinder(const MeshBasis& basis, const Crystal& crystal) {
  const auto axis = static_cast<std::size_t>(basis.axis);
  std::vector<Side> sides;
  if (!basis.periodic[axis])
    sides.push_back({"region.length", "at an end of the cylinder",
                     [&, axis](int a) {
                       return 0.5 * basis.length -
                              std::abs(along(crystal.lattice, axis, crystal.cartesian(a) - basis.centre));
                     },
                     [&basis](double lacking) {
                       return "a length of at least " + rounded_up(basis.length + 2 * lacking) + " bohr";
                     }});
  sides.push_back(
      {"region.radius", "of the cylinder",
       [&, axis](int a) {
         const Vec3& vector = crystal.lattice.vectors()[axis];
         const Vec3 away = crystal.cartesian(a) - basis.centre;
         return basis.radius - norm(away - dot(away, vector) / norm2(vector) * vector);
       },
       [&basis](double lacking) { return "a radius of at least " + rounded_up(basis.radius + lacking) + " bohr"; }});
  return sides;
}

std::vector<Side> sides_of(const MeshBasis& basis, const Crystal& crystal) {
  switch (basis.region) {
    case Region::cell:
      break;
    case Region::spheres:
      return {{"region.radius", "of the spheres", [&basis](int) { return basis.radius; },
               [](double) { return "a radius of at least " + rounded_up(least_inside) + " bohr"; }}};
    case Region::cylinder:
      return sides_of_cylinder(basis, crystal);
    case Region::box:
      return sides_of_box(basis, crystal);
  }
  return sides_of_cell(basis, crystal);
}

/// "1.3 bohr inside", "0.2 bohr outside" or "on".
std::string place_of(double depth) {
  constexpr double on_boundary = 5e-4;
  if (std::abs(depth) < on_boundary) return "on";
  return three_digits(std::abs(depth)) + " bohr " + (depth < 0 ? "outside" : "inside");
}

/// The shortest distance of two atoms, images included in periodic directions.
double distance(const Periodic& periodic, const Crystal& crystal, std::size_t first, std::size_t second) {
  Vec3 apart = crystal.atoms[second].position - crystal.atoms[first].position;
  std::array<int, 3> images{};
  for (std::size_t d = 0; d < 3; ++d)
    if (periodic[d]) {
      apart[d] -= std::round(apart[d]);
      images[d] = 1;
    }
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = -images[0]; i <= images[0]; ++i)
    for (int j = -images[1]; j <= images[1]; ++j)
      for (int k = -images[2]; k <= images[2]; ++k)
        shortest = std::min(shortest,
                            norm2(crystal.lattice.cartesian(
                                apart + Vec3{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)})));
  return std::sqrt(shortest);
}

std::optional<RegionError> boundary_error(const MeshBasis& basis) {
  const int periodic = basis.num_periodic();
  if (periodic == 3 && basis.region != Region::cell)
    return RegionError{"boundary",
                       "the region is not the whole cell and the boundary is periodic; valid: a free boundary, or the "
                       "whole cell as region"};
  const bool along_axis = periodic == 1 && basis.periodic[static_cast<std::size_t>(basis.axis)];
  if (basis.region == Region::cylinder && periodic > 0 && !along_axis)
    return RegionError{"boundary",
                       "the region is a cylinder and the boundary is periodic across its axis; valid: periodic along "
                       "the axis alone, or another region"};
  return std::nullopt;
}

}  // namespace

std::optional<RegionError> region_error(const MeshBasis& basis, const Crystal& crystal) {
  if (auto fault = boundary_error(basis)) return fault;
  for (const Side& side : sides_of(basis, crystal)) {
    constexpr double tie = 1e-9;
    int nearest = 0;
    for (int a = 1; a < crystal.num_atoms(); ++a)
      if (side.depth(a) < side.depth(nearest) - tie) nearest = a;
    const double depth = side.depth(nearest);
    if (depth >= least_inside) continue;
    return RegionError{side.key, "atom " + std::to_string(nearest + 1) + " lies " + place_of(depth) +
                                     " the free boundary " + side.name + "; valid: at least 2 bohr inside, with " +
                                     side.remedy(least_inside - depth)};
  }
  return std::nullopt;
}

std::optional<RegionError> find_mesh_error(const MeshBasis& basis, const Crystal& crystal, const Int3& counts) {
  if (auto fault = region_error(basis, crystal)) return fault;
  constexpr double most = 0x1p31;  // as of an FFT grid
  const auto points = static_cast<double>(make_mesh_grid(basis, crystal, counts).num_ids());
  if (points < most) return std::nullopt;
  return RegionError{"spacing", "the box around the region has " + three_digits(points) +
                                    " points; valid: fewer than 2^31, by a larger spacing or a smaller region"};
}

double connecting_radius(const Periodic& periodic, const Crystal& crystal) {
  // Prim's algorithm: the longest edge of the minimum spanning tree.
  const std::size_t atoms = crystal.atoms.size();
  std::vector<double> away(atoms, std::numeric_limits<double>::infinity());  // from the atoms of the tree
  std::vector<std::size_t> left(atoms);
  for (std::size_t a = 0; a < atoms; ++a) left[a] = a;
  double longest = 0;
  std::size_t last = 0;
  std::swap(left[0], left.back());
  for (left.pop_back(); !left.empty(); left.pop_back()) {
    std::size_t nearest = 0;
    for (std::size_t n = 0; n < left.size(); ++n) {
      away[left[n]] = std::min(away[left[n]], distance(periodic, crystal, last, left[n]));
      if (away[left[n]] < away[left[nearest]]) nearest = n;
    }
    last = left[nearest];
    longest = std::max(longest, away[last]);
    std::swap(left[nearest], left.back());
  }
  return 0.5 * longest;
}

}  // namespace wavegrid
