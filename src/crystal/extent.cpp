#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/extent.hpp>

namespace wavegrid {

namespace {

constexpr double vacuum = 10.0;  ///< bohr
constexpr double tails = 4.0;    ///< bohr, of the electrons on both sides of the outermost atoms

/// The largest distance without atoms along a lattice vector, in units of that vector.
double largest_gap(const Crystal& crystal, std::size_t axis) {
  std::vector<double> places;
  for (const Atom& atom : crystal.atoms) places.push_back(atom.position[axis] - std::floor(atom.position[axis]));
  std::sort(places.begin(), places.end());
  double gap = places.front() + 1.0 - places.back();
  for (std::size_t i = 1; i < places.size(); ++i) gap = std::max(gap, places[i] - places[i - 1]);
  return gap;
}

}  // namespace

double smallest_wave_number(const Crystal& crystal) {
  double smallest = std::numeric_limits<double>::max();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cell_step = norm(crystal.lattice.reciprocal()[axis]), height = 2.0 * units::pi / cell_step;
    const double gap = largest_gap(crystal, axis) * height;
    smallest = std::min(smallest, gap < vacuum ? cell_step : units::pi / (height - gap + tails));
  }
  return smallest;
}

}  // namespace wavegrid
