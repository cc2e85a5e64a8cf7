// TPSS and revTPSS: PBE and its self-interaction corrected by z = w / tau, w being tau of one orbital.
#include <wavegrid/xc/closed_shell_meta_points.hpp>

namespace wavegrid {

namespace {

/// z from w / u = 5 p / 3 and alpha = (tau - w) / u.
WAVEGRID_INLINE Dual one_orbital_share(const Dual& p, const Dual& alpha) {
  const Dual w = 5.0 / 3.0 * p;
  return w * inverse(w + alpha);
}

/// The energy per electron of PBE's correlation, Ha. `spins` is phi^3: 1 without spin, 1/2 for electrons of one spin.
WAVEGRID_INLINE Dual pbe_correlation(const Dual& gas, const Dual& beta, const Dual& t2, double spins) {
  const double scale = spins * gamma_c;
  const Dual ratio = 1.0 / gamma_c * beta;
  const Dual at2 = ratio * t2 * inverse(exp(-1.0 / scale * gas) + -1.0);
  const Dual fraction = (at2 + 1.0) * inverse(at2 + square(at2) + 1.0);
  return gas + scale * log(ratio * t2 * fraction + 1.0);
}

template <class Parameters>
struct TpssFamily {
  static constexpr double least_of_exchange = 1e-15, least_of_correlation = Parameters::least_of_correlation;
  static constexpr double eta = 0, added_tau = 0;

  WAVEGRID_INLINE static Dual enhancement(const Dual& p, const Dual& alpha) {
    constexpr double kappa = 0.804, b = 0.40, gradient = 10.0 / 81.0;
    constexpr double c = Parameters::c, e = Parameters::e, mu = Parameters::mu, root_e = Parameters::root_e;
    const Dual z = one_orbital_share(p, alpha), z2 = square(z), p2 = square(p), rest = alpha + -1.0;
    const Dual q = 0.45 * (rest * inverse(sqrt(b * (alpha * rest) + 1.0))) + 2.0 / 3.0 * p;
    const Dual limited = c * (Parameters::power(z, z2) * inverse(square(z2 + 1.0)));
    const Dual numerator = (limited + gradient) * p + 146.0 / 2025.0 * square(q) -
                           73.0 / 405.0 * (q * sqrt(0.5 * (0.36 * z2 + p2))) + gradient * gradient / kappa * p2 +
                           0.72 * root_e * gradient * z2 + e * mu * (p2 * p);
    const Dual x = numerator * inverse(square(root_e * p + 1.0));
    return -kappa * inverse(1.0 / kappa * x + 1.0) + (1.0 + kappa);
  }

  WAVEGRID_INLINE static Dual correlation(const Dual& rs, const Dual& p, const Dual& alpha) {
    constexpr double c = Parameters::c_of_correlation, d = 2.8, third = 1.2599210498948732;  // 2^(1/3)
    const Dual t2 = t2_of_p * (p * inverse(rs)), rs_of_one = third * rs;
    const Dual both = pbe_correlation(uniform_gas(rs).energy, Parameters::beta(rs), t2, 1.0);
    const Dual one =
        pbe_correlation(uniform_gas(rs_of_one, polarised_gas).energy, Parameters::beta(rs_of_one), 2.0 * t2, 0.5);
    const Dual z = one_orbital_share(p, alpha), z2 = square(z);
    const Dual corrected = both + z2 * (c * both - (1.0 + c) * select(one.v > both.v, one, both));
    return corrected * (d * (corrected * z2 * z) + 1.0);
  }
};

struct Tpss {
  static constexpr double least_of_correlation = 1e-15;
  static constexpr double c = 1.59096, e = 1.537, root_e = 1.239758040909596, mu = 0.21951, c_of_correlation = 0.53;
  WAVEGRID_INLINE static Dual power(const Dual&, const Dual& z2) { return z2; }
  WAVEGRID_INLINE static Dual beta(const Dual&) { return {beta_c, 0, 0, 0}; }
};
struct RevTpss {
  static constexpr double least_of_correlation = 1e-13;
  static constexpr double c = 2.35203946, e = 2.16769874, root_e = 1.472310680529079, mu = 0.14,
                          c_of_correlation = 0.59;
  WAVEGRID_INLINE static Dual power(const Dual& z, const Dual& z2) { return z2 * z; }
  WAVEGRID_INLINE static Dual beta(const Dual& rs) { return screened_beta(rs); }
};

}  // namespace

void closed_shell_tpss(const MetaPoints& points) { evaluate_points<TpssFamily<Tpss>>(points); }
void closed_shell_revtpss(const MetaPoints& points) { evaluate_points<TpssFamily<RevTpss>>(points); }

}  // namespace wavegrid
