// SCAN and its regularised relatives: energies of alpha = 0 and alpha = 1, and functions that switch between them.
#include <wavegrid/xc/closed_shell_meta_points.hpp>

namespace wavegrid {

namespace {

constexpr double mu = 10.0 / 81.0, h0x = 1.174, k1 = 0.065, a1 = 4.9479;
constexpr double b1c = 0.0285764, b2c = 0.0889, b3c = 0.125541, chi = 0.12802585262625815;
constexpr double fx[8] = {
    1.0, -0.667, -0.4445555, -0.663086601049, 1.451297044490, -0.887998041597, 0.234528941479, -0.023185843322};
constexpr double fc[8] = {
    1.0, -0.64, -0.4352, -1.535685604549, 3.061560252175, -1.915710236206, 0.516884468372, -0.051848879792};
// f(alpha) = exp(-c1 alpha / (1 - alpha)) below 1, and -d exp(c2 / (1 - alpha)) above it.
constexpr double c1x = 0.667, c2x = 0.8, dx = 1.24, c1c = 0.64, c2c = 1.5, dc = 0.7;

/// f'(1) of the polynomials.
constexpr double slope_at_one(const double (&c)[8]) {
  double sum = 0;
  for (int i = 1; i < 8; ++i) sum += i * c[i];
  return sum;
}
constexpr double dfx = slope_at_one(fx), dfc = slope_at_one(fc);

/// The regular one: a polynomial up to 2.5, and beyond it as above.
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

/// That of SCAN. Within 0.01 of 1 it is below 1e-27.
WAVEGRID_INLINE Dual exponential_switching(double c1, double c2, double d, const Dual& alpha) {
  const bool below = alpha.v <= 1.0;
  const double rest = 1.0 - alpha.v, over = 1.0 / (below ? larger(rest, 0.01) : smaller(rest, -0.01));
  const double value = (below ? 1.0 : -d) * std::exp(below ? -c1 * alpha.v * over : c2 * over);
  return function(alpha, value, (below ? -c1 : c2) * over * over * value);
}

/// The enhancement factor from those at alpha = 1, h1 of x, and at 0, by the switching function f.
WAVEGRID_INLINE Dual switched_enhancement(const Dual& x, const Dual& f, const Dual& p) {
  const Dual h1 = -k1 * inverse(1.0 / k1 * x + 1.0) + (1.0 + k1);
  const Dual g = -1.0 * exp(-a1 * inverse_fourth_root(p)) + 1.0;
  return (h1 + f * (-1.0 * h1 + h0x)) * g;
}

/// x of SCAN.
WAVEGRID_INLINE Dual scan_x(const Dual& p, const Dual& alpha) {
  constexpr double b2 = 0.12083045973594572, b1 = 511.0 / 27000.0 / b2;  // b2: the root of 5913/405000
  constexpr double b3 = 0.5, b4 = mu * mu / k1 - 1606.0 / 18225.0 - b1 * b1;
  const Dual rest = -1.0 * alpha + 1.0;
  const Dual other = b1 * p + b2 * (rest * exp(-b3 * square(rest)));
  return mu * p + b4 * (square(p) * exp(-b4 / mu * p)) + square(other);
}

/// Energy per electron at alpha = 0 without gradient, and its derivative by rs.
WAVEGRID_INLINE UniformGas one_orbital_limit(const Dual& rs) {
  const Dual s = sqrt(rs);
  const Dual divisor = inverse(b2c * s + (b3c * rs + 1.0));
  return {-b1c * divisor, b1c * (square(divisor) * (0.5 * b2c * inverse(s) + b3c))};
}
/// The exponential of the energy of the uniform gas from which A follows.
WAVEGRID_INLINE Dual gas_exponential(const Dual& gas) { return exp(-1.0 / gamma_c * gas) + -1.0; }

/// Of a functional that adds `change` to y = A t^2, switched by f between the energies `lda0` and `gas`.
WAVEGRID_INLINE Dual switched_correlation(const Dual& lda0, const Dual& gas, const Dual& rs, const Dual& p,
                                          const Dual& change, const Dual& f) {
  const Dual w0 = exp(-1.0 / b1c * lda0) + -1.0, w1 = gas_exponential(gas);
  const Dual g_inf = inverse_fourth_root(4.0 * chi * p + 1.0);
  const Dual e0 = lda0 + b1c * log(w0 * (-1.0 * g_inf + 1.0) + 1.0);
  const Dual y = 1.0 / gamma_c * t2_of_p * (screened_beta(rs) * inverse(w1) * p * inverse(rs));
  const Dual g = inverse_fourth_root(4.0 * (y + change) + 1.0);
  const Dual e1 = gas + gamma_c * log(w1 * (-1.0 * g + 1.0) + 1.0);
  return e1 + f * (e0 - e1);
}
/// The same without a change.
WAVEGRID_INLINE Dual switched_correlation(const Dual& rs, const Dual& p, const Dual& f) {
  return switched_correlation(one_orbital_limit(rs).energy, uniform_gas(rs).energy, rs, p, {0, 0, 0, 0}, f);
}

struct Scan {
  static constexpr double least_of_exchange = 1e-15, least_of_correlation = 1e-15, eta = 0, added_tau = 0;

  WAVEGRID_INLINE static Dual enhancement(const Dual& p, const Dual& alpha) {
    return switched_enhancement(scan_x(p, alpha), exponential_switching(c1x, c2x, dx, alpha), p);
  }
  WAVEGRID_INLINE static Dual correlation(const Dual& rs, const Dual& p, const Dual& alpha) {
    return switched_correlation(rs, p, exponential_switching(c1c, c2c, dc, alpha));
  }
};

struct Rscan {
  static constexpr double least_of_exchange = 1e-11, least_of_correlation = 1e-15, eta = 0, added_tau = 1e-4;

  WAVEGRID_INLINE static Dual regular(const Dual& alpha) {
    const Dual squared = square(alpha);
    return alpha * squared * inverse(squared + 1e-3);
  }
  WAVEGRID_INLINE static Dual enhancement(const Dual& p, const Dual& alpha) {
    const Dual a = regular(alpha);
    return switched_enhancement(scan_x(p, a), switching(fx, c2x, dx, a), p);
  }
  WAVEGRID_INLINE static Dual correlation(const Dual& rs, const Dual& p, const Dual& alpha) {
    return switched_correlation(rs, p, switching(fc, c2c, dc, regular(alpha)));
  }
};

struct R2scan {
  static constexpr double least_of_exchange = 1e-11, least_of_correlation = 1e-15, eta = 0.001, added_tau = 0;
  static constexpr double dp2 = 0.361, dp2_4 = dp2 * dp2 * dp2 * dp2;

  WAVEGRID_INLINE static Dual enhancement(const Dual& p, const Dual& alpha) {
    constexpr double c_eta = 20.0 / 27.0 + eta * 5.0 / 3.0, c2 = -dfx * (1.0 - h0x);
    const Dual damped = exp(-1.0 / dp2_4 * square(p));
    return switched_enhancement((c_eta * c2 * damped + mu) * p, switching(fx, c2x, dx, alpha), p);
  }
  WAVEGRID_INLINE static Dual correlation(const Dual& rs, const Dual& p, const Dual& alpha) {
    const UniformGas limit = one_orbital_limit(rs), gas = uniform_gas(rs);
    const Dual damped = exp(-1.0 / dp2_4 * square(p));
    const Dual change = -dfc / (27.0 * gamma_c) * (inverse(gas_exponential(gas.energy)) * p * damped) *
                        (20.0 * (rs * (limit.slope - gas.slope)) - 45.0 * eta * (limit.energy - gas.energy));
    return switched_correlation(limit.energy, gas.energy, rs, p, change, switching(fc, c2c, dc, alpha));
  }
};

}  // namespace

void closed_shell_scan(const MetaPoints& points) { evaluate_points<Scan>(points); }
void closed_shell_rscan(const MetaPoints& points) { evaluate_points<Rscan>(points); }
void closed_shell_r2scan(const MetaPoints& points) { evaluate_points<R2scan>(points); }

}  // namespace wavegrid
