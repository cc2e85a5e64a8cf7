// The exact exchange of a calculation in an outer loop: V_x of the last bands is compressed and stays fixed while
// density and bands become self-consistent.
//
// E_x is concave in the density matrix P of the bands, so that its linear form at earlier bands,
//
//   E_x[P0] + Tr (P - P0) V_x[P0] >= E_x[P],
//
// is an upper bound, and the minima of the loops fall (decision 0036).
//
// The part of v(0) is -c/2 Tr P P for each k-point, c = v(0) / (N Omega), and constant where P is a projector, but its
// linear form -c (Tr P P0 - N/2) holds P back at P0. There V_x + c P0 takes the place of V_x (decision 0056).
#pragma once

#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/calculation/exact_exchange_report.hpp>
#include <wavegrid/calculation/outer_error.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/electrons/occupied_states.hpp>
#include <wavegrid/fock/fock_operator.hpp>
#include <wavegrid/linalg/overlap.hpp>

namespace wavegrid {

/// Adds a number of each k-point group in a fixed order; the same on all ranks. Collective over the world.
[[nodiscard]] inline double sum_of_kpoint_groups(const ProcessGroups& groups, double mine) {
  std::vector<double> parts(static_cast<std::size_t>(groups.counts().kpoint_groups), 0.0);
  if (groups.kpoint_group().rank() == 0) parts[static_cast<std::size_t>(groups.my_kpoint_group())] = mine;
  groups.world().merge(std::span<double>(parts));
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// Members are collective over the world unless they say "local".
template <class D, class S>
class ExactExchange {
 public:
  using Fock = typename D::template Fock<S>;

  /// `setting`: exchange_setting() of the discretisation.
  template <class FockSettings>
  ExactExchange(const ProcessGroups& groups, FockSettings setting)
      : groups_(groups), fock_(groups, std::move(setting)) {}

  /// Computes V_x of bands of the problem with these occupations (electrons of all states, weights included), and with
  /// `with_strain`, in double precision, the derivative of its energy. `full`: bands with electrons are full, and will
  /// be. The operators keep what they have until use().
  void update(const BandSets<D, S>& sets, Index num_bands, const std::vector<double>& occupations, bool in_single,
              bool with_strain, bool full) {
    const ScopeTimer timer(report_.seconds);
    const ExchangeStates<S> states = states_of(sets, num_bands, occupations);
    next_shift_ = full ? fock_.energy_at_zero() : 0.0;
    electrons_ = std::accumulate(occupations.begin(), occupations.end(), 0.0);
    strain_ = {};
    std::vector<Bands<S>> w =
        fock_.apply(states, states.mine, {in_single, with_strain && !in_single ? &strain_ : nullptr});
    ++(in_single ? report_.in_single : report_.in_double);
    next_.clear();
    energies_.clear();
    double sum = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const InnerProduct& product = sets[i]->op.product();
      const BandView<const S> psi = states.mine[i].psi;
      const std::vector<double>& energies = energies_.emplace_back(diagonal_overlaps<S>(product, psi, w[i].view()));
      const Index shifted = next_shift_ == 0 ? 0 : psi.rows * num_occupied(states.mine[i].occupations);
      for (Index at = 0; at < shifted; ++at) w[i].view().data[at] += next_shift_ * psi.data[at];
      sum = std::inner_product(energies.begin(), energies.end(), states.mine[i].occupations.begin(), sum);
      next_.push_back(
          std::make_shared<const CompressedExchange<S>>(CompressedExchange<S>::compress(product, psi, w[i].view())));
    }
    energy_ = sum_of_kpoint_groups(groups_, 0.5 * sum);
  }

  /// Bands of the problem, whose exchange acts on others; refers to the arguments. Local.
  [[nodiscard]] ExchangeStates<S> states_of(const BandSets<D, S>& sets, Index num_bands,
                                            const std::vector<double>& occupations) const {
    const auto spins = static_cast<Index>(fock_.setting().spins);
    ExchangeStates<S> states{{}, num_bands, occupations};
    for (const auto& one : sets) {
      FockBands<S> bands = D::template fock_bands<S>(*one);
      bands.occupations = std::span(occupations)
                              .subspan(static_cast<std::size_t>((one->k * spins + one->spin) * num_bands),
                                       static_cast<std::size_t>(num_bands));
      states.mine.push_back(std::move(bands));
    }
    return states;
  }

  /// Gives the operators of these bands the V_x of the last update. Local.
  void use(const BandSets<D, S>& sets) {
    shift_ = next_shift_;
    for (std::size_t i = 0; i < sets.size(); ++i) sets[i]->op.set_exchange(next_[i]);
  }

  /// What is to be added to energies in the operators' V_x so that E_x is linear in the bands, Ha. After use(), before
  /// the next update.
  [[nodiscard]] double offset() const { return -energy_ - shift_ * electrons_; }
  /// Whether c P0 is in the operators' V_x.
  [[nodiscard]] bool is_shifted() const { return shift_ != 0; }
  /// What the levels of all states change when V_x of the last update takes the place of that of the operators, to
  /// first order, Ha.
  [[nodiscard]] std::vector<double> level_changes(const BandSets<D, S>& sets, Index num_bands,
                                                  const std::vector<double>& occupations) const {
    const ExchangeStates<S> states = states_of(sets, num_bands, occupations);
    std::vector<double> all(occupations.size(), 0.0);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const std::vector<double> before = sets[i]->op.exchange_energies(states.mine[i].psi);
      if (groups_.kpoint_group().rank() != 0) continue;
      const auto first = static_cast<std::size_t>(states.mine[i].occupations.data() - occupations.data());
      for (std::size_t b = 0; b < before.size(); ++b) all[first + b] = energies_[i][b] - before[b];
    }
    groups_.world().merge(std::span<double>(all));
    return all;
  }

  [[nodiscard]] double energy() const { return energy_; }       ///< E_x of the last update, Ha
  [[nodiscard]] const Mat3& strain() const { return strain_; }  ///< dE_x/d eps_ab, Ha
  [[nodiscard]] ExactExchangeReport report() const {
    ExactExchangeReport report = report_;
    report.communication_seconds = fock_.communication_seconds();
    return report;
  }
  [[nodiscard]] Fock& fock() { return fock_; }
  /// Whether k differs from the k-points of the calculation by no vector of the mesh of q. Local.
  [[nodiscard]] bool off_mesh(const Vec3& k) const {
    const FockSetting& setting = fock_.setting();
    for (std::size_t i = 0; i < 3; ++i) {
      const double steps = (k[i] - setting.zone.front().k[i]) * setting.mesh[i];
      if (std::abs(steps - std::round(steps)) > 1e-6) return true;
    }
    return false;
  }

 private:
  const ProcessGroups& groups_;
  Fock fock_;
  std::vector<std::shared_ptr<const CompressedExchange<S>>> next_;
  std::vector<std::vector<double>> energies_;  ///< <psi|V_x|psi> of the last update, Ha
  double energy_ = 0, electrons_ = 0, shift_ = 0, next_shift_ = 0;
  Mat3 strain_{};
  ExactExchangeReport report_{};
};

}  // namespace wavegrid
