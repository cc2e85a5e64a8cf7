#include <array>

#include <wavegrid/xc/tau_bound.hpp>

namespace wavegrid {
namespace {

/// At and below it functionals take a density as 0, and there is no bound.
constexpr double least_density = 1e-15;  // electrons/bohr^3

using PerSpin = std::array<double, 2 * bounded_points>;

/// Energies and derivatives at the bound.
struct ValuesAtBound {
  PerSpin exc, vrho, vtau;
  std::array<double, 3 * bounded_points> vsigma;

  [[nodiscard]] Xc::Values sized_as(const Xc::Values& values) {
    return {std::span(exc).first(values.exc.size()), std::span(vrho).first(values.vrho.size()),
            std::span(vsigma).first(values.vsigma.size()), std::span(vtau).first(values.vtau.size())};
  }
};

/// The values of tau of a few points, in the order of Xc::Points.
struct BoundedTau {
  std::size_t spins = 1, sigmas = 1;
  PerSpin reflected, bound;                    ///< both the given tau where it is not below the bound
  std::array<bool, 2 * bounded_points> below;  ///< the bound
  bool any = false;

  explicit BoundedTau(const Xc& xc, const Xc::Points& points)
      : spins(static_cast<std::size_t>(xc.spins())), sigmas(static_cast<std::size_t>(xc.num_sigmas())) {
    for (std::size_t i = 0; i < points.tau.size(); ++i) {
      const double n = points.rho[i], sigma = points.sigma[square(i)], tau = points.tau[i];
      below[i] = n > least_density && 8.0 * n * tau < sigma;
      bound[i] = below[i] ? sigma / (8.0 * n) : tau;
      reflected[i] = 2.0 * bound[i] - tau;
      any = any || below[i];
    }
  }
  /// The place of |grad n_s|^2 of element i of tau.
  [[nodiscard]] std::size_t square(std::size_t i) const { return sigmas * (i / spins) + 2 * (i % spins); }
  [[nodiscard]] bool is_below(std::size_t point) const {
    return below[spins * point] || (spins == 2 && below[spins * point + 1]);
  }
};

/// 2 e(bound) - e(reflected) and its derivatives, where `values` are those of e(reflected), at the points below.
void combine(const BoundedTau& tau, const Xc::Points& points, const Xc::Values& at_bound, const Xc::Values& values) {
  const auto reflect = [](double bound, double& value) { value = 2.0 * bound - value; };
  for (std::size_t p = 0; p < values.exc.size(); ++p) {
    if (!tau.is_below(p)) continue;
    reflect(at_bound.exc[p], values.exc[p]);
    if (values.vrho.empty()) continue;
    for (std::size_t k = tau.sigmas * p; k < tau.sigmas * (p + 1); ++k) reflect(at_bound.vsigma[k], values.vsigma[k]);
    for (std::size_t i = tau.spins * p; i < tau.spins * (p + 1); ++i) {
      reflect(at_bound.vrho[i], values.vrho[i]);
      if (!tau.below[i]) {
        reflect(at_bound.vtau[i], values.vtau[i]);
        continue;
      }
      const double by_bound = 2.0 * (at_bound.vtau[i] - values.vtau[i]);  // de/dw
      values.vsigma[tau.square(i)] += by_bound / (8.0 * points.rho[i]);
      values.vrho[i] -= by_bound * tau.bound[i] / points.rho[i];
    }
  }
}

}  // namespace

void evaluate_bounded(const Xc& xc, const Xc::Points& points, const Xc::Values& values) {
  const BoundedTau tau(xc, points);
  if (!tau.any) return xc.evaluate(points, values);
  const auto with_tau = [&](const PerSpin& of) {
    return Xc::Points{points.rho, points.sigma, std::span(of).first(points.tau.size())};
  };
  ValuesAtBound memory;
  const Xc::Values at_bound = memory.sized_as(values);
  xc.evaluate(with_tau(tau.bound), at_bound);
  xc.evaluate(with_tau(tau.reflected), values);
  combine(tau, points, at_bound, values);
}

}  // namespace wavegrid
