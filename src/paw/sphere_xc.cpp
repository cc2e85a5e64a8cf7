#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fields/xc_points.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/paw/moment_points.hpp>
#include <wavegrid/paw/sphere_xc.hpp>

namespace wavegrid {

namespace {

constexpr std::size_t axes = 3;

/// Values over r, harmonic by harmonic.
std::vector<double> over_r(const SphereGrid& grid, std::vector<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= grid.r()[i % grid.num_radii()];
  return values;
}

/// sum = beta sum + sum_LM parts Y, from radial functions (radii, LM) to points (radii, directions).
void add_to_points(const SphereGrid& grid, const std::vector<double>& parts, const std::vector<double>& harmonics,
                   double beta, FieldValues& sum) {
  const auto radii = static_cast<Index>(grid.num_radii()), all = static_cast<Index>(grid.num_harmonics());
  lapack::gemm<double>('N', 'N', radii, static_cast<Index>(grid.num_directions()), all, 1.0, parts.data(), radii,
                       harmonics.data(), all, beta, sum.data(), radii);
}

/// The adjoint: parts += sum_d values Y.
void add_to_parts(const SphereGrid& grid, const FieldValues& values, const std::vector<double>& harmonics,
                  std::vector<double>& parts) {
  const auto radii = static_cast<Index>(grid.num_radii()), all = static_cast<Index>(grid.num_harmonics());
  lapack::gemm<double>('N', 'T', radii, all, static_cast<Index>(grid.num_directions()), 1.0, values.data(), radii,
                       harmonics.data(), all, 1.0, parts.data(), radii);
}

/// Values at all points times a factor of each direction.
template <class Factor>
FieldValues scaled(const SphereGrid& grid, const FieldValues& values, Factor factor) {
  FieldValues result(values);
  for (std::size_t d = 0, i = 0; d < grid.num_directions(); ++d) {
    const double of_direction = factor(d);
    for (std::size_t k = 0; k < grid.num_radii(); ++k, ++i) result[i] *= of_direction;
  }
  return result;
}

/// A component at all points, [direction][radius].
FieldValues at_points(const SphereGrid& grid, const std::vector<double>& parts) {
  FieldValues n(grid.num_radii() * grid.num_directions());
  add_to_points(grid, parts, grid.harmonics(), 0.0, n);
  return n;
}

/// Its gradient.
void append_gradient(const SphereGrid& grid, const AngularParts& parts, SpinGradients& gradients) {
  const FieldValues slope = at_points(grid, parts.slopes);
  const std::vector<double> values = over_r(grid, parts.values);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    gradients.push_back(scaled(grid, slope, [&](std::size_t d) { return grid.direction(d)[axis]; }));
    add_to_points(grid, values, grid.harmonic_gradients(axis), 1.0, gradients.back());
  }
}

/// The derivatives of a channel from those at the points; `fluxes`: de/d(grad n_s), or null.
AngularParts collected(const SphereGrid& grid, const FieldValues& potential, const FieldValues* fluxes) {
  AngularParts parts(grid);
  std::vector<double> tangential(parts.values.size());
  add_to_parts(grid, scaled(grid, potential, [&](std::size_t d) { return grid.angular_weight(d); }), grid.harmonics(),
               parts.values);
  if (fluxes != nullptr) {
    FieldValues radial(potential.size());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const FieldValues flux = scaled(grid, fluxes[axis], [&](std::size_t d) { return grid.angular_weight(d); });
      add_to_parts(grid, flux, grid.harmonic_gradients(axis), tangential);
      const FieldValues along = scaled(grid, flux, [&](std::size_t d) { return grid.direction(d)[axis]; });
      std::transform(radial.begin(), radial.end(), along.begin(), radial.begin(), std::plus<>());
    }
    add_to_parts(grid, radial, grid.harmonics(), parts.slopes);
  }
  for (std::size_t i = 0; i < parts.values.size(); ++i) {
    const std::size_t k = i % grid.num_radii();
    parts.values[i] = grid.radial_weight(k) * (parts.values[i] + tangential[i] / grid.r()[k]);
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
                   bool with_derivatives, const Vec3& spin_axis) {
  if (xc.needs_tau()) throw internal_error("exchange and correlation in a sphere: a meta-GGA");
  DensityValues density;
  SpinGradients gradients;
  for (const AngularParts& component : components) {
    density.n.push_back(at_points(grid, component.values));
    if (xc.needs_gradient()) append_gradient(grid, component, gradients);
  }
  std::optional<MomentPoints> moments;
  if (has_vector(density.n)) moments.emplace(density.n, gradients, spin_axis);
  Potential potential;
  SphereXc result;
  result.energy =
      integral(grid, xc_at_points(xc, axes, density, {}, gradients, with_derivatives ? &potential : nullptr));
  if (moments && with_derivatives) moments->restore(potential.v, gradients);
  for (std::size_t s = 0; s < potential.v.size(); ++s)
    result.derivatives.push_back(
        collected(grid, potential.v[s], xc.needs_gradient() ? gradients.data() + axes * s : nullptr));
  return result;
}

}  // namespace wavegrid
