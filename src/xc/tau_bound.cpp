#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <wavegrid/xc/tau_bound.hpp>

namespace wavegrid {
namespace {

/// At and below it functionals take a density as 0, and there is no bound.
constexpr double least_density = 1e-15;  // electrons/bohr^3

using PerSpin = std::array<double, 2 * bounded_points>;
using PerSigma = std::array<double, 3 * bounded_points>;

/// The bound of a channel whose tau is below it: w of the limited gradient, and its derivatives.
struct Bound {
  double w = 0;        ///< of the given gradient
  double limited = 0;  ///< the smaller one that is used
  double by_n = 0, by_sigma = 0, by_tau = 0;

  /// `uniform`: tau of the uniform gas of density n.
  Bound(double n, double sigma, double tau, double uniform) : w(sigma / (8.0 * n)) {
    const double positive = std::max(tau, 0.0), x = (w - positive) / uniform, share = std::tanh(x);
    const double slope = 1.0 - share * share;
    limited = positive + uniform * share;
    by_sigma = slope / (8.0 * n);
    by_n = (5.0 / 3.0 * (share - x * slope) * uniform - slope * w) / n;
    by_tau = tau > 0.0 ? 1.0 - slope : 0.0;
  }
};

/// A few points with limited gradients, and the values of tau at which they are evaluated, in the order of Xc::Points.
struct BoundedPoints {
  std::size_t spins = 1, sigmas = 1;
  PerSigma sigma;
  PerSpin reflected, bound;                      ///< both the given tau where it is not below the bound
  std::array<double, 2 * bounded_points> scale;  ///< of the gradient
  std::array<bool, 2 * bounded_points> below;    ///< the bound
  bool any = false;

  BoundedPoints(const Xc& xc, const Xc::Points& points)
      : spins(static_cast<std::size_t>(xc.spins())), sigmas(static_cast<std::size_t>(xc.num_sigmas())) {
    for (std::size_t i = 0; i < points.tau.size(); ++i) {
      const double n = points.rho[i], square_i = points.sigma[square(i)], tau = points.tau[i];
      below[i] = n > least_density && 8.0 * n * tau < square_i;
      any = any || below[i];
      scale[i] = 1.0;
      bound[i] = reflected[i] = tau;
      if (!below[i]) continue;
      const Bound of = bound_at(points, i);
      bound[i] = of.limited;
      reflected[i] = 2.0 * of.limited - tau;
      if (of.w > 0) scale[i] = std::sqrt(of.limited / of.w);
    }
    if (any) limit_gradients(points);
  }
  /// The place of |grad n_s|^2 of element i of tau.
  [[nodiscard]] std::size_t square(std::size_t i) const { return sigmas * (i / spins) + 2 * (i % spins); }
  [[nodiscard]] bool is_below(std::size_t point) const {
    return below[spins * point] || (spins == 2 && below[spins * point + 1]);
  }
  [[nodiscard]] Bound bound_at(const Xc::Points& points, std::size_t i) const {
    const double thirds = (spins == 2 ? 6.0 : 3.0) * std::numbers::pi * std::numbers::pi, n = points.rho[i];
    return {n, points.sigma[square(i)], points.tau[i], 0.3 * std::cbrt(thirds * thirds) * n * std::cbrt(n * n)};
  }

 private:
  void limit_gradients(const Xc::Points& points) {
    for (std::size_t p = 0; p < points.sigma.size() / sigmas; ++p) {
      const double up = scale[spins * p], down = spins == 2 ? scale[spins * p + 1] : up;
      sigma[sigmas * p] = up * up * points.sigma[sigmas * p];
      if (sigmas == 1) continue;
      sigma[sigmas * p + 1] = up * down * points.sigma[sigmas * p + 1];
      sigma[sigmas * p + 2] = down * down * points.sigma[sigmas * p + 2];
    }
  }
};

/// The points below the bound alone, one after the other, with energies and derivatives at the bound.
struct PointsAtBound {
  std::size_t count = 0;
  std::array<std::size_t, bounded_points> place;  ///< among all points
  PerSpin rho, tau, vrho, vtau;
  PerSigma sigma, vsigma;
  std::array<double, bounded_points> exc;

  PointsAtBound(const Xc& xc, const BoundedPoints& at, const Xc::Points& points, bool derivatives) {
    for (std::size_t p = 0; p < points.sigma.size() / at.sigmas; ++p) {
      if (!at.is_below(p)) continue;
      std::copy_n(points.rho.data() + at.spins * p, at.spins, rho.data() + at.spins * count);
      std::copy_n(at.bound.data() + at.spins * p, at.spins, tau.data() + at.spins * count);
      std::copy_n(at.sigma.data() + at.sigmas * p, at.sigmas, sigma.data() + at.sigmas * count);
      place[count++] = p;
    }
    const std::size_t n = at.spins * count, s = at.sigmas * count;
    xc.evaluate({std::span(rho).first(n), std::span(sigma).first(s), std::span(tau).first(n)},
                {std::span(exc).first(count), std::span(vrho).first(derivatives ? n : 0),
                 std::span(vsigma).first(derivatives ? s : 0), std::span(vtau).first(derivatives ? n : 0)});
  }
};

/// Adds what the limited gradient and the bound of channel i depend on to the derivatives, where `values` holds those
/// with both of them fixed, and de/dtau of the reflected tau. `by_bound`: the derivative of the energy by the bound.
void add_bound(const BoundedPoints& at, const Xc::Points& points, std::size_t i, double by_bound,
               const Xc::Values& values) {
  const Bound of = at.bound_at(points, i);
  const double n = points.rho[i], by_square = values.vsigma[at.square(i)];
  double mixed = 0;  // derivative of the energy by the logarithm of the product of both gradients
  if (at.sigmas == 3 && of.w > 0) {
    const std::size_t product = at.sigmas * (i / at.spins) + 1;
    mixed = values.vsigma[product] * at.sigma[product];
  }
  const auto share = [&](double w) { return mixed != 0 ? 0.5 * mixed / w : 0.0; };
  const double by_limited = by_bound + 8.0 * n * by_square + share(of.limited);
  values.vsigma[at.square(i)] = by_limited * of.by_sigma - share(8.0 * n * of.w);
  values.vrho[i] += 8.0 * of.limited * by_square + by_limited * of.by_n + 0.5 * mixed / n;
  values.vtau[i] += by_limited * of.by_tau;
}

/// 2 e(bound) - e(reflected) and its derivatives, where `values` are those of e(reflected), at the points below.
void combine(const BoundedPoints& at, const Xc::Points& points, const PointsAtBound& at_bound,
             const Xc::Values& values) {
  const auto reflect = [](double bound, double& value) { value = 2.0 * bound - value; };
  for (std::size_t number = 0; number < at_bound.count; ++number) {
    const std::size_t p = at_bound.place[number];
    reflect(at_bound.exc[number], values.exc[p]);
    if (values.vrho.empty()) continue;
    for (std::size_t k = 0; k < at.sigmas; ++k)
      reflect(at_bound.vsigma[at.sigmas * number + k], values.vsigma[at.sigmas * p + k]);
    for (std::size_t s = 0; s < at.spins; ++s) {
      const std::size_t i = at.spins * p + s, b = at.spins * number + s;
      reflect(at_bound.vrho[b], values.vrho[i]);
      if (at.below[i])
        add_bound(at, points, i, 2.0 * (at_bound.vtau[b] - values.vtau[i]), values);
      else
        reflect(at_bound.vtau[b], values.vtau[i]);
    }
    if (at.sigmas == 3) values.vsigma[at.sigmas * p + 1] *= at.scale[at.spins * p] * at.scale[at.spins * p + 1];
  }
}

}  // namespace

void evaluate_bounded(const Xc& xc, const Xc::Points& points, const Xc::Values& values) {
  const BoundedPoints at(xc, points);
  if (!at.any) return xc.evaluate(points, values);
  xc.evaluate(
      {points.rho, std::span(at.sigma).first(points.sigma.size()), std::span(at.reflected).first(points.tau.size())},
      values);
  combine(at, points, PointsAtBound(xc, at, points, !values.vrho.empty()), values);
}

}  // namespace wavegrid
