#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/terms/atom_box.hpp>

namespace wavegrid {

AtomBox::AtomBox(const Lattice& lattice, const Int3& grid, const Vec3& position, double radius, Index number)
    : square_(radius * radius) {
  box_.number = number;
  for (std::size_t d = 0; d < 3; ++d) {
    const double extent = radius * norm(lattice.reciprocal()[d]) / (2 * units::pi);  // fractional
    const int begin = static_cast<int>(std::ceil((position[d] - extent) * grid[d]));
    const int end = static_cast<int>(std::floor((position[d] + extent) * grid[d])) + 1;
    box_.begin[d] = begin;
    box_.size[d] = std::min(end - begin, grid[d]);
    for (int i = begin; i < end; ++i)
      near_[d].push_back({static_cast<std::size_t>((i - begin) % grid[d]),
                          (static_cast<double>(i) / grid[d] - position[d]) * lattice.vectors()[d]});
  }
}

}  // namespace wavegrid
