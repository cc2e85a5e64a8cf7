#include <algorithm>
#include <cmath>

#include <wavegrid/orbitals/sphere_rows.hpp>

namespace wavegrid {

namespace {

/// The points of a row within `radius` of the origin: at `start`, and `step` apart from each other, bohr.
RowPart row_in_sphere(const Vec3& start, const Vec3& step, int points, double radius) {
  constexpr double rounding = 1e-6;  // of a step
  const double square = norm2(step), middle = -dot(start, step) / square;
  const double nearest = norm2(start + middle * step), inside = radius * radius * (1 + 1e-12) - nearest;
  if (inside < 0) return {};
  const double half = std::sqrt(inside / square) + rounding;
  const int first = std::max(0, static_cast<int>(std::ceil(middle - half)));
  const int last = std::min(points, static_cast<int>(std::floor(middle + half)) + 1);
  return first < last ? RowPart{first, last} : RowPart{};
}

std::vector<RowPart> rows_in_sphere(const Lattice& lattice, const Vec3& position, const Box& box, const Int3& grid,
                                    double radius) {
  for (std::size_t d = 0; d < 3; ++d)
    if (box.size[d] == grid[d]) return {};
  std::vector<RowPart> rows;
  const Vec3 step = (1.0 / grid[2]) * lattice.vectors()[2];
  for (int x = 0; x < box.size[0]; ++x)
    for (int y = 0; y < box.size[1]; ++y) {
      const Vec3 start = lattice.cartesian({static_cast<double>(box.begin[0] + x) / grid[0] - position[0],
                                            static_cast<double>(box.begin[1] + y) / grid[1] - position[1],
                                            static_cast<double>(box.begin[2]) / grid[2] - position[2]});
      rows.push_back(row_in_sphere(start, step, box.size[2], radius));
    }
  return rows;
}

}  // namespace

SphereRows::SphereRows(const Crystal& crystal, const OrbitalLayout& layout, const std::vector<double>& radii) {
  for (Index a = 0; a < layout.num_atoms(); ++a) {
    const Atom& atom = crystal.atoms[static_cast<std::size_t>(a)];
    rows_.push_back(rows_in_sphere(crystal.lattice, atom.position, layout.box(a), layout.grid(),
                                   radii[static_cast<std::size_t>(atom.species)]));
  }
}

std::vector<RowPart> extended_rows(std::span<const RowPart> rows, const Int3& inside, std::size_t axis, int size) {
  if (rows.empty()) return {};
  Int3 longer = inside;
  longer[axis] = size;
  std::vector<RowPart> found(static_cast<std::size_t>(longer[0]) * static_cast<std::size_t>(longer[1]));
  const auto place = [](int x, int y, int count) { return static_cast<std::size_t>(x * count + y); };
  for (int x = 0; x < longer[0]; ++x)
    for (int y = 0; y < longer[1]; ++y) {
      RowPart all{inside[2], 0};
      for (int other = 0; other < (axis == 2 ? 1 : inside[axis]); ++other) {
        const RowPart& row = rows[place(axis == 0 ? other : x, axis == 1 ? other : y, inside[1])];
        if (row.first >= row.last) continue;
        all = {std::min(all.first, row.first), std::max(all.last, row.last)};
      }
      if (all.first >= all.last) continue;
      found[place(x, y, longer[1])] = axis == 2 ? RowPart{0, size} : all;
    }
  return found;
}

}  // namespace wavegrid
