#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <wavegrid/atom/filter_error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/radial_transform.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

namespace {

constexpr int intervals = 100;  // of q

using Values = std::vector<double>;  // at each q

/// The mean of f(|q + A|) over all directions of q, as a function of |q|: 1/(2 A q) int_(A-q)^(A+q) g f(g) dg.
class AliasedMean {
 public:
  AliasedMean(const std::function<double(double)>& f, const GridWaves& waves)
      : alias_(waves.alias), first_(waves.beyond()), step_(2 * waves.largest / intervals) {
    double last = first_ * f(first_);
    for (int i = 1; i <= intervals; ++i) {
      const double g = first_ + i * step_, next = g * f(g);
      integral_.push_back(integral_.back() + 0.5 * step_ * (last + next));
      last = next;
    }
  }
  [[nodiscard]] double operator()(double q) const {
    return q == 0 ? 0.0 : (integral(alias_ + q) - integral(alias_ - q)) / (2 * alias_ * q);
  }

 private:
  [[nodiscard]] double integral(double g) const {
    const double at = std::clamp((g - first_) / step_, 0.0, static_cast<double>(intervals));
    const auto i = std::min(static_cast<std::size_t>(at), static_cast<std::size_t>(intervals - 1));
    return integral_[i] + (at - static_cast<double>(i)) * (integral_[i + 1] - integral_[i]);
  }

  double alias_, first_, step_;
  std::vector<double> integral_{0.0};
};

/// Functions of q, to be summed over radial parts: the difference, q times it, its derivative with respect to a strain,
/// and the same of what is aliased.
enum Kind { difference, difference_q, difference_stretched, aliased, aliased_q, aliased_stretched, num_kinds };
using Differences = std::array<Values, num_kinds>;

Differences differences(const FilteredPart& part, double radius, const ElectronWaves& electrons,
                        const GridWaves& waves) {
  // RadialTransform integrates polynomials of degree 9 exactly between neighbouring breaks.
  std::vector<double> breaks;
  const int pieces = static_cast<int>(std::ceil(0.5 * radius * (waves.alias + waves.largest))) + 4;
  for (int i = 0; i <= pieces; ++i) breaks.push_back(radius * i / pieces);
  const RadialTransform seen(part.l, breaks, part.filtered.value);
  const AliasedMean mean(std::cref(seen), waves), slope([&](double g) { return seen.derivative(g); }, waves);
  const double vectors = std::sqrt(waves.num_aliases);
  Differences found;
  for (std::size_t i = 0; i < electrons.magnitude().size(); ++i) {
    const double q = electrons.q(i), below = seen(q) - part.exact.value(q), beyond = vectors * mean(q);
    found[difference].push_back(below);
    found[difference_q].push_back(q * below);
    found[difference_stretched].push_back(q * (seen.derivative(q) - part.exact.slope(q)));
    found[aliased].push_back(beyond);
    found[aliased_q].push_back(waves.alias * beyond);
    found[aliased_stretched].push_back(waves.alias * vectors * slope(q));
  }
  return found;
}

/// sum_n D_n <factor p_n|psi> dp_n of the radial parts of one l.
struct Sums {
  Differences value_error, q_error, slope_error;

  static void add(Differences& sum, double factor, const Differences& one) {
    for (std::size_t kind = 0; kind < num_kinds; ++kind) {
      sum[kind].resize(one[kind].size());
      for (std::size_t i = 0; i < one[kind].size(); ++i) sum[kind][i] += factor * one[kind][i];
    }
  }
};

/// <|f| psi>
double spectrum_norm(Values f, const ElectronWaves& electrons) {
  for (double& value : f) value = std::abs(value);
  return electrons.overlap(f);
}

}  // namespace

GridWaves grid_waves(const Lattice& lattice, const Int3& grid, double ecut) {
  constexpr int reach = 3;  // the shortest vector of a lattice whose vectors are not the shortest
  constexpr double nearly = 1.05;
  std::vector<double> lengths;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z)
        if (x != 0 || y != 0 || z != 0)
          lengths.push_back(norm(lattice.g_vector(
              {static_cast<double>(x * grid[0]), static_cast<double>(y * grid[1]), static_cast<double>(z * grid[2])})));
  const double shortest = *std::min_element(lengths.begin(), lengths.end());
  return {std::sqrt(2.0 * ecut), shortest,
          static_cast<int>(std::count_if(lengths.begin(), lengths.end(),
                                         [&](double length) { return length < nearly * shortest; }))};
}

ElectronWaves::ElectronWaves(const PseudoAtom& atom, double largest)
    : step_(largest / intervals), magnitude_(intervals + 1, 0.0) {
  for (const PseudoAtom::Orbital& orbital : atom.orbitals) {
    if (orbital.occupation == 0.0) continue;
    for (std::size_t i = 0; i < magnitude_.size(); ++i)
      magnitude_[i] += orbital.occupation * std::pow((*orbital.transform)(q(i)), 2);
  }
  for (double& a : magnitude_) a = std::sqrt(a);
}

double ElectronWaves::overlap(std::span<const double> f) const {
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += q(i) * q(i) * f[i] * magnitude_[i];
  return sum * step_ / (8.0 * units::pi * units::pi * units::pi);
}

FilterError filter_error(std::span<const FilteredPart> parts, double radius, const ElectronWaves& electrons,
                         const GridWaves& waves) {
  std::array<Sums, highest_l + 1> of_l;
  for (const FilteredPart& part : parts) {
    Values value, times_q, stretched;
    for (std::size_t i = 0; i < electrons.magnitude().size(); ++i) {
      const double q = electrons.q(i);
      value.push_back(part.exact.value(q));
      times_q.push_back(q * value.back());
      stretched.push_back(q * part.exact.slope(q));
    }
    const Differences found = differences(part, radius, electrons, waves);
    Sums& sums = of_l[static_cast<std::size_t>(part.l)];
    Sums::add(sums.value_error, part.strength * electrons.overlap(value), found);
    Sums::add(sums.q_error, part.strength * electrons.overlap(times_q), found);
    Sums::add(sums.slope_error, part.strength * electrons.overlap(stretched), found);
  }
  const double component = 1 / std::sqrt(3.0);
  FilterError error;
  for (const Sums& sums : of_l) {
    const auto size = [&](const Differences& all, Kind below, Kind beyond) {
      return 2 * (spectrum_norm(all[below], electrons) + spectrum_norm(all[beyond], electrons));
    };
    error.energy += size(sums.value_error, difference, aliased);
    error.force +=
        component * (size(sums.value_error, difference_q, aliased_q) + size(sums.q_error, difference, aliased));
    error.strain += component * (size(sums.value_error, difference_stretched, aliased_stretched) +
                                 size(sums.slope_error, difference, aliased));
  }
  return error;
}

}  // namespace wavegrid
