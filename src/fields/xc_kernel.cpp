#include <algorithm>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fields/xc_kernel.hpp>

namespace wavegrid {

namespace {

constexpr double relative_step = 1e-4, least_density = 1e-11;

/// v of densities (points, spins).
std::vector<double> potentials(const Xc& xc, const std::vector<double>& rho) {
  std::vector<double> energies(rho.size() / static_cast<std::size_t>(xc.spins())), v(rho.size());
  xc.evaluate({rho, {}}, {energies, v, {}});
  return v;
}

void require_lda(const Xc& xc) {
  if (xc.needs_gradient() || xc.needs_tau()) throw internal_error("the kernel of " + xc.name() + ", which is no LDA");
}

/// The densities (points, spins) of the components, with half of the core in each of two spins.
std::vector<double> channels(const SpinFields& density, std::span<const double> core) {
  const std::size_t spins = density.size();
  std::vector<double> rho;
  rho.reserve(spins * density[0].size());
  for (std::size_t i = 0; i < density[0].size(); ++i) {
    const double n = density[0][i] + (core.empty() ? 0.0 : core[i]);
    if (spins == 1) {
      rho.push_back(n);
    } else {
      rho.push_back(0.5 * (n + density[1][i]));
      rho.push_back(0.5 * (n - density[1][i]));
    }
  }
  return rho;
}

}  // namespace

SpinFields xc_kernel(const Xc& xc, const SpinFields& density, std::span<const double> core) {
  require_lda(xc);
  const std::size_t spins = density.size(), points = density[0].size();
  const std::vector<double> rho = channels(density, core);
  SpinFields kernel(spins == 1 ? 1 : 3, FieldValues(points, 0.0));
  for (std::size_t changed = 0; changed < spins; ++changed) {
    std::vector<double> more(rho), less(rho);
    for (std::size_t i = changed; i < rho.size(); i += spins) {
      more[i] *= 1 + relative_step;
      less[i] *= 1 - relative_step;
    }
    const std::vector<double> above = potentials(xc, more), below = potentials(xc, less);
    for (std::size_t i = 0; i < points; ++i)
      for (std::size_t s = changed; s < spins; ++s) {
        const double n = rho[i * spins + changed];
        if (n > least_density && rho[i * spins + s] > least_density)
          kernel[changed + s][i] = (above[i * spins + s] - below[i * spins + s]) / (2 * relative_step * n);
      }
  }
  return kernel;
}

FieldValues xc_kernel_of_spin(const Xc& xc, const FieldValues& density, std::span<const double> core) {
  require_lda(xc);
  std::vector<double> rho = channels({density, FieldValues(density.size(), 0.0)}, core);
  for (std::size_t i = 0; i < density.size(); ++i) {
    rho[2 * i] *= 1 + relative_step;
    rho[2 * i + 1] *= 1 - relative_step;
  }
  const std::vector<double> v = potentials(xc, rho);
  FieldValues kernel(density.size(), 0.0);
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double change = 0.5 * (rho[2 * i] - rho[2 * i + 1]);  // of each spin
    if (change > relative_step * least_density) kernel[i] = (v[2 * i] - v[2 * i + 1]) / (4 * change);
  }
  return kernel;
}

}  // namespace wavegrid
