// Averages of a field over the lattice planes across a direction.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/fields/spin_fields.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// values[i]: the mean over the points whose index along the direction is first + i; 0 where there are none.
struct PlaneAverage {
  int first = 0;
  std::vector<double> values;
};

/// `points`, `field`: of this rank; `axis`: 0 to 2. The same bits on any number of ranks: integers are added, to which
/// values are rounded at 2^-40 of the largest or finer. Collective.
[[nodiscard]] PlaneAverage plane_average(const Comm& comm, const std::vector<Int3>& points, const FieldValues& field,
                                         int axis);

}  // namespace wavegrid
