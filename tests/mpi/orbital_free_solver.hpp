// A solver of electrons that is not part of the library: orbital-free density functional theory with one orbital that
// has all electrons,
//
//   n = N phi^2,   (-lambda/2 del^2 + v) phi = mu phi,   T = lambda N <phi|-1/2 del^2|phi>
//
// The kinetic energy is lambda times that of von Weizsaecker, int |grad n|^2 / (8 n); v contains the potential of
// Thomas and Fermi if that is a term of the energy. M. Levy, J. P. Perdew, V. Sahni, Phys. Rev. A 30, 2745 (1984),
// 10.1103/PhysRevA.30.2745.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <wavegrid/eigen/band_errors.hpp>
#include <wavegrid/scf/electron_solver.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>

#include "change_energy.hpp"

namespace wavegrid {

/// The energy of Thomas and Fermi, C int n^(5/3).
template <FieldSpace Space>
class ThomasFermiTerm final : public EnergyTerm<Space> {
 public:
  explicit ThomasFermiTerm(Space& space) : EnergyTerm<Space>("thomas_fermi"), space_(space) {}

  /// C, Ha bohr^2.
  [[nodiscard]] static double factor() { return 0.3 * std::pow(3 * std::numbers::pi * std::numbers::pi, 2.0 / 3); }
  [[nodiscard]] bool is_quadratic() const override { return false; }
  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    const FieldValues& n = density.values.n[0];
    return space_.integrate([&](std::size_t i) { return factor() * std::pow(std::max(n[i], 0.0), 5.0 / 3); });
  }
  double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const override {
    const FieldValues& n = density.values.n[0];
    if (sum.at_points.v.empty()) sum.at_points.v.assign(1, FieldValues(n.size(), 0.0));
    for (std::size_t i = 0; i < n.size(); ++i)
      sum.at_points.v[0][i] += 5.0 / 3 * factor() * std::pow(std::max(n[i], 0.0), 2.0 / 3);
    return energy(density);
  }
  void add_gradients(const DensityView<Space>& /*density*/, Gradients& /*sum*/) const override {}

 private:
  Space& space_;
};

/// Without spin, on a space without symmetry, by an operator without projectors. Its H is -1/2 del^2 + v / lambda.
template <class S, FieldSpace Space>
class OrbitalFreeSolver final : public ElectronSolver<Space> {
 public:
  /// Both references must outlive this object.
  OrbitalFreeSolver(Space& space, KohnShamBands<S>& orbital, double electrons, double lambda)
      : space_(space), orbital_(orbital), electrons_(electrons), lambda_(lambda) {}

  void begin(ScfPoint<Space>& /*at*/, ElectronStates& /*states*/) override {
    orbital_.state = EigenState<S>(orbital_.op.rows(), 1);
    orbital_.op.fill_random(1, orbital_.state.x.view());
  }

  ElectronErrors solve(ScfPoint<Space>& at, ElectronStates& states) override {
    constexpr int max_rounds = 200;
    constexpr double converged = 1e-20;  // Ha^2
    set_potential(at.potential.potential);
    for (int round = 0; round < max_rounds; ++round) {
      if (squared_residuals<S>(orbital_.op, orbital_.state).front() < converged) break;
      orbital_.solver.improve(orbital_.op, orbital_.state);
    }
    return evaluate(at, states);
  }

  ElectronErrors evaluate(ScfPoint<Space>& at, ElectronStates& states) override {
    const std::vector<double> weight{electrons_};
    const FieldValues& v = at.potential.potential.v[0];
    FieldValues n(static_cast<std::size_t>(num_points_));
    orbital_.op.accumulate_density(std::as_const(orbital_.state.x).view(), weight, n);
    n = space_.sum_over_operators(n);
    density_.fields.n = {space_.to_field(n)};
    density_.potential_energy = space_.integrate([&](std::size_t i) { return v[i] * n[i]; });
    density_.values.n = {std::move(n)};
    const BandErrors errors(orbital_.state.values, weight, compute_residuals<S>(orbital_.op, orbital_.state));
    states.fermi = states.eigenvalues = {lambda_ * orbital_.state.values.front()};
    states.occupations = weight;
    states.residuals = {lambda_ * std::sqrt(errors.squared_residuals().front())};
    return {lambda_ * errors.total(), change_energy(at.density.n[0])};
  }

  [[nodiscard]] ElectronDensity<Space>& density() override { return density_; }
  [[nodiscard]] NamedValues<double> energies(const ElectronStates& /*states*/) override {
    NamedValues<double> all;
    all["kinetic"] =
        lambda_ * electrons_ * orbital_.op.kinetic_energies(std::as_const(orbital_.state.x).view()).front();
    return all;
  }
  [[nodiscard]] Index num_bands() const override { return 1; }

 private:
  [[nodiscard]] double change_energy(const typename Space::Field& from) const {
    typename Space::Field change(density_.fields.n[0]);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] -= from[i];
    return space_.change_energy({change});
  }

  void set_potential(const Potential& potential) {
    potential_ = operator_potential<RealOf<S>>(space_, potential, 0);
    for (RealOf<S>& v : potential_) v /= lambda_;
    num_points_ = static_cast<Index>(potential_.size());
    orbital_.op.set_potential({potential_});
    orbital_.solver.restart();
    apply_h_and_s<S>(orbital_.op, orbital_.state.view());
    rayleigh_ritz<S>(orbital_.op, orbital_.state);
  }

  Space& space_;
  KohnShamBands<S>& orbital_;
  double electrons_, lambda_;
  std::vector<RealOf<S>> potential_;  ///< v / lambda, Ha
  Index num_points_ = 0;              ///< of the operator, on this rank
  ElectronDensity<Space> density_;
};

}  // namespace wavegrid
