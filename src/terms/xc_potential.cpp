#include "terms/xc_potential.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "terms/symmetric_sums.hpp"

namespace wavegrid {
namespace {

using Complex = std::complex<double>;

/// G_axis (1/bohr) for derivatives: integer coordinates -N/2 count as 0.
double slope(const Int3& g, const Int3& grid, const Mat3& reciprocal, std::size_t axis) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (2 * std::abs(g[i]) != grid[i]) sum += g[i] * reciprocal[i][axis];
  return sum;
}

/// result(G) += i G_axis f(G)
void add_derivative(const GridFft& grid, const GridFft::Coefficients& f, std::size_t axis,
                    GridFft::Coefficients& result) {
  const PlaneWaves& waves = grid.waves();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double g = slope(waves.g()[i], grid.grid(), waves.lattice().reciprocal(), axis);
    result[i] += Complex(-g * f[i].imag(), g * f[i].real());
  }
}

/// What one thread works on: consecutive points, few enough to stay in the first-level cache, in the order of Xc.
constexpr std::size_t batch_points = 256;
struct PointBatch {
  std::size_t begin, count;
  int spins, sigmas;
  std::array<double, 2 * batch_points> rho, vrho;
  std::array<double, 3 * batch_points> sigma, vsigma;
  std::array<double, batch_points> exc;

  void evaluate(const Xc& xc, bool derivatives) {
    const std::size_t n = count * static_cast<std::size_t>(spins), s = count * static_cast<std::size_t>(sigmas);
    xc.evaluate({std::span(rho).first(n), std::span(sigma).first(s)},
                {std::span(exc).first(count), std::span(vrho).first(derivatives ? n : 0),
                 std::span(vsigma).first(derivatives ? s : 0)});
  }
};

/// Channels from components: (n + core + m) / 2 and (n + core - m) / 2.
void load_densities(PointBatch& b, const SpinFields& values, const std::vector<double>& core) {
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t r = b.begin + i;
    const double n = values[0][r] + (core.empty() ? 0.0 : core[r]);
    if (b.spins == 1) {
      b.rho[i] = n;
    } else {
      b.rho[2 * i] = 0.5 * (n + values[1][r]);
      b.rho[2 * i + 1] = 0.5 * (n - values[1][r]);
    }
  }
}

double dot3(const std::vector<double>* a, const std::vector<double>* b, std::size_t r) {
  return a[0][r] * b[0][r] + a[1][r] * b[1][r] + a[2][r] * b[2][r];
}

/// Products of the gradients, which turn from those of the components into those of the channels; a channel counted as
/// empty has none.
void load_gradients(PointBatch& b, std::vector<double>* gradients) {
  std::vector<double>*const up = gradients, *const down = gradients + 3;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t r = b.begin + i;
    if (b.spins == 1) {
      b.sigma[i] = dot3(up, up, r);
      continue;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double n = up[axis][r], m = down[axis][r];
      up[axis][r] = b.rho[2 * i] > 0.0 ? 0.5 * (n + m) : 0.0;
      down[axis][r] = b.rho[2 * i + 1] > 0.0 ? 0.5 * (n - m) : 0.0;
    }
    b.sigma[3 * i] = dot3(up, up, r);
    b.sigma[3 * i + 1] = dot3(up, down, r);
    b.sigma[3 * i + 2] = dot3(down, down, r);
  }
}

/// The gradients of the channels become de/d(grad n_s).
void store_fluxes(const PointBatch& b, std::vector<double>* gradients) {
  std::vector<double>*const up = gradients, *const down = gradients + 3;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t r = b.begin + i;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (b.spins == 1) {
        up[axis][r] *= 2.0 * b.vsigma[i];
        continue;
      }
      const double u = up[axis][r], d = down[axis][r], mixed = b.vsigma[3 * i + 1];
      up[axis][r] = 2.0 * b.vsigma[3 * i] * u + mixed * d;
      down[axis][r] = 2.0 * b.vsigma[3 * i + 2] * d + mixed * u;
    }
  }
}

void store_potential(const PointBatch& b, SpinFields& potential) {
  const auto spins = static_cast<std::size_t>(b.spins);
  for (std::size_t s = 0; s < spins; ++s)
    for (std::size_t i = 0; i < b.count; ++i) potential[s][b.begin + i] = b.vrho[spins * i + s];
}

}  // namespace

XcPotential::XcPotential(GridFft& grid, Xc xc, GridFft::Coefficients core)
    // A rank without G has no coefficients in any case: all must go the same way.
    : grid_(grid), xc_(std::move(xc)), has_core_(grid.comm().max(static_cast<Index>(core.size())) > 0) {
  if (!has_core_) return;
  core_values_ = grid_.to_real(core);
  if (xc_.needs_gradient()) core_ = std::move(core);
}

double XcPotential::bytes(const Xc& xc, bool core, Index waves, Index points) {
  if (!core) return 0.0;
  const double coefficients = xc.needs_gradient() ? static_cast<double>(waves) * sizeof(Complex) : 0.0;
  return coefficients + static_cast<double>(points) * sizeof(double);
}

double XcPotential::evaluation_bytes(const Xc& xc, Index waves, Index points) {
  const double of_spin = static_cast<double>(points) * sizeof(double), potential = xc.spins() * of_spin;
  if (!xc.needs_gradient()) return potential + of_spin;  // and the energy at every point
  // Three derivatives for each spin, one field and two sets of coefficients on their way through a transform.
  return 4.0 * potential + static_cast<double>(points) * sizeof(double) +
         2.0 * static_cast<double>(waves) * sizeof(Complex);
}

void XcPotential::check(const SpinCoefficients& coefficients, const SpinFields& values) const {
  const auto spins = static_cast<std::size_t>(xc_.spins());
  if (coefficients.size() != spins || values.size() != spins)
    throw internal_error("exchange and correlation of " + std::to_string(spins) + " spin components: found " +
                         std::to_string(coefficients.size()) + " of coefficients and " + std::to_string(values.size()) +
                         " of values");
}

XcPotential::Gradients XcPotential::gradients(const SpinCoefficients& coefficients) const {
  Gradients result;
  if (!xc_.needs_gradient()) return result;
  for (std::size_t s = 0; s < coefficients.size(); ++s)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      GridFft::Coefficients derivative(coefficients[s].size());
      add_derivative(grid_, coefficients[s], axis, derivative);
      if (s == 0 && has_core_) add_derivative(grid_, core_, axis, derivative);
      result.push_back(grid_.to_real(derivative));
    }
  return result;
}

/// E_xc; the gradients become de/d(grad n_s), and a potential, where one is asked for, de/dn_s. Collective.
double XcPotential::at_points(const SpinFields& values, Gradients& gradients, SpinFields* potential) const {
  const auto points = static_cast<std::size_t>(grid_.grid_size());
  const std::size_t batches = (points + batch_points - 1) / batch_points;
  std::vector<double> energy(points);  // added in order: the sum does not depend on the threads
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < batches; ++n) {
    const std::size_t begin = n * batch_points;
    PointBatch batch;
    batch.begin = begin;
    batch.count = std::min(batch_points, points - begin);
    batch.spins = xc_.spins();
    batch.sigmas = xc_.num_sigmas();
    load_densities(batch, values, core_values_);
    if (batch.sigmas > 0) load_gradients(batch, gradients.data());
    batch.evaluate(xc_, potential != nullptr);
    std::copy_n(batch.exc.begin(), batch.count, energy.begin() + static_cast<std::ptrdiff_t>(begin));
    if (potential == nullptr) continue;
    store_potential(batch, *potential);
    if (batch.sigmas > 0) store_fluxes(batch, gradients.data());
  }
  return grid_.volume_element() * grid_.over_points()([&](std::size_t i) { return energy[i]; });
}

/// potential -= div of the three components of `field`. Collective.
void XcPotential::subtract_divergence(const std::vector<double>* field, std::vector<double>& potential) const {
  GridFft::Coefficients sum(static_cast<std::size_t>(grid_.waves().size()));
  for (std::size_t axis = 0; axis < 3; ++axis) add_derivative(grid_, grid_.to_recip(field[axis]), axis, sum);
  const std::vector<double> divergence = grid_.to_real(sum);
  for (std::size_t r = 0; r < potential.size(); ++r) potential[r] -= divergence[r];
}

XcPotential::Result XcPotential::evaluate(const SpinCoefficients& coefficients, const SpinFields& values) const {
  check(coefficients, values);
  Gradients fluxes = gradients(coefficients);
  return from_gradients(values, fluxes);
}

/// The gradients become de/d(grad n_s). Collective.
XcPotential::Result XcPotential::from_gradients(const SpinFields& values, Gradients& fluxes) const {
  Result result;
  result.potential.assign(values.size(), std::vector<double>(static_cast<std::size_t>(grid_.grid_size())));
  result.energy = at_points(values, fluxes, &result.potential);
  if (xc_.needs_gradient())
    for (std::size_t s = 0; s < values.size(); ++s) subtract_divergence(&fluxes[3 * s], result.potential[s]);
  return result;
}

XcPotential::StrainedResult XcPotential::strained(const SpinCoefficients& coefficients,
                                                  const SpinFields& values) const {
  check(coefficients, values);
  const Gradients slopes = gradients(coefficients);
  Gradients fluxes(slopes);
  StrainedResult result{from_gradients(values, fluxes), {}};
  const SpinFields& v = result.of_density.potential;
  const auto vector_at = [](const Gradients& of, std::size_t s, std::size_t r) {
    return Vec3{of[3 * s][r], of[3 * s + 1][r], of[3 * s + 2][r]};
  };
  double sums[7];  // of the fluxes times gradients, and of v n
  grid_.over_points().arrays(sums, [&](Range points, std::span<double> out) {
    for (auto r = static_cast<std::size_t>(points.begin); r < static_cast<std::size_t>(points.end); ++r) {
      const double n = values[0][r] + (has_core_ ? core_values_[r] : 0.0);
      out[6] += xc_.spins() == 1 ? v[0][r] * n : 0.5 * (v[0][r] * (n + values[1][r]) + v[1][r] * (n - values[1][r]));
      if (slopes.empty()) continue;
      const Vec3 of_n = vector_at(slopes, 0, r);
      if (xc_.spins() == 1) {
        add_to_symmetric(out, vector_at(fluxes, 0, r), of_n);
        continue;
      }
      const Vec3 of_m = vector_at(slopes, 1, r);
      add_to_symmetric(out, vector_at(fluxes, 0, r), 0.5 * (of_n + of_m));
      add_to_symmetric(out, vector_at(fluxes, 1, r), 0.5 * (of_n - of_m));
    }
  });
  const double dv = grid_.volume_element();
  result.strain = isotropic(result.of_density.energy - dv * sums[6]) + -dv * symmetric(sums);
  return result;
}

double XcPotential::energy(const SpinCoefficients& coefficients, const SpinFields& values) const {
  check(coefficients, values);
  Gradients products = gradients(coefficients);
  return at_points(values, products, nullptr);
}

}  // namespace wavegrid
