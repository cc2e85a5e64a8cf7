#include <array>
#include <utility>

#include <wavegrid/paw/moment_points.hpp>

namespace wavegrid {

namespace {

constexpr std::size_t num_axes = 3;
constexpr double least_moment = 1e-12;  ///< mu_B/bohr^3: below, the direction is rounding

}  // namespace

MomentPoints::MomentPoints(SpinFields& n, SpinGradients& gradients, const Vec3& spin_axis)
    : inverse_(n[0].size()), directions_(num_axes, FieldValues(n[0].size())) {
  const std::size_t points = n[0].size();
  FieldValues length(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double m = moment_length(n, i),
                 along = n[1][i] * spin_axis[0] + n[2][i] * spin_axis[1] + n[3][i] * spin_axis[2];
    const double sign = along < 0 ? -1.0 : 1.0;
    length[i] = sign * m;
    if (m > least_moment) inverse_[i] = sign / m;
    for (std::size_t a = 0; a < num_axes; ++a) directions_[a][i] = inverse_[i] * n[1 + a][i];
  }
  n.resize(2);
  n[1] = std::move(length);
  if (gradients.empty()) return;
  slopes_.assign(gradients.begin() + num_axes, gradients.end());
  gradients.resize(2 * num_axes);
  for (std::size_t axis = 0; axis < num_axes; ++axis)
    for (std::size_t i = 0; i < points; ++i) {
      double sum = 0;
      for (std::size_t a = 0; a < num_axes; ++a) sum += directions_[a][i] * slopes_[num_axes * a + axis][i];
      gradients[num_axes + axis][i] = sum;
    }
}

void MomentPoints::restore(SpinFields& potential, SpinGradients& fluxes) const {
  const std::size_t points = inverse_.size();
  SpinFields v(1 + num_axes, FieldValues(points));
  SpinGradients f(fluxes.empty() ? 0 : num_axes * (1 + num_axes), FieldValues(points));
  for (std::size_t i = 0; i < points; ++i) {
    const double by_moment = 0.5 * (potential[0][i] - potential[1][i]);
    v[0][i] = 0.5 * (potential[0][i] + potential[1][i]);
    for (std::size_t a = 0; a < num_axes; ++a) v[1 + a][i] = by_moment * directions_[a][i];
    if (fluxes.empty()) continue;
    for (std::size_t axis = 0; axis < num_axes; ++axis) {
      const double up = fluxes[axis][i], down = fluxes[num_axes + axis][i], flux = 0.5 * (up - down);
      f[axis][i] = 0.5 * (up + down);
      double along = 0;  // s m^.grad m
      for (std::size_t a = 0; a < num_axes; ++a) along += directions_[a][i] * slopes_[num_axes * a + axis][i];
      for (std::size_t a = 0; a < num_axes; ++a) {
        f[num_axes * (1 + a) + axis][i] = directions_[a][i] * flux;
        v[1 + a][i] += inverse_[i] * flux * (slopes_[num_axes * a + axis][i] - directions_[a][i] * along);
      }
    }
  }
  potential = std::move(v);
  fluxes = std::move(f);
}

}  // namespace wavegrid
