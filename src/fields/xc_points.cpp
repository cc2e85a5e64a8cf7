#include <algorithm>
#include <array>

#include <wavegrid/fields/xc_points.hpp>
#include <wavegrid/xc/tau_bound.hpp>

namespace wavegrid {

namespace {

/// The points of one thread at a time: consecutive, few enough to stay in the first-level cache, in the order of Xc.
constexpr std::size_t batch_points = bounded_points;
struct PointBatch {
  std::size_t begin, count;
  int spins, sigmas, taus;
  std::array<double, 2 * batch_points> rho, tau, vrho, vtau;
  std::array<double, 3 * batch_points> sigma, vsigma;
  std::array<double, batch_points> exc;

  void evaluate(const Xc& xc, bool derivatives) {
    const std::size_t n = count * static_cast<std::size_t>(spins), s = count * static_cast<std::size_t>(sigmas),
                      t = count * static_cast<std::size_t>(taus);
    const Xc::Points points{std::span(rho).first(n), std::span(sigma).first(s), std::span(tau).first(t)};
    const Xc::Values values{std::span(exc).first(count), std::span(vrho).first(derivatives ? n : 0),
                            std::span(vsigma).first(derivatives ? s : 0), std::span(vtau).first(derivatives ? t : 0)};
    return taus > 0 ? evaluate_bounded(xc, points, values) : xc.evaluate(points, values);
  }
};

/// Values of the channels from those of the components: (f + added + m) / 2 and (f + added - m) / 2.
void load_channels(const PointBatch& b, const SpinFields& values, std::span<const double> added, double* channels) {
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t r = b.begin + i;
    const double n = values[0][r] + (added.empty() ? 0.0 : added[r]);
    if (b.spins == 1) {
      channels[i] = n;
    } else {
      channels[2 * i] = 0.5 * (n + values[1][r]);
      channels[2 * i + 1] = 0.5 * (n - values[1][r]);
    }
  }
}

double dot(const FieldValues* a, const FieldValues* b, std::size_t dimensions, std::size_t r) {
  double sum = a[0][r] * b[0][r];
  for (std::size_t axis = 1; axis < dimensions; ++axis) sum += a[axis][r] * b[axis][r];
  return sum;
}

/// Products of the gradients. Gradients of the components are replaced by those of the channels; a channel without
/// density has none.
void load_gradients(PointBatch& b, std::size_t dimensions, FieldValues* gradients) {
  FieldValues *const up = gradients, *const down = gradients + dimensions;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t r = b.begin + i;
    if (b.spins == 1) {
      b.sigma[i] = dot(up, up, dimensions, r);
      continue;
    }
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      const double n = up[axis][r], m = down[axis][r];
      up[axis][r] = b.rho[2 * i] > 0.0 ? 0.5 * (n + m) : 0.0;
      down[axis][r] = b.rho[2 * i + 1] > 0.0 ? 0.5 * (n - m) : 0.0;
    }
    b.sigma[3 * i] = dot(up, up, dimensions, r);
    b.sigma[3 * i + 1] = dot(up, down, dimensions, r);
    b.sigma[3 * i + 2] = dot(down, down, dimensions, r);
  }
}

/// Replaces the gradients of the channels by de/d(grad n_s).
void store_fluxes(const PointBatch& b, std::size_t dimensions, FieldValues* gradients) {
  FieldValues *const up = gradients, *const down = gradients + dimensions;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t r = b.begin + i;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
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

void store_channels(const PointBatch& b, const double* channels, SpinFields& fields) {
  const auto spins = static_cast<std::size_t>(b.spins);
  for (std::size_t s = 0; s < spins; ++s)
    for (std::size_t i = 0; i < b.count; ++i) fields[s][b.begin + i] = channels[spins * i + s];
}

}  // namespace

FieldValues xc_at_points(const Xc& xc, int dimensions, const DensityValues& density, std::span<const double> core,
                         SpinGradients& gradients, Potential* potential) {
  const std::size_t points = density.n.front().size(), axes = static_cast<std::size_t>(dimensions);
  const std::size_t batches = (points + batch_points - 1) / batch_points;
  FieldValues energy(points);
  if (potential != nullptr) {
    potential->v.assign(static_cast<std::size_t>(xc.spins()), FieldValues(points));
    potential->v_tau.assign(static_cast<std::size_t>(xc.num_taus()), FieldValues(points));
  }
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < batches; ++n) {
    PointBatch batch;
    batch.begin = n * batch_points;
    batch.count = std::min(batch_points, points - batch.begin);
    batch.spins = xc.spins();
    batch.sigmas = xc.num_sigmas();
    batch.taus = xc.num_taus();
    load_channels(batch, density.n, core, batch.rho.data());
    if (batch.sigmas > 0) load_gradients(batch, axes, gradients.data());
    if (batch.taus > 0) load_channels(batch, density.tau, {}, batch.tau.data());
    batch.evaluate(xc, potential != nullptr);
    std::copy_n(batch.exc.begin(), batch.count, energy.begin() + static_cast<std::ptrdiff_t>(batch.begin));
    if (potential == nullptr) continue;
    store_channels(batch, batch.vrho.data(), potential->v);
    if (batch.taus > 0) store_channels(batch, batch.vtau.data(), potential->v_tau);
    if (batch.sigmas > 0) store_fluxes(batch, axes, gradients.data());
  }
  return energy;
}

}  // namespace wavegrid
