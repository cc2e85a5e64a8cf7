#include <algorithm>
#include <cmath>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/orbitals/orbital_spheres.hpp>

namespace wavegrid {

namespace {

/// The length of a vector (fractional) or, along axes where `whole`, of its shortest image, bohr.
double shortest(const Lattice& lattice, Vec3 vector, const std::array<bool, 3>& whole) {
  Int3 most{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (!whole[d]) continue;
    vector[d] -= std::round(vector[d]);
    most[d] = 1;
  }
  double least = norm(lattice.cartesian(vector));
  for (int x = -most[0]; x <= most[0]; ++x)
    for (int y = -most[1]; y <= most[1]; ++y)
      for (int z = -most[2]; z <= most[2]; ++z)
        least = std::min(least, norm(lattice.cartesian(vector + Vec3{1.0 * x, 1.0 * y, 1.0 * z})));
  return least;
}

}  // namespace

std::vector<double> distances(const Lattice& lattice, const Int3& grid, const Vec3& position, const Box& box) {
  std::array<bool, 3> whole{};
  for (std::size_t d = 0; d < 3; ++d) whole[d] = box.size[d] == grid[d];
  std::vector<double> found;
  found.reserve(static_cast<std::size_t>(box.points()));
  for (int x = 0; x < box.size[0]; ++x)
    for (int y = 0; y < box.size[1]; ++y)
      for (int z = 0; z < box.size[2]; ++z) {
        Vec3 vector{};
        const Int3 point{x, y, z};
        for (std::size_t d = 0; d < 3; ++d)
          vector[d] = static_cast<double>(box.begin[d] + point[d]) / grid[d] - position[d];
        found.push_back(shortest(lattice, vector, whole));
      }
  return found;
}

WideBoxes::WideBoxes(const OrbitalLayout& layout, double length) {
  const Int3& grid = layout.grid();
  Int3 largest{};
  for (Index a = 0; a < layout.num_atoms(); ++a)
    for (std::size_t d = 0; d < 3; ++d) largest[d] = std::max(largest[d], layout.box(a).size[d]);
  for (std::size_t d = 0; d < 3; ++d)
    size_[d] = std::min(grid[d], smooth_size_from(static_cast<int>(std::ceil(length * (largest[d] - 1))) + 1));
  for (Index a = 0; a < layout.num_atoms(); ++a) {
    Box box{.size = size_, .number = a};
    for (std::size_t d = 0; d < 3; ++d)
      box.begin[d] = size_[d] == grid[d] ? 0 : layout.box(a).begin[d] - (size_[d] - layout.box(a).size[d]) / 2;
    boxes_.push_back(box);
  }
}

}  // namespace wavegrid
