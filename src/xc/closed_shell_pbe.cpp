// Compiled with -ffast-math (src/CMakeLists.txt), with which GCC takes exp and log of several points at once from the C
// library. The loop has a fixed length: each point goes the same way.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <wavegrid/xc/closed_shell_pbe.hpp>

namespace wavegrid {

namespace {

constexpr double pi = std::numbers::pi;
// Where libxc ends them: electrons/bohr^3 and their squares per bohr^2.
constexpr double least_of_exchange = 2e-15, least_of_correlation = 1e-12, flat_exchange = 1e-40,
                 flat_correlation = 1e-32;
constexpr double kappa = 0.804, beta = 0.06672455060314922, mu = beta * pi * pi / 3.0;
constexpr double gas = 0.0310907, gas_slope = 0.21370;  // of Perdew and Wang: A and alpha_1

/// -(3/4) (3/pi)^(1/3): the exchange energy of the uniform gas over n^(4/3).
const double uniform_exchange = -0.75 * std::cbrt(3.0 / pi);
/// kF = (3 pi^2 n)^(1/3) and rs = (3 / (4 pi n))^(1/3), each over a power of n.
const double fermi = std::cbrt(3.0 * pi * pi), radius = std::cbrt(3.0 / (4.0 * pi));
const double gamma_c = (1.0 - std::log(2.0)) / (pi * pi);

struct Part {
  double energy, by_density, by_sigma;
};

/// `root`: n^(1/3).
inline Part exchange_of(double n, double root, double sigma) {
  const double kf = fermi * root, s2_of_sigma = 1.0 / (4.0 * kf * kf * n * n), s2 = s2_of_sigma * sigma;
  const double part = 1.0 / (1.0 + mu / kappa * s2), enhancement = 1.0 + kappa - kappa * part;
  const double slope = mu * part * part, energy = uniform_exchange * root;  // of one electron in the uniform gas
  return {n * energy * enhancement, 4.0 / 3.0 * energy * (enhancement - 2.0 * s2 * slope),
          n * energy * slope * s2_of_sigma};
}

/// Energy per electron of the uniform gas and its derivative by rs.
inline void uniform_correlation(double rs, double& energy, double& slope) {
  constexpr double b1 = 7.5957, b2 = 3.5876, b3 = 1.6382, b4 = 0.49294;
  const double root = std::sqrt(rs);
  const double q = 2.0 * gas * root * (b1 + root * (b2 + root * (b3 + root * b4)));
  const double q_slope = gas * (b1 / root + 2.0 * b2 + root * (3.0 * b3 + 4.0 * b4 * root));
  const double logarithm = std::log(1.0 + 1.0 / q);
  energy = -2.0 * gas * (1.0 + gas_slope * rs) * logarithm;
  slope = -2.0 * gas * (gas_slope * logarithm - (1.0 + gas_slope * rs) * q_slope / (q * (q + 1.0)));
}

inline Part correlation_of(double n, double root, double sigma) {
  const double rs = radius / root;
  double gas_energy, gas_by_rs;
  uniform_correlation(rs, gas_energy, gas_by_rs);
  const double a = beta / gamma_c / (std::exp(-gas_energy / gamma_c) - 1.0);
  const double t2_of_sigma = pi / (16.0 * fermi * root * n * n), t2 = t2_of_sigma * sigma, at = a * t2;
  const double divisor = 1.0 / (1.0 + at + at * at), ratio = beta / gamma_c;
  const double argument = 1.0 + ratio * t2 * (1.0 + at) * divisor;
  const double h = gamma_c * std::log(argument), scale = gamma_c * ratio * divisor * divisor / argument;
  const double h_by_t2 = scale * (1.0 + 2.0 * at), h_by_a = -scale * t2 * t2 * at * (2.0 + at);
  const double a_by_gas = a * (a + ratio) / beta;  // of a by the energy of the gas
  const double gas_by_n = gas_by_rs * -rs / 3.0;   // times n
  return {n * (gas_energy + h), gas_energy + h + gas_by_n * (1.0 + h_by_a * a_by_gas) - 7.0 / 3.0 * h_by_t2 * t2,
          n * h_by_t2 * t2_of_sigma};
}

}  // namespace

void closed_shell_pbe(double exchange, const double* density, const double* sigma, double* energy, double* vrho,
                      double* vsigma) {
#pragma omp simd
  for (std::size_t i = 0; i < pbe_points; ++i) {
    const double n = std::max(density[i], least_of_exchange), root = std::exp(std::log(n) / 3.0);
    const double with_x = density[i] < least_of_exchange ? 0.0 : exchange;
    const double with_c = density[i] < least_of_correlation ? 0.0 : 1.0;
    const Part x = exchange_of(n, root, std::max(sigma[i], flat_exchange));
    const Part c = correlation_of(n, root, std::max(sigma[i], flat_correlation));
    energy[i] = with_x * x.energy + with_c * c.energy;
    vrho[i] = with_x * x.by_density + with_c * c.by_density;
    vsigma[i] = with_x * x.by_sigma + with_c * c.by_sigma;
  }
}

}  // namespace wavegrid
