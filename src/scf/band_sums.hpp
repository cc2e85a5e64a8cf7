// Densities and energies of all bands of a system, summed over k-points, spins and groups of ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "scf/scf_system.hpp"

namespace wavegrid {

/// The density of bands, as fields of the space and as values at points.
template <FieldSpace Space>
struct BandDensity {
  Density<Space> fields;
  DensityValues values;
  [[nodiscard]] DensityView<Space> view() const { return {fields, values}; }
  double energy = 0;  ///< Ha, int (v_up n_up + v_down n_down) of the density before it is averaged over the symmetry
};

/// Sums over the bands of a system. Members are collective over all ranks unless they say "local".
template <class S, FieldSpace Space>
class BandSums {
 public:
  /// The system must outlive this object.
  explicit BandSums(ScfSystem<S, Space>& system) : system_(system) {}

  /// Points of this rank on which its operators work. Local.
  void set_operator_points(Index points) { points_ = points; }

  /// The values of one k-point and spin from an array over all states. Local.
  [[nodiscard]] std::vector<double> part_of(const KohnShamBands<S>& bands, const std::vector<double>& all) const {
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
  [[nodiscard]] BandDensity<Space> density(const std::vector<double>& occupations, const Potential& potential) {
    SpinFields values;
    const SpinFields& v = potential.v;
    for (int spin = 0; spin < system_.electrons.spins; ++spin) values.push_back(of_channel(spin, occupations));
    BandDensity<Space> result;
    result.energy = system_.space.integrate([&](std::size_t i) {
      return values.size() == 1 ? values[0][i] * v[0][i] : values[0][i] * v[0][i] + values[1][i] * v[1][i];
    });
    if (values.size() == 2)
      for (std::size_t i = 0; i < values[0].size(); ++i)
        std::tie(values[0][i], values[1][i]) = std::pair(values[0][i] + values[1][i], values[0][i] - values[1][i]);
    for (FieldValues& component : values) {
      result.fields.n.push_back(system_.space.to_field(component));
      if (!system_.space.has_symmetry()) continue;
      system_.space.symmetrise(result.fields.n.back());
      component = system_.space.to_values(result.fields.n.back());
    }
    result.values.n = std::move(values);
    return result;
  }

  /// The local density of states at the Fermi level, of both spins, averaged over the symmetry as the density is.
  /// Otherwise the mixed density and its potential would not be symmetric, and the energies would combine that
  /// potential with the density before and after averaging: an error of first order in the free energy.
  [[nodiscard]] FieldValues local_density_of_states(const ScfResult& result) {
    const std::vector<double> slopes =
        occupation_slopes(result.eigenvalues, system_.table(), system_.k_weights, system_.electrons, result.fermi);
    FieldValues states = of_channel(0, slopes);
    if (system_.electrons.spins == 2) {
      const FieldValues down = of_channel(1, slopes);
      std::transform(states.begin(), states.end(), down.begin(), states.begin(), std::plus<>());
    }
    if (!system_.space.has_symmetry()) return states;
    typename Space::Field whole = system_.space.to_field(states);
    system_.space.symmetrise(whole);
    return system_.space.to_values(whole);
  }

  /// sum_i f_i e_i of an energy of each band, Ha: energies(operator, bands) returns those of one k-point and spin.
  template <class BandEnergies>
  [[nodiscard]] double energy(const std::vector<double>& occupations, BandEnergies energies) {
    double sum = 0;
    for (KohnShamBands<S>* bands : system_.bands) {
      const std::vector<double> of_bands = energies(bands->op, std::as_const(bands->state.x).view());
      const std::vector<double> f = part_of(*bands, occupations);
      sum = std::inner_product(f.begin(), f.end(), of_bands.begin(), sum);
    }
    return over_kpoint_groups(sum);
  }

 private:
  FieldValues of_channel(int spin, const std::vector<double>& weights_of_all) {
    FieldValues part(static_cast<std::size_t>(points_));
    for (KohnShamBands<S>* bands : system_.bands) {
      if (bands->spin != spin) continue;
      const std::vector<double> weights = part_of(*bands, weights_of_all);
      Index occupied = static_cast<Index>(weights.size());
      while (occupied > 0 && weights[static_cast<std::size_t>(occupied - 1)] == 0.0) --occupied;
      bands->op.accumulate_density(std::as_const(bands->state.x).view().slice(0, occupied), weights, part);
    }
    return system_.space.sum_of_operators(part);
  }

  ScfSystem<S, Space>& system_;
  Index points_ = 0;
};

}  // namespace wavegrid
