// The list of the terms of the energy that depend on the density, and the derivative of their sum: the effective
// potential of the Kohn-Sham equations.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <wavegrid/fields/augmentation_charge.hpp>
#include <wavegrid/fields/energy_term.hpp>

namespace wavegrid {

/// Energies by name, Ha: several terms of a name are one entry.
using TermEnergies = NamedValues<double>;

/// The potential of a density, with what gives the energy of another density to first order.
struct LinearPotential {
  Potential potential{};          ///< V_eff
  TermEnergies energies{};        ///< of the terms that are not quadratic, of its own density
  double integral = 0;            ///< int (V_eff n + v_tau tau) + sum_ij h_ij rho_ij of its own density, Ha
  double quadratic_integral = 0;  ///< the part of the quadratic terms, Ha
};

/// Densities and potentials have as many components as the system has spins (spin_fields.hpp). All members are
/// collective over the space.
template <FieldSpace Space>
class EnergyTerms {
 public:
  using Field = typename Space::Field;
  using Terms = std::vector<std::unique_ptr<EnergyTerm<Space>>>;

  /// Energies are listed in the order of the terms. The space must outlive this object. `augmentation` is part of the
  /// density; null: none.
  EnergyTerms(Space& space, Terms terms, std::unique_ptr<const AugmentationCharge<Space>> augmentation = nullptr)
      : space_(space), terms_(std::move(terms)), augmentation_(std::move(augmentation)) {}

  [[nodiscard]] const Terms& terms() const { return terms_; }
  /// Whether a term depends on the kinetic-energy density. Local.
  [[nodiscard]] bool needs_tau() const {
    return std::any_of(terms_.begin(), terms_.end(), [](const auto& term) { return term->needs().kinetic_energy; });
  }
  /// Whether a term depends on rho_ij. Local.
  [[nodiscard]] bool needs_matrices() const {
    return std::any_of(terms_.begin(), terms_.end(), [](const auto& term) { return term->needs().matrices; });
  }

  /// Null: none.
  [[nodiscard]] const AugmentationCharge<Space>* augmentation() const { return augmentation_.get(); }

  /// Whether all terms allow what energies_near() computes.
  [[nodiscard]] bool allows_first_order(const DensityView<Space>& density) const {
    return std::all_of(terms_.begin(), terms_.end(),
                       [&](const auto& term) { return term->allows_first_order(density); });
  }

  [[nodiscard]] TermEnergies energies(const DensityView<Space>& density) const {
    TermEnergies found;
    for (const auto& term : terms_) found[term->name()] += term->energy(density);
    return found;
  }
  /// The same for the density of a potential: what is known of that is not computed again.
  [[nodiscard]] TermEnergies energies(const DensityView<Space>& density, const LinearPotential& potential) const {
    TermEnergies found;
    for (const auto& term : terms_)
      found[term->name()] += term->is_quadratic() ? term->energy(density) : potential.energies.at(term->name());
    return found;
  }
  /// The same for another density, the terms that are not quadratic to first order in the difference from the density
  /// `at` of `potential`: their error is of second order, and neither gradients nor functionals are computed. The first
  /// of these terms has the whole change. `potential_energy`: the energy of the density in the potential, as
  /// LinearPotential::integral.
  [[nodiscard]] TermEnergies energies_near(const Density<Space>& at, const LinearPotential& potential,
                                           const Density<Space>& density, double potential_energy) const {
    TermEnergies found;
    bool first = true;
    for (const auto& term : terms_) {
      double& energy = found[term->name()];
      if (term->is_quadratic()) {
        energy += term->energy({density, no_values_});
        continue;
      }
      energy = potential.energies.at(term->name());
      if (std::exchange(first, false))
        energy = energy - (potential.integral - potential.quadratic_integral) + potential_energy -
                 space_.inner_product(quadratic_potential(at), density.n[0]);
    }
    return found;
  }

  /// The change of the energy from one density to another, each with its V_eff, Ha: the mean of both potentials times
  /// the change of the density. That is exact for quadratic terms, and to second order for others. Functionals may have
  /// jumps, that of Perdew and Zunger by 3e-5 Ha for each electron where r_s is 1: this change has none.
  [[nodiscard]] double change(const DensityValues& from, const Potential& potential_from, const DensityValues& to,
                              const Potential& potential_to) const {
    double sum = change_integral(from.n, potential_from.v, to.n, potential_to.v);
    if (!to.tau.empty()) sum += change_integral(from.tau, potential_from.v_tau, to.tau, potential_to.v_tau);
    for (const Potential* potential : {&potential_from, &potential_to})
      sum += contraction(potential->matrices, to.matrices) - contraction(potential->matrices, from.matrices);
    return 0.5 * sum;
  }

  /// The electrostatic energy of a change of the density (FieldSpace::change_energy), Ha.
  [[nodiscard]] double change_energy(const Density<Space>& from, const Density<Space>& to) const {
    SpinComponents<Space> change(to.n);
    for (std::size_t c = 0; c < change.size(); ++c)
      for (std::size_t i = 0; i < change[c].size(); ++i) change[c][i] -= from.n[c][i];
    SpinMatrices matrices = to.matrices;
    add(-1.0, from.matrices, matrices);
    return space_.change_energy(change) + 0.5 * interaction(matrices, matrices);
  }
  /// What EnergyTerm::interaction adds to products of changes of the density: the sum over the components. Local.
  [[nodiscard]] double interaction(const SpinMatrices& a, const SpinMatrices& b) const {
    double sum = 0;
    for (std::size_t c = 0; c < a.size(); ++c)
      for (const auto& term : terms_) sum += term->interaction(a[c], b[c]);
    return sum;
  }

  /// The sum over the channels of int (dv_s dn_s + dv_tau,s dtau_s) and of dh drho of the changes of a potential and of
  /// a density, Ha.
  [[nodiscard]] double change_product(const Potential& potential_from, const Potential& potential_to,
                                      const DensityValues& from, const DensityValues& to) const {
    const auto product = [&](const SpinFields& v_from, const SpinFields& v_to, const SpinFields& n_from,
                             const SpinFields& n_to) {
      return integral(
          n_to.size(), [&](std::size_t s, std::size_t i) { return v_to[s][i] - v_from[s][i]; },
          [&](std::size_t c, std::size_t i) { return n_to[c][i] - n_from[c][i]; });
    };
    double sum = product(potential_from.v, potential_to.v, from.n, to.n);
    if (!to.tau.empty()) sum += product(potential_from.v_tau, potential_to.v_tau, from.tau, to.tau);
    SpinMatrices change = to.matrices;
    add(-1.0, from.matrices, change);
    return sum + contraction(potential_to.matrices, change) - contraction(potential_from.matrices, change);
  }

  /// V_eff.
  [[nodiscard]] Potential potential(const DensityView<Space>& density) const {
    return linear_potential(density).potential;
  }
  /// The part of V_eff without exchange and correlation: of the ions, of the electrons, and from outside, Ha.
  [[nodiscard]] Field electrostatic_potential(const Density<Space>& density) const {
    return quadratic_potential(density);
  }
  [[nodiscard]] LinearPotential linear_potential(const DensityView<Space>& density) const {
    LinearPotential result;
    PotentialSum<Space> sum;
    for (const auto& term : terms_)  // these need the most memory
      if (!term->is_quadratic()) result.energies[term->name()] += term->add_potential(density, sum);
    add_quadratic(density, sum);
    if (sum.at_points.v.empty())
      sum.at_points.v.assign(density.values.n.size(), FieldValues(density.values.n.front().size()));
    result.quadratic_integral = space_.inner_product(sum.common, density.fields.n[0]);
    result.potential = at_points(std::move(sum));
    result.integral = integral(result.potential.v, density.values.n);
    if (!result.potential.v_tau.empty()) result.integral += integral(result.potential.v_tau, density.values.tau);
    result.integral += contraction(result.potential.matrices, density.fields.matrices);
    if (augmentation_) set_couplings(result.potential);
    return result;
  }

 private:
  void set_couplings(Potential& potential) const {
    SpinMatrices channels;
    for (const FieldValues& v : potential.v) channels.push_back(augmentation_->integrals(v));
    if (!potential.matrices.empty()) add(1.0, potential.matrices, channels);
    potential.couplings = augmentation_->couplings(std::move(channels));
  }
  void add_quadratic(const DensityView<Space>& density, PotentialSum<Space>& sum) const {
    for (const auto& term : terms_)
      if (term->is_quadratic()) term->add_potential(density, sum);
  }
  [[nodiscard]] Field quadratic_potential(const Density<Space>& density) const {
    PotentialSum<Space> sum;
    add_quadratic({density, no_values_}, sum);
    return std::move(sum.common);
  }
  /// One transform, or one for each channel where these differ.
  [[nodiscard]] Potential at_points(PotentialSum<Space> sum) const {
    FieldValues part;
    for (std::size_t s = 0; s < sum.at_points.v.size(); ++s) {
      if (!sum.channels.empty()) {
        Field& field = sum.channels[s];
        std::transform(sum.common.begin(), sum.common.end(), field.begin(), field.begin(), std::plus<>());
        part = space_.to_values(field);
        field = {};
      } else if (s == 0) {
        part = space_.to_values(sum.common);
      } else if (has_vector(sum.at_points.v)) {
        break;  // what is common acts on n
      }
      FieldValues& v = sum.at_points.v[s];
      std::transform(part.begin(), part.end(), v.begin(), v.begin(), std::plus<>());
    }
    return std::move(sum.at_points);
  }
  /// The sum over the channels of int V_s n_s.
  [[nodiscard]] double integral(const SpinFields& potential, const SpinFields& density) const {
    return integral(
        potential.size(), [&](std::size_t s, std::size_t i) { return potential[s][i]; },
        [&](std::size_t c, std::size_t i) { return density[c][i]; });
  }
  /// The same of V_from + V_to and n_to - n_from.
  [[nodiscard]] double change_integral(const SpinFields& from, const SpinFields& v_from, const SpinFields& to,
                                       const SpinFields& v_to) const {
    return integral(
        to.size(), [&](std::size_t s, std::size_t i) { return v_from[s][i] + v_to[s][i]; },
        [&](std::size_t c, std::size_t i) { return to[c][i] - from[c][i]; });
  }
  /// Of potential(channel, point) and density(component, point).
  template <class PotentialAt, class DensityAt>
  [[nodiscard]] double integral(std::size_t components, PotentialAt potential, DensityAt density) const {
    return space_.integrate([&](std::size_t i) {
      return potential_energy_at(
          components, [&](std::size_t s) { return potential(s, i); }, [&](std::size_t c) { return density(c, i); });
    });
  }

  inline static const DensityValues no_values_{};  ///< quadratic terms use fields alone

  Space& space_;
  Terms terms_;
  std::unique_ptr<const AugmentationCharge<Space>> augmentation_;
};

}  // namespace wavegrid
