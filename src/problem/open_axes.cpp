#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/problem/open_axes.hpp>

namespace wavegrid {

OpenAxes::OpenAxes(const Problem& problem) : lattice_(&problem.crystal.lattice) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double height = 2.0 * units::pi / norm(lattice_->reciprocal()[axis]);
    vacuum_[axis] = height * widest_gap(problem.crystal, axis).width;
    open_[axis] = !problem.periodic()[axis] || vacuum_[axis] >= least_vacuum;
    if (problem.wraps()[axis] && open_[axis])
      jump_[axis] = jump_place(problem.crystal, axis, problem.field_grid()[axis]);
  }
}

Vec3 OpenAxes::position(Vec3 fractional) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (jump_[axis]) fractional[axis] -= std::floor(fractional[axis] - *jump_[axis]);
  return lattice_->cartesian(fractional);
}

}  // namespace wavegrid
