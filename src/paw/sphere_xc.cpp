#include <algorithm>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fields/xc_points.hpp>
#include <wavegrid/paw/sphere_xc.hpp>

namespace wavegrid {

namespace {

constexpr std::size_t axes = 3;

/// sum += factor * values
void add(double factor, const double* values, std::size_t count, double* sum) {
  for (std::size_t k = 0; k < count; ++k) sum[k] += factor * values[k];
}

/// Values over r, harmonic by harmonic.
std::vector<double> over_r(const SphereGrid& grid, std::vector<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= grid.r()[i % grid.num_radii()];
  return values;
}

/// A component at all points, [direction][radius].
FieldValues at_points(const SphereGrid& grid, const AngularParts& parts) {
  const std::size_t radii = grid.num_radii();
  FieldValues n(radii * grid.num_directions());
#pragma omp parallel for schedule(static)
  for (std::size_t d = 0; d < grid.num_directions(); ++d)
    for (std::size_t lm = 0; lm < grid.num_harmonics(); ++lm)
      add(grid.harmonics(d)[lm], parts.values.data() + lm * radii, radii, n.data() + d * radii);
  return n;
}

/// Its gradient.
void append_gradient(const SphereGrid& grid, const AngularParts& parts, SpinGradients& gradients) {
  const std::size_t radii = grid.num_radii(), first = gradients.size();
  const std::vector<double> values = over_r(grid, parts.values);
  gradients.resize(first + axes, FieldValues(radii * grid.num_directions()));
#pragma omp parallel for schedule(static)
  for (std::size_t d = 0; d < grid.num_directions(); ++d)
    for (std::size_t lm = 0; lm < grid.num_harmonics(); ++lm)
      for (std::size_t axis = 0; axis < axes; ++axis) {
        double* const to = gradients[first + axis].data() + d * radii;
        add(grid.direction(d)[axis] * grid.harmonics(d)[lm], parts.slopes.data() + lm * radii, radii, to);
        add(grid.harmonic_gradients(d)[lm][axis], values.data() + lm * radii, radii, to);
      }
}

/// The derivatives of a channel from those at the points; `fluxes`: de/d(grad n_s), or null.
AngularParts collected(const SphereGrid& grid, const FieldValues& potential, const FieldValues* fluxes) {
  const std::size_t radii = grid.num_radii();
  AngularParts parts(grid), tangential(grid);
#pragma omp parallel for schedule(static)
  for (std::size_t lm = 0; lm < grid.num_harmonics(); ++lm)
    for (std::size_t d = 0; d < grid.num_directions(); ++d) {
      const double weight = grid.angular_weight(d), y = weight * grid.harmonics(d)[lm];
      add(y, potential.data() + d * radii, radii, parts.values.data() + lm * radii);
      for (std::size_t axis = 0; fluxes != nullptr && axis < axes; ++axis) {
        const double* const flux = fluxes[axis].data() + d * radii;
        add(y * grid.direction(d)[axis], flux, radii, parts.slopes.data() + lm * radii);
        add(weight * grid.harmonic_gradients(d)[lm][axis], flux, radii, tangential.values.data() + lm * radii);
      }
    }
  for (std::size_t i = 0; i < parts.values.size(); ++i) {
    const std::size_t k = i % radii;
    parts.values[i] = grid.radial_weight(k) * (parts.values[i] + tangential.values[i] / grid.r()[k]);
    parts.slopes[i] *= grid.radial_weight(k);
  }
  return parts;
}

double integral(const SphereGrid& grid, const FieldValues& values) {
  double sum = 0;
  for (std::size_t d = 0; d < grid.num_directions(); ++d) {
    double radial = 0;
    for (std::size_t k = 0; k < grid.num_radii(); ++k)
      radial += grid.radial_weight(k) * values[d * grid.num_radii() + k];
    sum += grid.angular_weight(d) * radial;
  }
  return sum;
}

}  // namespace

SphereXc sphere_xc(const SphereGrid& grid, const Xc& xc, const std::vector<AngularParts>& components,
                   bool with_derivatives) {
  if (xc.needs_tau()) throw internal_error("exchange and correlation in a sphere: a meta-GGA");
  DensityValues density;
  SpinGradients gradients;
  for (const AngularParts& component : components) {
    density.n.push_back(at_points(grid, component));
    if (xc.needs_gradient()) append_gradient(grid, component, gradients);
  }
  Potential potential;
  SphereXc result;
  result.energy =
      integral(grid, xc_at_points(xc, axes, density, {}, gradients, with_derivatives ? &potential : nullptr));
  for (std::size_t s = 0; s < potential.v.size(); ++s)
    result.derivatives.push_back(
        collected(grid, potential.v[s], xc.needs_gradient() ? gradients.data() + axes * s : nullptr));
  return result;
}

}  // namespace wavegrid
