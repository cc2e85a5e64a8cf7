// Exchange-correlation energy and potential of a density in a field space.
//
//   E_xc = int e(n_s, sigma_ab, tau_s) dr,   sigma_ab = grad n_a . grad n_b,   n = n_valence + n_core
//   v_s = de/dn_s - div(2 de/dsigma_ss grad n_s + de/dsigma_ud grad n_s'),   s' the other spin
//   v_tau,s = de/dtau_s, for a meta-GGA; with finite differences tau_s is corrected (one_orbital_tau.hpp)
//
// Gradient and divergence are the space's own, each minus the adjoint of the other, so that v_s is the exact derivative
// of E_xc as the space integrates it: J. A. White, D. M. Bird, Phys. Rev. B 50, 4954 (1994), 10.1103/PhysRevB.50.4954,
// equations 7-11.
//
// Core density: S. G. Louie, S. Froyen, M. L. Cohen, Phys. Rev. B 26, 1738 (1982), 10.1103/PhysRevB.26.1738.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/fields/one_orbital_tau.hpp>
#include <wavegrid/fields/xc_points.hpp>

namespace wavegrid {

/// Energy and potentials of exchange and correlation.
struct XcResult {
  double energy = 0;    ///< Ha
  Potential potential;  ///< one field per spin channel
};

/// A functional on a space, with the core density of the atoms. All members are collective over the space.
template <FieldSpace Space>
class XcPotential {
 public:
  using Field = typename Space::Field;
  using Components = SpinComponents<Space>;

  /// `core`, electrons/bohr^3, has no magnetisation; where `has_core` is false it is not used. The space must outlive
  /// this object. `has_core` is the same on all ranks.
  XcPotential(Space& space, Xc xc, Field core, bool has_core) : space_(space), xc_(std::move(xc)), has_core_(has_core) {
    if (!has_core_) return;
    core_values_ = space_.to_values(core);
    if (xc_.needs_gradient()) core_ = std::move(core);
  }

  [[nodiscard]] const Xc& xc() const { return xc_; }
  [[nodiscard]] bool has_core() const { return has_core_; }
  /// The core density at this rank's points; empty without one.
  [[nodiscard]] const FieldValues& core_values() const { return core_values_; }

  /// Energy and potential of a valence density, given as fields and as values, with the number of spins of the
  /// functional. Throws internal_error, on all ranks, for another number of components.
  [[nodiscard]] XcResult evaluate(const Density<Space>& density, const DensityValues& values) const {
    SpinGradients fluxes = gradients(density.n);
    return evaluate(values, fluxes);
  }
  /// The same with the result of gradients(), which is replaced by de/d(grad n_s) of each channel.
  [[nodiscard]] XcResult evaluate(const DensityValues& values, SpinGradients& fluxes) const {
    XcResult result = at_points(values, fluxes);
    if (!xc_.needs_gradient()) return result;
    for (std::size_t s = 0; s < values.n.size(); ++s) {
      const FieldValues channel_divergence = space_.to_values(divergence(fluxes, s));
      FieldValues& potential = result.potential.v[s];
      std::transform(potential.begin(), potential.end(), channel_divergence.begin(), potential.begin(), std::minus<>());
    }
    return result;
  }
  /// The same with de/dn_s in place of the potential: what is left to subtract is divergence() of the fluxes.
  [[nodiscard]] XcResult at_points(const DensityValues& values, SpinGradients& fluxes) const {
    check(values);
    XcResult result;
    const auto orbital = one_orbital(values, fluxes);
    result.energy = integrated(xc_at_points(xc_, Space::dimensions, orbital ? orbital->corrected(values) : values,
                                            core_values_, fluxes, &result.potential));
    if (orbital) orbital->add_derivatives(result.potential, fluxes);
    return result;
  }
  /// Of the fluxes of a channel, as FieldSpace says.
  [[nodiscard]] Field divergence(const SpinGradients& fluxes, std::size_t channel) const {
    constexpr auto axes = static_cast<std::size_t>(Space::dimensions);
    return space_.divergence(std::span(fluxes).subspan(axes * channel, axes));
  }
  /// The energy alone, Ha: half the time.
  [[nodiscard]] double energy(const Density<Space>& density, const DensityValues& values) const {
    check(values);
    SpinGradients products = gradients(density.n);
    const auto orbital = one_orbital(values, products);
    return integrated(xc_at_points(xc_, Space::dimensions, orbital ? orbital->corrected(values) : values, core_values_,
                                   products, nullptr));
  }
  /// The correction of tau, of a density and its gradients(); none without finite differences, and for other
  /// functionals.
  [[nodiscard]] std::optional<OneOrbitalTau<Space>> one_orbital(const DensityValues& values,
                                                                const SpinGradients& slopes) const {
    if (!Space::finite_differences || !xc_.needs_tau()) return std::nullopt;
    return OneOrbitalTau<Space>(space_, values.n, slopes);
  }
  /// Derivatives of the components, core included; empty if the functional needs none.
  [[nodiscard]] SpinGradients gradients(const Components& density) const {
    SpinGradients result;
    if (!xc_.needs_gradient()) return result;
    for (std::size_t c = 0; c < density.size(); ++c) {
      std::vector<FieldValues> slopes =
          c == 0 && has_core_ ? space_.gradient(sum_of(density[0], core_)) : space_.gradient(density[c]);
      std::move(slopes.begin(), slopes.end(), std::back_inserter(result));
    }
    return result;
  }

 private:
  static Field sum_of(Field a, const Field& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  /// Energies of the points are added in a fixed order: the sum does not depend on the number of threads.
  [[nodiscard]] double integrated(const FieldValues& energy) const {
    return space_.integrate([&](std::size_t i) { return energy[i]; });
  }
  void check(const DensityValues& values) const {
    const auto spins = static_cast<std::size_t>(xc_.spins()), taus = static_cast<std::size_t>(xc_.num_taus());
    if (values.n.size() != spins || values.tau.size() < taus)
      throw internal_error("exchange and correlation of " + std::to_string(spins) + " densities and " +
                           std::to_string(taus) + " kinetic-energy densities: found " +
                           std::to_string(values.n.size()) + " and " + std::to_string(values.tau.size()));
  }

  Space& space_;
  Xc xc_;
  bool has_core_;
  Field core_{};
  FieldValues core_values_;
};

}  // namespace wavegrid
