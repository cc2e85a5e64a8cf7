// Compiled with -ffast-math (src/CMakeLists.txt), with which GCC takes exp and log of several points at once from the C
// library. The loop has a fixed length: each point goes the same way.
//
// Derivatives come with the values, by forward differentiation: a Dual is a function of (r, p, a) = (rs, s^2, alpha)
// with its three derivatives.
#include <cmath>
#include <numbers>

#include <wavegrid/base/vector_kernels.hpp>
#include <wavegrid/xc/closed_shell_r2scan.hpp>

namespace wavegrid {

namespace {

constexpr double pi = std::numbers::pi;
// Where libxc ends them: electrons/bohr^3.
constexpr double least_of_exchange = 1e-11, least_of_correlation = 1e-15, least_tau = 1e-20, flat = 1e-30;
constexpr double eta = 0.001, mu = 10.0 / 81.0, dp2 = 0.361, dp2_4 = dp2 * dp2 * dp2 * dp2;
constexpr double h0x = 1.174, k1 = 0.065, a1 = 4.9479, gas_a = 0.031090690869654895;  // (1 - ln 2) / pi^2
constexpr double b1c = 0.0285764, b2c = 0.0889, b3c = 0.125541, chi = 0.12802585262625815, gamma_c = gas_a;
constexpr double fx[8] = {
    1.0, -0.667, -0.4445555, -0.663086601049, 1.451297044490, -0.887998041597, 0.234528941479, -0.023185843322};
constexpr double fc[8] = {
    1.0, -0.64, -0.4352, -1.535685604549, 3.061560252175, -1.915710236206, 0.516884468372, -0.051848879792};

/// f'(1) of the polynomials.
constexpr double slope_at_one(const double (&c)[8]) {
  double sum = 0;
  for (int i = 1; i < 8; ++i) sum += i * c[i];
  return sum;
}
constexpr double dfx = slope_at_one(fx), dfc = slope_at_one(fc);

// By value: a reference to one of two numbers would be read by its address.
WAVEGRID_INLINE double larger(double x, double y) { return x > y ? x : y; }
WAVEGRID_INLINE double smaller(double x, double y) { return x < y ? x : y; }

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

/// f(alpha): a polynomial up to 2.5, and beyond -d exp(c / (1 - alpha)).
WAVEGRID_INLINE Dual switching(const double (&coefficients)[8], double c, double d, const Dual& alpha) {
  constexpr double end = 2.5;
  const double x = smaller(alpha.v, end);
  double value = coefficients[7], slope = 0;
#pragma GCC unroll 8
  for (int i = 6; i >= 0; --i) {
    slope = slope * x + value;
    value = value * x + coefficients[i];
  }
  const double over = 1.0 / (1.0 - larger(alpha.v, end)), tail = -d * std::exp(c * over);
  const bool inside = alpha.v <= end;
  return function(alpha, inside ? value : tail, inside ? slope : tail * c * over * over);
}

/// The enhancement factor of exchange.
WAVEGRID_INLINE Dual exchange(const Dual& p, const Dual& alpha) {
  constexpr double c_eta = 20.0 / 27.0 + eta * 5.0 / 3.0, c2 = -dfx * (1.0 - h0x);
  const Dual damped = exp(-1.0 / dp2_4 * (p * p));
  const Dual x = (c_eta * c2 * damped + mu) * p;
  const Dual h1 = -k1 * inverse(1.0 / k1 * x + 1.0) + (1.0 + k1);
  const Dual f = switching(fx, 0.8, 1.24, alpha);
  const Dual g = -1.0 * exp(-a1 * inverse_fourth_root(p)) + 1.0;
  return (h1 + f * (-1.0 * h1 + h0x)) * g;
}

/// Energy per electron of the uniform gas (Perdew, Wang), and its derivative by rs, both as duals of rs.
struct UniformGas {
  Dual energy, slope;
};
WAVEGRID_INLINE UniformGas uniform_gas(const Dual& rs) {
  constexpr double alpha1 = 0.21370, b1 = 7.5957, b2 = 3.5876, b3 = 1.6382, b4 = 0.49294, a = 0.0310907;
  const double root = std::sqrt(rs.v);
  const Dual s = function(rs, root, 0.5 / root);
  const Dual q = 2.0 * a * (s * (s * (s * (b4 * s + b3) + b2) + b1));
  const Dual q_slope = a * (b1 * inverse(s) + (s * (4.0 * b4 * s + 3.0 * b3) + 2.0 * b2));
  const Dual front = -2.0 * a * (alpha1 * rs + 1.0), logarithm = log(inverse(q) + 1.0);
  return {front * logarithm, -2.0 * a * alpha1 * logarithm - front * q_slope * inverse(q * (q + 1.0))};
}

/// The energy of correlation per electron, Ha.
WAVEGRID_INLINE Dual correlation(const Dual& rs, const Dual& p, const Dual& alpha) {
  const double root = std::sqrt(rs.v);
  const Dual s = function(rs, root, 0.5 / root);
  const Dual divisor = inverse(b2c * s + (b3c * rs + 1.0));
  const Dual lda0 = -b1c * divisor;
  const Dual lda0_slope = b1c * (divisor * divisor) * (0.5 * b2c * inverse(s) + b3c);
  const Dual w0 = exp(-1.0 / b1c * lda0) + -1.0;
  const Dual g_inf = inverse_fourth_root(4.0 * chi * p + 1.0);
  const Dual e0 = lda0 + b1c * log(w0 * (-1.0 * g_inf + 1.0) + 1.0);

  const UniformGas gas = uniform_gas(rs);
  const Dual w1 = exp(-1.0 / gamma_c * gas.energy) + -1.0, over_w1 = inverse(w1);
  const Dual beta = 0.06672455060314922 * ((0.1 * rs + 1.0) * inverse(0.1778 * rs + 1.0));
  constexpr double t2_of_p = 1.5073033983379012;  // (3 pi^2 / 16)^(2/3)
  const Dual y = 1.0 / gamma_c * t2_of_p * (beta * over_w1 * p * inverse(rs));
  const Dual damped = exp(-1.0 / dp2_4 * (p * p));
  const Dual change = dfc / (27.0 * gamma_c) * (over_w1 * p * damped) *
                      (20.0 * (rs * (lda0_slope - gas.slope)) - 45.0 * eta * (lda0 - gas.energy));
  const Dual g = inverse_fourth_root(4.0 * (y - change) + 1.0);
  const Dual e1 = gas.energy + gamma_c * log(w1 * (-1.0 * g + 1.0) + 1.0);
  return e1 + switching(fc, 1.5, 0.7, alpha) * (e0 - e1);
}

}  // namespace

void closed_shell_r2scan(const double* density, const double* sigma, const double* tau, double* energy, double* vrho,
                         double* vsigma, double* vtau) {
  const double fermi = std::cbrt(3.0 * pi * pi), radius = std::cbrt(3.0 / (4.0 * pi));
#pragma omp simd
  for (std::size_t i = 0; i < r2scan_points; ++i) {
    const double n = larger(density[i], least_of_correlation), t = larger(tau[i], least_tau);
    const double gradient = smaller(larger(sigma[i], flat), 8.0 * n * t);
    const double with_x = density[i] < least_of_exchange ? 0.0 : 1.0;
    const double with_c = density[i] < least_of_correlation ? 0.0 : 1.0;
    const double root = std::exp(std::log(n) / 3.0), kf = fermi * root;
    const double p_of_sigma = 1.0 / (4.0 * kf * kf * n * n), p = p_of_sigma * gradient;
    const double unif = 0.3 * kf * kf * n, weizsaecker = gradient / (8.0 * n), over = 1.0 / (unif + eta * weizsaecker);
    const double alpha = (t - weizsaecker) * over, rs = radius / root;
    const Dual rs_dual{rs, 1, 0, 0}, p_dual{p, 0, 1, 0}, alpha_dual{alpha, 0, 0, 1};
    const Dual fx = exchange(p_dual, alpha_dual), ec = correlation(rs_dual, p_dual, alpha_dual);
    const double uniform_x = -0.75 / pi * kf;  // per electron
    const Dual e{with_x * uniform_x * fx.v + with_c * ec.v, with_c * ec.r, with_x * uniform_x * fx.p + with_c * ec.p,
                 with_x * uniform_x * fx.a + with_c * ec.a};
    // Derivatives of alpha, and n times those by n.
    const double alpha_by_w = -(1.0 + eta * alpha) * over, alpha_by_tau = over;
    const double n_alpha_by_n = -alpha_by_w * weizsaecker - alpha * over * 5.0 / 3.0 * unif;
    energy[i] = n * e.v;
    vrho[i] = e.v + with_x * uniform_x * fx.v / 3.0 - rs / 3.0 * e.r - 8.0 / 3.0 * p * e.p + n_alpha_by_n * e.a;
    vsigma[i] = n * (p_of_sigma * e.p + alpha_by_w / (8.0 * n) * e.a);
    vtau[i] = n * alpha_by_tau * e.a;
  }
}

}  // namespace wavegrid
