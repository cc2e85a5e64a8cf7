#include <iterator>

#include <wavegrid/atom/radial_grid.hpp>
#include <wavegrid/base/units.hpp>

namespace wavegrid {

RadialGrid::RadialGrid() : r_(num_points) {
  for (std::size_t p = 0; p < num_points; ++p) r_[p] = static_cast<double>(p) * spacing;
}

double RadialGrid::integrate(const RadialValues& f, const RadialValues& g) const {
  double sum = 0.0;
  for (std::size_t p = 0; p < num_points; ++p) sum += r_[p] * r_[p] * f[p] * g[p];
  return 4.0 * units::pi * spacing * sum;
}

RadialValues RadialGrid::cumulative(const RadialValues& f, double parity) {
  const auto at = [&](std::ptrdiff_t i) {
    if (i < 0) return parity * f[static_cast<std::size_t>(-i)];
    return i < std::ssize(f) ? f[static_cast<std::size_t>(i)] : 0.0;
  };
  RadialValues sum(f.size(), 0.0);
  for (std::ptrdiff_t i = 0; i + 1 < std::ssize(f); ++i) {
    const double step = 802.0 * (at(i) + at(i + 1)) - 93.0 * (at(i - 1) + at(i + 2)) + 11.0 * (at(i - 2) + at(i + 3));
    sum[static_cast<std::size_t>(i) + 1] = sum[static_cast<std::size_t>(i)] + spacing / 1440.0 * step;
  }
  return sum;
}

}  // namespace wavegrid
