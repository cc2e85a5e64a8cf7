// The response of an insulator to a uniform electric field, by the first-order changes of its occupied bands.
//
//   (H - e) |d_a u> = -P_c v_a |u>                          v = dH/dk: the position r_a is i d_a among the empty states
//   (H - e) |u_b>   = -P_c (i d_b + dV_b) |u>               the change of a band by a field along b, with electrons of
//                                                           charge -1 in the potential +E.r and the change of V_Hxc
//   eps_ab = delta_ab - (4 pi / Omega) sum f 2 Re <i d_a u|u_b>
//   Z_kab  = Z_k delta_ab + dF_ka / dE_b
//
// dV and the forces F are central differences along the changes of the bands, so that all terms of the energy respond
// by their own potentials and forces; v is a central difference of H(A), so that plane waves and meshes are treated
// alike. P. Giannozzi, S. de Gironcoli, P. Pavone, S. Baroni, Phys. Rev. B 43, 7231 (1991), 10.1103/PhysRevB.43.7231.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/response/conduction_equations.hpp>
#include <wavegrid/response/fixed_point.hpp>
#include <wavegrid/scf/band_potential.hpp>
#include <wavegrid/scf/band_sums.hpp>
#include <wavegrid/scf/scf_listeners.hpp>

namespace wavegrid {

/// What the response needs of its calculation.
template <FieldSpace Space>
struct ElectricHooks {
  /// Gives operators and bands a vector potential, 1/bohr. Collective.
  std::function<void(const Vec3&)> set_vector_potential;
  /// Turns rows for another vector potential, by its change. Local.
  std::function<void(BandView<std::complex<double>>, const Vec3&)> change_gauge;
  /// Forces of the electrons and ions, Ha/bohr, whose sum need not vanish. Collective.
  std::function<std::vector<Vec3>(const ScfEnd<Space>&)> forces;
};

/// By a field along one direction.
struct FieldChange {
  Vec3 polarisation{};         ///< of the electrons: change of the dipole of the cell, e bohr for a field of 1 Ha/bohr
  std::vector<Vec3> forces{};  ///< dF/dE of each atom: its Born charges without that of the ion
  int iterations = 0;          ///< of the change of the potential
  double error = 0;            ///< of that, relative
};

/// Bands in complex arithmetic, S = 1, in a functional of n alone. Members are collective over all ranks unless they
/// say "local".
template <FieldSpace Space>
class ElectricResponse {
 public:
  using Complex = std::complex<double>;

  /// The system must outlive it. `states`: of its bands; `potential`: of their density. Throws bad_input for a metal.
  ElectricResponse(ScfSystem<Complex, Space>& system, const ElectronStates& states, const Potential& potential,
                   ElectricHooks<Space> hooks)
      : system_(system),
        states_(states),
        potential_(potential),
        hooks_(std::move(hooks)),
        sums_(system),
        band_potential_(system) {
    band_potential_.set(potential_);
    sums_.set_operator_points(band_potential_.operator_points());
    count_occupied();
    for (std::size_t i = 0; i < system_.bands.size(); ++i) ground_.push_back(copy(occupied(i)));
    for (std::size_t axis = 0; axis < 3; ++axis) find_derivatives(axis);
  }
  ElectricResponse(const ElectricResponse&) = delete;
  ElectricResponse& operator=(const ElectricResponse&) = delete;

  /// The changes by a field along a Cartesian axis, when the potential changes by less than `tolerance` of its change.
  /// Throws bad_input if that takes more than `most` iterations.
  [[nodiscard]] FieldChange along(std::size_t axis, double tolerance, int most) {
    FieldChange result;
    FixedPoint mixer([this](const SpinFields& a, const SpinFields& b) { return product(a, b); });
    std::vector<Bands<Complex>> changes = zeros();
    SpinFields input(potential_.v.size(), FieldValues(potential_.v.front().size(), 0.0));
    double error = 1;
    for (int iteration = 1;; ++iteration) {
      solve(axis, input, 0.01 * std::min(1.0, error), changes);
      SpinFields difference = potential_change(changes);
      const double size = std::sqrt(product(difference, difference));
      for (std::size_t s = 0; s < input.size(); ++s)
        for (std::size_t i = 0; i < input[s].size(); ++i) difference[s][i] -= input[s][i];
      error = size > 0 ? std::sqrt(product(difference, difference)) / size : 0.0;
      result.iterations = iteration;
      result.error = error;
      if (error <= tolerance) break;
      if (iteration >= most)
        throw bad_input("the response to a field has not converged in " + std::to_string(most) +
                        " iterations: the potential changes by " + to_text(error) + " of its change");
      input = mixer.next(input, difference);
    }
    result.polarisation = polarisation(changes);
    result.forces = force_changes(changes);
    return result;
  }

 private:
  static constexpr double rounding = 1e-6;   ///< of an occupation, beyond which it is that of a metal
  static constexpr double largest = 1e-3;    ///< norm of the displacement of a band in central differences
  static constexpr double wave_step = 0.02;  ///< 1/bohr, of H(A)

  [[nodiscard]] BandView<Complex> occupied(std::size_t i) const {
    return system_.bands[i]->state.x.view().slice(0, counts_[i]);
  }
  [[nodiscard]] std::span<const double> energies(std::size_t i) const {
    return std::span(system_.bands[i]->state.values).first(static_cast<std::size_t>(counts_[i]));
  }
  [[nodiscard]] static Bands<Complex> copy(BandView<const Complex> from) {
    Bands<Complex> to(from.rows, from.count);
    std::copy_n(from.data, from.rows * from.count, to.view().data);
    return to;
  }
  [[nodiscard]] static Bands<Complex> zero_bands(BandView<const Complex> like) {
    Bands<Complex> found(like.rows, like.count);
    std::fill_n(found.view().data, like.rows * like.count, Complex(0));
    return found;
  }
  [[nodiscard]] std::vector<Bands<Complex>> zeros() const {
    std::vector<Bands<Complex>> found;
    for (std::size_t i = 0; i < system_.bands.size(); ++i) found.push_back(zero_bands(occupied(i)));
    return found;
  }
  static void add_scaled_all(BandView<const Complex> x, Complex factor, BandView<Complex> y) {
    for (Index i = 0; i < x.rows * x.count; ++i) y.data[i] += factor * x.data[i];
  }

  /// The full bands of each k-point and spin; the same number at all k-points of a spin.
  void count_occupied() {
    const StateTable table = system_.table();
    std::vector<Index> of_spin(static_cast<std::size_t>(system_.electrons.spins), -1);
    for (std::size_t k = 0; k < system_.k_weights.size(); ++k)
      for (int spin = 0; spin < system_.electrons.spins; ++spin) {
        const double full = system_.k_weights[k] * 2.0 / system_.electrons.spins;
        Index count = 0;
        for (Index b = 0; b < system_.bands_per_k; ++b) {
          const double share =
              states_.occupations[static_cast<std::size_t>(table.first(static_cast<Index>(k), spin) + b)] / full;
          if (share > rounding && std::abs(share - 1) > rounding) throw metal();
          if (share > rounding) ++count;
        }
        Index& known = of_spin[static_cast<std::size_t>(spin)];
        if (known >= 0 && known != count) throw metal();
        known = count;
      }
    require_gap(of_spin);
    for (const KohnShamBands<Complex>* bands : system_.bands)
      counts_.push_back(of_spin[static_cast<std::size_t>(bands->spin)]);
  }
  /// Of the empty bands that there are.
  void require_gap(const std::vector<Index>& occupied) const {
    const StateTable table = system_.table();
    double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
    for (std::size_t k = 0; k < system_.k_weights.size(); ++k)
      for (int spin = 0; spin < system_.electrons.spins; ++spin)
        for (Index b = 0; b < system_.bands_per_k; ++b) {
          const double level =
              states_.eigenvalues[static_cast<std::size_t>(table.first(static_cast<Index>(k), spin) + b)];
          double& bound = b < occupied[static_cast<std::size_t>(spin)] ? highest : lowest;
          bound = b < occupied[static_cast<std::size_t>(spin)] ? std::max(bound, level) : std::min(bound, level);
        }
    if (highest >= lowest) throw metal();
  }
  [[nodiscard]] static Error metal() {
    return bad_input("no response of a metal: there is no gap above the filled bands; valid: an insulator");
  }

  /// d_a u of one direction: -P_c v u, then the equations for it.
  void find_derivatives(std::size_t axis) {
    constexpr std::array<std::pair<double, double>, 4> weights{{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}}};
    std::vector<Bands<Complex>> rhs = zeros();
    Bands<Complex> image;
    for (const auto& [steps, weight] : weights) {
      Vec3 shift{0, 0, 0};
      shift[axis] = steps * wave_step;
      hooks_.set_vector_potential(shift);
      band_potential_.set(potential_);
      for (std::size_t i = 0; i < rhs.size(); ++i) {
        const BandView<Complex> psi = occupied(i);
        image.reshape(psi.rows, psi.count);
        system_.bands[i]->op.apply(psi, image.view());
        hooks_.change_gauge(image.view(), -1.0 * shift);
        add_scaled_all(std::as_const(image).view(), -weight / (12 * wave_step), rhs[i].view());
      }
    }
    hooks_.set_vector_potential({0, 0, 0});
    band_potential_.set(potential_);
    restore();
    for (std::size_t i = 0; i < rhs.size(); ++i) {
      Bands<Complex>& found = derivatives_[axis].emplace_back(zero_bands(occupied(i)));
      solve_one(i, std::as_const(rhs[i]).view(), 1e-8, found.view());
    }
  }

  /// `tolerance`: relative to the largest right-hand side.
  void solve_one(std::size_t i, BandView<const Complex> rhs, double tolerance, BandView<Complex> x) {
    if (rhs.count == 0) return;
    BandOperator<Complex>& op = system_.bands[i]->op;
    const std::vector<double> squares = squared_norms<Complex>(op.product(), rhs);
    const double most = std::sqrt(*std::ranges::max_element(squares));
    if (most == 0) return;
    const BandView<const Complex> psi = std::as_const(ground_[i]).view();
    solve_among_empty<Complex>(op, psi, energies(i), rhs, x, std::max(tolerance, 1e-9) * most);
  }

  /// The changes of the bands by the field and this change of the potential.
  void solve(std::size_t axis, const SpinFields& change, double tolerance, std::vector<Bands<Complex>>& changes) {
    std::vector<FieldValues> at_operators;
    for (const FieldValues& one : change) at_operators.push_back(system_.space.to_operators(one));
    for (std::size_t i = 0; i < changes.size(); ++i) {
      Bands<Complex> rhs = zero_bands(occupied(i));
      const BandView<const Complex> psi = std::as_const(ground_[i]).view();
      if (psi.count == 0) continue;
      KohnShamBands<Complex>& bands = *system_.bands[i];
      bands.op.apply_change(at_operators[static_cast<std::size_t>(bands.spin)], psi, rhs.view());
      for (Index j = 0; j < psi.rows * psi.count; ++j)
        rhs.view().data[j] = -rhs.view().data[j] - Complex(0, 1) * derivatives_[axis][i].view().data[j];
      project_off<Complex>(bands.op.product(), psi, rhs.view());
      solve_one(i, std::as_const(rhs).view(), tolerance, changes[i].view());
    }
  }

  /// Bands displaced along their changes, and back.
  void displace(double step, const std::vector<Bands<Complex>>& changes) {
    restore();
    for (std::size_t i = 0; i < changes.size(); ++i) add_scaled_all(changes[i].view(), step, occupied(i));
  }
  void restore() {
    for (std::size_t i = 0; i < ground_.size(); ++i) {
      const BandView<const Complex> from = std::as_const(ground_[i]).view();
      std::copy_n(from.data, from.rows * from.count, occupied(i).data);
    }
  }
  /// Of central differences: no band is displaced by a norm of more than `largest`.
  [[nodiscard]] double step_along(const std::vector<Bands<Complex>>& changes) const {
    double most = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (changes[i].count() == 0) continue;
      const std::vector<double> squares = squared_norms<Complex>(system_.bands[i]->op.product(), changes[i].view());
      most = std::max(most, *std::ranges::max_element(squares));
    }
    most = std::sqrt(system_.groups.world().max(most));
    return most > 0 ? largest / most : 1.0;
  }

  [[nodiscard]] SpinFields potential_change(const std::vector<Bands<Complex>>& changes) {
    const double step = step_along(changes);
    displace(step, changes);
    SpinFields found = present_potential().v;
    displace(-step, changes);
    const SpinFields other = present_potential().v;
    restore();
    for (std::size_t s = 0; s < found.size(); ++s)
      for (std::size_t i = 0; i < found[s].size(); ++i) found[s][i] = (found[s][i] - other[s][i]) / (2 * step);
    return found;
  }
  [[nodiscard]] Potential present_potential() {
    const ElectronDensity<Space> density = sums_.density(states_.occupations, potential_);
    return system_.terms.potential(density.view());
  }

  /// Of the dipole of the cell, by the changes of the bands.
  [[nodiscard]] Vec3 polarisation(const std::vector<Bands<Complex>>& changes) const {
    Vec3 found{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double sum = 0;
      for (std::size_t i = 0; i < changes.size(); ++i) {
        if (changes[i].count() == 0) continue;
        const KohnShamBands<Complex>& bands = *system_.bands[i];
        const std::vector<Complex> overlaps =
            pair_overlaps<Complex>(bands.op.product(), derivatives_[axis][i].view(), changes[i].view());
        const std::vector<double> f = sums_.state_values(bands, states_.occupations);
        for (std::size_t b = 0; b < overlaps.size(); ++b) sum -= 2 * f[b] * (Complex(0, -1) * overlaps[b]).real();
      }
      found[axis] = sums_.over_kpoint_groups(sum);
    }
    return found;
  }

  [[nodiscard]] std::vector<Vec3> force_changes(const std::vector<Bands<Complex>>& changes) {
    const double step = step_along(changes);
    const auto at = [&](double displacement) {
      displace(displacement, changes);
      const ElectronDensity<Space> density = sums_.density(states_.occupations, potential_);
      const Potential potential = system_.terms.potential(density.view());
      ScfResult states;
      states.occupations = states_.occupations;
      return hooks_.forces({states, density.fields, potential});
    };
    std::vector<Vec3> found = at(step);
    const std::vector<Vec3> other = at(-step);
    restore();
    for (std::size_t a = 0; a < found.size(); ++a) found[a] = 1 / (2 * step) * (found[a] - other[a]);
    return found;
  }

  [[nodiscard]] double product(const SpinFields& a, const SpinFields& b) const {
    return system_.space.integrate([&](std::size_t i) {
      double sum = 0;
      for (std::size_t s = 0; s < a.size(); ++s) sum += a[s][i] * b[s][i];
      return sum;
    });
  }

  ScfSystem<Complex, Space>& system_;
  const ElectronStates& states_;
  Potential potential_;
  ElectricHooks<Space> hooks_;
  BandSums<Complex, Space> sums_;
  BandPotential<Complex, Space> band_potential_;
  std::vector<Index> counts_;                               ///< occupied bands of each k-point and spin of this rank
  std::vector<Bands<Complex>> ground_;                      ///< those
  std::array<std::vector<Bands<Complex>>, 3> derivatives_;  ///< d_a u
};

}  // namespace wavegrid
