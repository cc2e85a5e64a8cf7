#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <wavegrid/electrons/occupied_states.hpp>

namespace wavegrid {

namespace {

/// The entries of one spin channel, k-point by k-point.
std::vector<double> channel(std::span<const double> all, const StateTable& table, int spin) {
  std::vector<double> part;
  for (Index k = 0; k < table.num_k; ++k) {
    const auto begin = all.begin() + table.first(k, spin);
    part.insert(part.end(), begin, begin + table.bands);
  }
  return part;
}

std::vector<double> repeated(std::span<const double> k_weights, Index times) {
  std::vector<double> weights;
  for (const double w : k_weights) weights.insert(weights.end(), static_cast<std::size_t>(times), w);
  return weights;
}

/// The distance above the Fermi level, in units of the width, from which states are occupied to less than 1e-5.
double smearing_reach(SmearingKind kind) {
  constexpr double empty = 1e-5, step = 0.05, far = 40.0;
  double reach = far;
  while (reach > 0 && std::abs(occupation(kind, step - reach)) < empty) reach -= step;
  return reach;
}

/// The Fermi level of a spin.
double fermi_of(std::span<const double> fermi, int spin) {
  return fermi[fermi.size() == 2 ? static_cast<std::size_t>(spin) : 0];
}

/// The same as occupation_slopes, between energies on both sides of the Fermi level.
std::vector<double> tetrahedron_slopes(std::span<const double> eigenvalues, const StateTable& table,
                                       const Electrons& electrons, std::span<const double> fermi) {
  constexpr double step = 1e-3;  // Ha
  std::vector<double> slopes(eigenvalues.size());
  for (int spin = 0; spin < table.spins; ++spin) {
    const std::vector<double> levels = channel(eigenvalues, table, spin);
    const double level = fermi_of(fermi, spin), full = electrons.full();
    const std::vector<double> below = electrons.tetrahedra->weights(levels, level - step);
    const std::vector<double> above = electrons.tetrahedra->weights(levels, level + step);
    for (Index k = 0; k < table.num_k; ++k)
      for (Index b = 0; b < table.bands; ++b) {
        const auto i = static_cast<std::size_t>(k * table.bands + b);
        slopes[static_cast<std::size_t>(table.first(k, spin) + b)] =
            std::max(0.0, full * (above[i] - below[i]) / (2 * step));
      }
  }
  return slopes;
}

/// Occupies each spin separately, with its own number of electrons and Fermi level.
SpinOccupations occupy_apart(std::span<const double> eigenvalues, const StateTable& table,
                             std::span<const double> k_weights, const Electrons& electrons) {
  SpinOccupations all{{}, std::vector<double>(eigenvalues.size())};
  const std::vector<double> weights = repeated(k_weights, table.bands);
  for (int spin = 0; spin < 2; ++spin) {
    const double count = 0.5 * (electrons.count + (spin == 0 ? 1.0 : -1.0) * *electrons.total_magnetisation);
    const Occupations one =
        occupy(channel(eigenvalues, table, spin), weights, count, 1.0, electrons.smearing, electrons.tetrahedra.get());
    all.fermi.push_back(one.fermi);
    all.minus_ts += one.minus_ts;
    all.too_few_bands = all.too_few_bands || one.too_few_bands;
    for (Index k = 0; k < table.num_k; ++k)
      std::copy_n(one.f.begin() + k * table.bands, table.bands, all.f.begin() + table.first(k, spin));
  }
  return all;
}

/// Occupies the bands of each k-point and spin, in the order of their energies, as given.
SpinOccupations occupy_given(std::span<const double> eigenvalues, const StateTable& table,
                             std::span<const double> k_weights, const Electrons& electrons) {
  double sum = 0;
  for (const std::vector<double>& of_spin : electrons.given) sum = std::accumulate(of_spin.begin(), of_spin.end(), sum);
  const double scale = electrons.count / sum;
  SpinOccupations all{{-std::numeric_limits<double>::infinity()}, std::vector<double>(eigenvalues.size())};
  std::vector<std::size_t> order(static_cast<std::size_t>(table.bands));
  for (Index k = 0; k < table.num_k; ++k)
    for (int spin = 0; spin < table.spins; ++spin) {
      const std::vector<double>& given = electrons.given[static_cast<std::size_t>(spin)];
      std::iota(order.begin(), order.end(), static_cast<std::size_t>(table.first(k, spin)));
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return eigenvalues[a] < eigenvalues[b]; });
      for (std::size_t band = 0; band < std::min(given.size(), order.size()); ++band) {
        if (given[band] == 0) continue;
        all.f[order[band]] = scale * given[band] * k_weights[static_cast<std::size_t>(k)];
        all.fermi[0] = std::max(all.fermi[0], eigenvalues[order[band]]);
      }
    }
  return all;
}

/// Whether a free moment could be larger with more bands: a spin has its highest band full at a k-point, and there are
/// fewer bands than electrons.
bool is_moment_limited(std::span<const double> f, const StateTable& table, const Electrons& electrons) {
  if (table.spins == 1 || electrons.smearing.kind != SmearingKind::fixed ||
      static_cast<double>(table.bands) > electrons.count - 0.5)
    return false;
  for (Index k = 0; k < table.num_k; ++k)
    for (int spin = 0; spin < table.spins; ++spin)
      if (f[static_cast<std::size_t>(table.first(k, spin) + table.bands - 1)] > 0) return true;
  return false;
}

}  // namespace

SpinOccupations occupy_states(std::span<const double> eigenvalues, const StateTable& table,
                              std::span<const double> k_weights, const Electrons& electrons) {
  if (!electrons.given.empty()) return occupy_given(eigenvalues, table, k_weights, electrons);
  if (table.spins == 2 && electrons.total_magnetisation) return occupy_apart(eigenvalues, table, k_weights, electrons);
  // Both spins of a k-point are treated as one k-point with twice as many bands of one electron each.
  const std::vector<double> weights = repeated(k_weights, table.spins * table.bands);
  Occupations one =
      occupy(eigenvalues, weights, electrons.count, electrons.full(), electrons.smearing, electrons.tetrahedra.get());
  const bool limited = is_moment_limited(one.f, table, electrons);
  return {{one.fermi}, std::move(one.f), one.minus_ts, one.too_few_bands, limited};
}

std::vector<double> occupation_slopes(std::span<const double> eigenvalues, const StateTable& table,
                                      std::span<const double> k_weights, const Electrons& electrons,
                                      std::span<const double> fermi) {
  std::vector<double> slopes(eigenvalues.size(), 0.0);
  auto [kind, width] = electrons.smearing;
  if (kind == SmearingKind::fixed) return slopes;
  if (is_tetrahedra(kind)) return tetrahedron_slopes(eigenvalues, table, electrons, fermi);
  if (kind != SmearingKind::fermi_dirac) kind = SmearingKind::gaussian;
  constexpr double step = 1e-3;  // in units of the width
  for (Index k = 0; k < table.num_k; ++k)
    for (int spin = 0; spin < table.spins; ++spin)
      for (Index b = 0; b < table.bands; ++b) {
        const auto i = static_cast<std::size_t>(table.first(k, spin) + b);
        const double x = (fermi_of(fermi, spin) - eigenvalues[i]) / width;
        const double slope = (occupation(kind, x + step) - occupation(kind, x - step)) / (2.0 * step * width);
        slopes[i] = slope * k_weights[static_cast<std::size_t>(k)] * electrons.full();
      }
  return slopes;
}

Index bands_with_empty_ones(std::span<const double> eigenvalues, const StateTable& table, const Electrons& electrons,
                            std::span<const double> fermi) {
  const auto [kind, width] = electrons.smearing;
  const Index n = table.bands;
  // The density of states of a free-electron gas rises as the square root of the energy: at the top it is above the
  // mean over the upper half of the bands.
  constexpr double rise = 1.3;
  const double reach = kind == SmearingKind::fixed || is_tetrahedra(kind) ? 0.0 : smearing_reach(kind) * width;
  double needed = 1.1 * static_cast<double>(n) + 2;
  for (Index k = 0; k < table.num_k; ++k)
    for (int spin = 0; spin < table.spins; ++spin) {
      const auto bands =
          eigenvalues.subspan(static_cast<std::size_t>(table.first(k, spin)), static_cast<std::size_t>(n));
      const double top = bands.back(), span = std::max(top - bands[static_cast<std::size_t>(n / 2)], 1e-6);
      const double missing = fermi_of(fermi, spin) + reach - top;
      needed = std::max(needed, static_cast<double>(n) + rise * static_cast<double>(n - n / 2) * missing / span);
    }
  if (kind == SmearingKind::fixed) needed = std::min(needed, electrons.count);
  return static_cast<Index>(std::ceil(std::min(needed, 2.0 * static_cast<double>(n) + 1)));
}

}  // namespace wavegrid
