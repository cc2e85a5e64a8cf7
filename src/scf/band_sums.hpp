// Densities and energies of all bands of a system, summed over k-points, spins and groups of ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <wavegrid/fields/symmetrise_components.hpp>
#include <wavegrid/scf/electron_solver.hpp>
#include <wavegrid/scf/occupy_bands.hpp>
#include <wavegrid/scf/scf_system.hpp>

namespace wavegrid {

/// Sums over the bands of a system. Members are collective over all ranks unless they say "local".
template <class S, FieldSpace Space>
class BandSums {
 public:
  /// The system must outlive this object.
  explicit BandSums(const ScfSystem<S, Space>& system) : system_(system) {}

  /// Points of this rank on which its operators work. Local.
  void set_operator_points(Index points) { points_ = points; }

  /// The values of one k-point and spin from an array over all states. Local.
  [[nodiscard]] std::vector<double> state_values(const KohnShamBands<S>& bands, const std::vector<double>& all) const {
    const auto first = all.begin() + system_.table().first(bands.k, bands.spin);
    return {first, first + system_.bands_per_k};
  }

  /// Sums a value over the k-point groups; all ranks of a k-point group have the same.
  [[nodiscard]] double over_kpoint_groups(double value) const {
    const ProcessGroups& groups = system_.groups;
    // Added here in a fixed order: that of an MPI sum may depend on the number of ranks.
    std::vector<double> values(static_cast<std::size_t>(groups.counts().kpoint_groups), 0.0);
    if (groups.kpoint_group().rank() == 0) values[static_cast<std::size_t>(groups.my_kpoint_group())] = value;
    groups.world().merge(std::span<double>(values));
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  /// The density of the occupied bands, averaged over the symmetry of the space, with its energy in `potential`.
  [[nodiscard]] ElectronDensity<Space> density(const std::vector<double>& occupations, const Potential& potential) {
    ElectronDensity<Space> result;
    SpinFields &n = result.values.n, tau;
    if (system_.electrons.vector_magnetisation)
      n = vector_density(occupations);
    else
      for (int spin = 0; spin < system_.electrons.spins; ++spin)
        n.push_back(channel_density(spin, occupations, potential.v_tau.empty() ? nullptr : &tau.emplace_back()));
    if (system_.terms.augmentation() != nullptr) {
      SpinMatrices rho = projections(occupations);
      add_augmentation(rho, n);
      for (std::size_t spin = 0; spin < potential.matrices.size(); ++spin)
        result.potential_energy += contraction(potential.matrices[spin], rho[spin]);
      if (system_.terms.needs_matrices()) result.fields.matrices = symmetric_components(std::move(rho));
    }
    result.potential_energy += potential_energy(n, potential.v);
    components_of(n);
    result.values.matrices = result.fields.matrices;
    for (const FieldValues& component : n) result.fields.n.push_back(system_.space.to_field(component));
    if (!tau.empty()) add_tau(result, std::move(tau), potential.v_tau);
    symmetrise(result.fields.n, n);
    symmetrise(result.fields.tau, result.values.tau);
    return result;
  }

  /// The current of the bands of each spin, three Cartesian components of each at this rank's points, electrons/(bohr^2
  /// hbar/Ha): without what projectors add, and not averaged over the symmetry.
  [[nodiscard]] SpinFields current(const std::vector<double>& occupations) const {
    SpinFields all;
    for (int spin = 0; spin < system_.electrons.spins; ++spin)
      for (int axis = 0; axis < 3; ++axis) {
        FieldValues part(static_cast<std::size_t>(points_));
        for (KohnShamBands<S>* bands : system_.bands) {
          if (bands->spin != spin) continue;
          const std::vector<double> weights = state_values(*bands, occupations);
          bands->op.accumulate_current(axis, occupied_bands(*bands, weights), weights, part);
        }
        all.push_back(system_.space.sum_over_operators(part));
      }
    return all;
  }

  /// states_at_fermi_level of these bands.
  [[nodiscard]] FieldValues local_density_of_states(const ElectronStates& levels) {
    return states_at_fermi_level(
        system_, levels, [this](int spin, const std::vector<double>& slopes) { return channel_density(spin, slopes); });
  }

  /// rho_ij of each atom (augmentation_charge.hpp) for each field of a potential: of each spin, or of spinors the
  /// components n, or n and m. The same on all ranks.
  [[nodiscard]] SpinMatrices projections(const std::vector<double>& occupations) const {
    SpinMatrices rho;
    for (int spin = 0; spin < system_.electrons.spins; ++spin) rho.push_back(projections(spin, occupations));
    if (rho.size() == 2) return rho;
    return system_.terms.augmentation()->components(std::move(rho[0]), system_.electrons.vector_magnetisation);
  }

  /// sum_i f_i e_i of an energy of each band, Ha: energies(operator, bands) returns those of one k-point and spin.
  template <class BandEnergies>
  [[nodiscard]] double energy(const std::vector<double>& occupations, BandEnergies energies) {
    double sum = 0;
    for (KohnShamBands<S>* bands : system_.bands) {
      const std::vector<double> band_energies = energies(bands->op, std::as_const(bands->state.x).view());
      const std::vector<double> f = state_values(*bands, occupations);
      sum = std::inner_product(f.begin(), f.end(), band_energies.begin(), sum);
    }
    return over_kpoint_groups(sum);
  }

 private:
  /// The bands up to the last one whose weight is not 0.
  [[nodiscard]] static BandView<const S> occupied_bands(const KohnShamBands<S>& bands,
                                                        const std::vector<double>& weights) {
    const auto last = std::find_if(weights.rbegin(), weights.rend(), [](double weight) { return weight != 0.0; });
    return bands.state.x.view().slice(0, static_cast<Index>(weights.rend() - last));
  }
  /// The density of a channel, and what its bands add to `tau`, unless null.
  FieldValues channel_density(int spin, const std::vector<double>& all_weights, FieldValues* tau = nullptr) {
    FieldValues part(static_cast<std::size_t>(points_)), tau_part(tau != nullptr ? part.size() : 0);
    for (KohnShamBands<S>* bands : system_.bands) {
      if (bands->spin != spin) continue;
      const std::vector<double> weights = state_values(*bands, all_weights);
      const BandView<const S> psi = occupied_bands(*bands, weights);
      if (tau != nullptr)
        bands->op.accumulate_densities(psi, weights, part, tau_part);
      else
        bands->op.accumulate_density(psi, weights, part);
    }
    if (tau != nullptr) *tau = system_.space.sum_over_operators(tau_part);
    return system_.space.sum_over_operators(part);
  }

  /// n and m of spinors.
  SpinFields vector_density(const std::vector<double>& all_weights) {
    FieldValues parts(4 * static_cast<std::size_t>(points_));
    for (KohnShamBands<S>* bands : system_.bands) {
      const std::vector<double> weights = state_values(*bands, all_weights);
      bands->op.accumulate_vector_density(occupied_bands(*bands, weights), weights, parts);
    }
    SpinFields fields;
    for (auto first = parts.begin(); first != parts.end(); first += points_)
      fields.push_back(system_.space.sum_over_operators(FieldValues(first, first + points_)));
    return fields;
  }

  /// Of one spin, or of spinors.
  [[nodiscard]] AtomMatrices projections(int spin, const std::vector<double>& occupations) const {
    AtomMatrices mine = system_.terms.augmentation()->zeros();
    for (KohnShamBands<S>* bands : system_.bands)
      if (bands->spin == spin) {
        const std::vector<double> weights = state_values(*bands, occupations);
        bands->op.accumulate_projections(occupied_bands(*bands, weights), weights, mine);
      }
    return over_kpoint_groups(std::move(mine));
  }
  /// The charge of products of projectors.
  void add_augmentation(const SpinMatrices& rho, SpinFields& channels) const {
    for (std::size_t spin = 0; spin < channels.size(); ++spin) {
      const FieldValues part = system_.terms.augmentation()->density(rho[spin]);
      std::transform(part.begin(), part.end(), channels[spin].begin(), channels[spin].begin(), std::plus<>());
    }
  }
  /// From the matrices of the channels to those of the components, averaged over the symmetry.
  [[nodiscard]] SpinMatrices symmetric_components(SpinMatrices rho) const {
    if (rho.size() == 2) {
      AtomMatrices moment = rho[0];
      add(-1.0, rho[1], moment);
      add(1.0, rho[1], rho[0]);
      rho[1] = std::move(moment);
    }
    system_.terms.augmentation()->symmetrise(rho);
    return rho;
  }

  /// Added in a fixed order, as a value is.
  [[nodiscard]] AtomMatrices over_kpoint_groups(AtomMatrices mine) const {
    const ProcessGroups& groups = system_.groups;
    const std::vector<double> numbers = numbers_of(mine);
    std::vector<double> sum(numbers.size());
    for (int group = 0; group < groups.counts().kpoint_groups; ++group) {
      std::vector<double> part(numbers.size());
      if (groups.kpoint_group().rank() == 0 && groups.my_kpoint_group() == group) part = numbers;
      groups.world().merge(std::span<double>(part));
      std::transform(part.begin(), part.end(), sum.begin(), sum.begin(), std::plus<>());
    }
    set_numbers(sum, mine);
    return mine;
  }

  /// From the sums over the bands of the channels to tau, with 1/4 Lap of the density, and its energy.
  void add_tau(ElectronDensity<Space>& density, SpinFields sums, const SpinFields& v_tau) {
    components_of(sums);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      auto& field = density.fields.tau.emplace_back(system_.space.to_field(sums[c]));
      const auto laplacian = system_.space.laplacian(density.fields.n[c]);
      for (std::size_t i = 0; i < field.size(); ++i) field[i] += 0.25 * laplacian[i];
      density.values.tau.push_back(system_.space.to_values(field));
    }
    SpinFields channels(density.values.tau);
    if (channels.size() == 2)
      for (std::size_t i = 0; i < channels[0].size(); ++i)
        std::tie(channels[0][i], channels[1][i]) =
            std::pair(0.5 * (channels[0][i] + channels[1][i]), 0.5 * (channels[0][i] - channels[1][i]));
    density.potential_energy += potential_energy(channels, v_tau);
  }

  /// int (v_up f_up + v_down f_down) of the channels of a density f, or int (V n + B.m).
  [[nodiscard]] double potential_energy(const SpinFields& channels, const SpinFields& v) const {
    return system_.space.integrate([&](std::size_t i) {
      if (channels.size() == 2) return channels[0][i] * v[0][i] + channels[1][i] * v[1][i];
      return potential_energy_at(
          channels.size(), [&](std::size_t c) { return v[c][i]; }, [&](std::size_t c) { return channels[c][i]; });
    });
  }
  /// From the values of the channels to those of the components.
  static void components_of(SpinFields& channels) {
    if (channels.size() != 2) return;
    for (std::size_t i = 0; i < channels[0].size(); ++i)
      std::tie(channels[0][i], channels[1][i]) =
          std::pair(channels[0][i] + channels[1][i], channels[0][i] - channels[1][i]);
  }
  void symmetrise(SpinComponents<Space>& fields, SpinFields& values) {
    if (!system_.space.has_symmetry()) return;
    symmetrise_components(system_.space, fields);
    for (std::size_t c = 0; c < fields.size(); ++c) values[c] = system_.space.to_values(fields[c]);
  }

  const ScfSystem<S, Space>& system_;
  Index points_ = 0;
};

}  // namespace wavegrid
