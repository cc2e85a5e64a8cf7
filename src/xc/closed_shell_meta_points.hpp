// What the kernels of closed_shell_meta.hpp share. Everything here is local to the file that includes it, which is
// compiled with -ffast-math (src/CMakeLists.txt): with it GCC takes exp and log of several points at once from the C
// library. Loops have a fixed length: each point goes the same way.
//
// Derivatives come with the values, by forward differentiation: a Dual is a function of (r, p, a) = (rs, s^2, alpha)
// with its three derivatives.
#pragma once

#include <cmath>
#include <numbers>

#include <wavegrid/base/vector_kernels.hpp>
#include <wavegrid/xc/closed_shell_meta.hpp>

namespace wavegrid {

namespace {

constexpr double pi = std::numbers::pi;

// By value: a reference to one of two numbers would be read by its address.
WAVEGRID_INLINE double larger(double x, double y) { return x > y ? x : y; }
constexpr WAVEGRID_INLINE double smaller(double x, double y) { return x < y ? x : y; }

struct Dual {
  double v, r, p, a;
};
WAVEGRID_INLINE Dual operator+(const Dual& x, const Dual& y) { return {x.v + y.v, x.r + y.r, x.p + y.p, x.a + y.a}; }
WAVEGRID_INLINE Dual operator-(const Dual& x, const Dual& y) { return {x.v - y.v, x.r - y.r, x.p - y.p, x.a - y.a}; }
WAVEGRID_INLINE Dual operator+(const Dual& x, double c) { return {x.v + c, x.r, x.p, x.a}; }
WAVEGRID_INLINE Dual operator*(double c, const Dual& x) { return {c * x.v, c * x.r, c * x.p, c * x.a}; }
WAVEGRID_INLINE Dual operator*(const Dual& x, const Dual& y) {
  return {x.v * y.v, x.r * y.v + x.v * y.r, x.p * y.v + x.v * y.p, x.a * y.v + x.v * y.a};
}
/// A function of x with its value and slope there.
WAVEGRID_INLINE Dual function(const Dual& x, double value, double slope) {
  return {value, slope * x.r, slope * x.p, slope * x.a};
}
WAVEGRID_INLINE Dual inverse(const Dual& x) { return function(x, 1.0 / x.v, -1.0 / (x.v * x.v)); }
WAVEGRID_INLINE Dual exp(const Dual& x) {
  const double e = std::exp(x.v);
  return function(x, e, e);
}
WAVEGRID_INLINE Dual log(const Dual& x) { return function(x, std::log(x.v), 1.0 / x.v); }
/// x^(-1/4)
WAVEGRID_INLINE Dual inverse_fourth_root(const Dual& x) {
  const double root = 1.0 / std::sqrt(std::sqrt(x.v));
  return function(x, root, -0.25 * root / x.v);
}

WAVEGRID_INLINE Dual square(const Dual& x) { return function(x, x.v * x.v, 2.0 * x.v); }
WAVEGRID_INLINE Dual sqrt(const Dual& x) {
  const double root = std::sqrt(x.v);
  return function(x, root, 0.5 / root);
}
WAVEGRID_INLINE Dual select(bool first, const Dual& x, const Dual& y) {
  return {first ? x.v : y.v, first ? x.r : y.r, first ? x.p : y.p, first ? x.a : y.a};
}

/// Parameters of the uniform gas: J. P. Perdew, Y. Wang, Phys. Rev. B 45, 13244 (1992), 10.1103/PhysRevB.45.13244,
/// table I, with the digits of libxc's LDA_C_PW_MOD.
struct GasParameters {
  double a, alpha1, b1, b2, b3, b4;
};
constexpr GasParameters unpolarised_gas{0.0310907, 0.21370, 7.5957, 3.5876, 1.6382, 0.49294};
constexpr GasParameters polarised_gas{0.01554535, 0.20548, 14.1189, 6.1977, 3.3662, 0.62517};

/// Energy per electron of the uniform gas, and its derivative by rs, both as duals of rs.
struct UniformGas {
  Dual energy, slope;
};
WAVEGRID_INLINE UniformGas uniform_gas(const Dual& rs, const GasParameters& gas = unpolarised_gas) {
  const auto [a, alpha1, b1, b2, b3, b4] = gas;
  const Dual s = sqrt(rs);
  const Dual q = 2.0 * a * (s * (s * (s * (b4 * s + b3) + b2) + b1));
  const Dual q_slope = a * (b1 * inverse(s) + (s * (4.0 * b4 * s + 3.0 * b3) + 2.0 * b2));
  const Dual front = -2.0 * a * (alpha1 * rs + 1.0), logarithm = log(inverse(q) + 1.0);
  return {front * logarithm, -2.0 * a * alpha1 * logarithm - front * q_slope * inverse(q * (q + 1.0))};
}

constexpr double gamma_c = 0.031090690869654895;  // (1 - ln 2) / pi^2
constexpr double beta_c = 0.06672455060314922;
constexpr double t2_of_p = 1.5073033983379012;  // (3 pi^2 / 16)^(2/3): t^2 = p / rs times it

/// beta of rs, in revTPSS and SCAN.
WAVEGRID_INLINE Dual screened_beta(const Dual& rs) { return beta_c * ((0.1 * rs + 1.0) * inverse(0.1778 * rs + 1.0)); }

/// Energy and derivatives at the points, where a functional has
///   enhancement(p, alpha)        of the exchange of the uniform gas
///   correlation(rs, p, alpha)    energy per electron, Ha
///   alpha = (tau - w) / (u + eta w + added_tau)   w: of one orbital, u: of the uniform gas
/// and the thresholds of libxc: electrons/bohr^3 and their squares per bohr^2.
template <class Functional>
WAVEGRID_INLINE void evaluate_points(const MetaPoints& at) {
  using F = Functional;
  constexpr double least = smaller(F::least_of_exchange, F::least_of_correlation), least_tau = 1e-20, flat = 1e-30;
  const double fermi = std::cbrt(3.0 * pi * pi), radius = std::cbrt(3.0 / (4.0 * pi));
#ifdef _OPENMP  // a program that includes all headers may be compiled without
#pragma omp simd
#endif
  for (std::size_t i = 0; i < meta_points; ++i) {
    const double n = larger(at.density[i], least), t = larger(at.tau[i], least_tau);
    const double gradient = smaller(larger(at.sigma[i], flat), 8.0 * n * t);
    const double with_x = at.density[i] < F::least_of_exchange ? 0.0 : 1.0;
    const double with_c = at.density[i] < F::least_of_correlation ? 0.0 : 1.0;
    const double root = std::exp(std::log(n) / 3.0), kf = fermi * root;
    const double p_of_sigma = 1.0 / (4.0 * kf * kf * n * n), p = p_of_sigma * gradient;
    const double unif = 0.3 * kf * kf * n, weizsaecker = gradient / (8.0 * n);
    const double over = 1.0 / (unif + F::eta * weizsaecker + F::added_tau);
    const double alpha = (t - weizsaecker) * over, rs = radius / root;
    const Dual rs_dual{rs, 1, 0, 0}, p_dual{p, 0, 1, 0}, alpha_dual{alpha, 0, 0, 1};
    const Dual fx = F::enhancement(p_dual, alpha_dual), ec = F::correlation(rs_dual, p_dual, alpha_dual);
    const double uniform_x = -0.75 / pi * kf;  // per electron
    const Dual e{with_x * uniform_x * fx.v + with_c * ec.v, with_c * ec.r, with_x * uniform_x * fx.p + with_c * ec.p,
                 with_x * uniform_x * fx.a + with_c * ec.a};
    // Derivatives of alpha, and n times those by n.
    const double alpha_by_w = -(1.0 + F::eta * alpha) * over, alpha_by_tau = over;
    const double n_alpha_by_n = -alpha_by_w * weizsaecker - alpha * over * 5.0 / 3.0 * unif;
    at.energy[i] = n * e.v;
    at.vrho[i] = e.v + with_x * uniform_x * fx.v / 3.0 - rs / 3.0 * e.r - 8.0 / 3.0 * p * e.p + n_alpha_by_n * e.a;
    at.vsigma[i] = n * (p_of_sigma * e.p + alpha_by_w / (8.0 * n) * e.a);
    at.vtau[i] = n * alpha_by_tau * e.a;
  }
}

}  // namespace

}  // namespace wavegrid
