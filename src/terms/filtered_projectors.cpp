#include "terms/filtered_projectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "basis/gauss_nodes.hpp"
#include "basis/radial_table.hpp"
#include "basis/spherical_bessel.hpp"
#include "terms/channel_couplings.hpp"

namespace wavegrid {

namespace {

/// The transform of one radial part of a channel with diagonal couplings.
std::function<double(double)> transform_of(const Pseudopotential& atom, int channel,
                                           const std::vector<double>& mixing) {
  return [&atom, channel, mixing](double g) {
    double sum = 0;
    for (std::size_t i = 0; i < mixing.size(); ++i) sum += mixing[i] * atom.projector(channel, static_cast<int>(i), g);
    return sum;
  };
}

/// Calls action(l, strength, transform) for each radial part.
template <class Action>
void for_radial_parts(const Pseudopotential& atom, Action action) {
  for (int c = 0; c < atom.num_channels(); ++c) {
    const ChannelCouplings couplings = diagonal_couplings(atom, c);
    for (std::size_t n = 0; n < couplings.strengths.size(); ++n)
      action(atom.channel_l(c), couplings.strengths[n], transform_of(atom, c, couplings.mixing[n]));
  }
}

/// Wave numbers q = i * step up to G_max, and the magnitude of the atom's electrons there, (2 pi)^(3/2) psi(q).
struct Spectrum {
  double step = 0;
  std::vector<double> q, magnitude;

  Spectrum(const PseudoAtom& atom, double largest) {
    constexpr int intervals = 100;
    step = largest / intervals;
    magnitude.assign(intervals + 1, 0.0);
    for (int i = 0; i <= intervals; ++i) q.push_back(i * step);
    for (const PseudoAtom::Orbital& orbital : atom.orbitals) {
      if (orbital.occupation == 0.0) continue;
      const RadialTable table(orbital.l, atom.spacing, orbital.radial, largest);
      for (std::size_t i = 0; i < q.size(); ++i) magnitude[i] += orbital.occupation * std::pow(table(q[i]), 2);
    }
    for (double& a : magnitude) a = std::sqrt(a);
  }

  /// <|f| psi> of a function given by its transform.
  template <class F>
  [[nodiscard]] double overlap(const F& f) const {
    double sum = 0;
    for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * q[i] * std::abs(f(q[i])) * magnitude[i];
    return sum * step / (8.0 * units::pi * units::pi * units::pi);
  }
};

/// 4 pi int r^2 j_l(q r) f(r) dr of a function on a sphere, for q up to `largest`.
class SphereTransform {
 public:
  SphereTransform(int l, const RadialFunction& f, double radius, double largest) : l_(l) {
    r_.add(0, radius, nodes_for_phase(radius * largest));
    for (std::size_t i = 0; i < r_.size(); ++i) r_.weight[i] *= 4 * units::pi * r_.x[i] * r_.x[i] * f(r_.x[i]);
  }
  [[nodiscard]] double operator()(double q) const {
    std::array<double, highest_l + 1> j{};
    double sum = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      spherical_bessel(q * r_.x[i], std::span(j).first(static_cast<std::size_t>(l_) + 1));
      sum += r_.weight[i] * j[static_cast<std::size_t>(l_)];
    }
    return sum;
  }

 private:
  int l_;
  GaussNodes r_;
};

/// The mean of f(|q + A|) over all directions of q, as a function of |q|: 1/(2 A q) int_(A-q)^(A+q) g f(g) dg.
class AliasedMean {
 public:
  AliasedMean(const SphereTransform& f, const GridWaves& waves)
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
  static constexpr int intervals = 100;
  [[nodiscard]] double integral(double g) const {
    const double at = std::clamp((g - first_) / step_, 0.0, static_cast<double>(intervals));
    const auto i = std::min(static_cast<std::size_t>(at), static_cast<std::size_t>(intervals - 1));
    return integral_[i] + (at - static_cast<double>(i)) * (integral_[i + 1] - integral_[i]);
  }

  double alias_, first_, step_;
  std::vector<double> integral_{0.0};
};

double filter_error(const Pseudopotential& atom, const FilteredProjectors& filtered, const Spectrum& electrons,
                    const GridWaves& waves) {
  double error = 0;
  std::size_t n = 0;
  for_radial_parts(atom, [&](int l, double strength, const std::function<double(double)>& exact) {
    const SphereTransform seen(l, filtered.all[n++].radial.value, filtered.radius, waves.alias + waves.largest);
    const double difference = electrons.overlap([&](double q) { return seen(q) - exact(q); });
    const double aliased = std::sqrt(waves.num_aliases) * electrons.overlap(AliasedMean(seen, waves));
    error += 2 * std::abs(strength) * electrons.overlap(exact) * (difference + aliased);
  });
  return error;
}

FilteredProjectors filtered_with(const Pseudopotential& atom, const Spectrum& electrons, const GridWaves& waves,
                                 double radius) {
  FilteredProjectors found = filter_projectors(atom, {radius, waves.largest, waves.beyond()});
  found.error = filter_error(atom, found, electrons, waves);
  return found;
}

/// Whether there are wave numbers between those of the bands and those that the grid aliases.
bool has_gap(const GridWaves& waves) { return waves.beyond() >= 1.05 * waves.largest; }

std::string refusal(const Pseudopotential& atom, const GridWaves& waves, const std::string& wanted) {
  return "projectors of " + atom.element() + " in real space are not possible on this grid" + wanted +
         ": its shortest alias vector is " + text_of(waves.alias / waves.largest) +
         " times the largest of the plane waves; valid: 3 times or more, a larger error, or projectors in reciprocal "
         "space";
}

}  // namespace

Index FilteredProjectors::count() const {
  Index sum = 0;
  for (const FilteredProjector& one : all) sum += 2 * one.l + 1;
  return sum;
}

double projector_extent(const Pseudopotential& atom) {
  constexpr double step = 0.05, farthest = 10, share = 1e-3;
  double extent = 0;
  for (int c = 0; c < atom.num_channels(); ++c)
    for (int i = 0; i < atom.num_projectors(c); ++i) {
      double largest = 0;
      for (double r = step; r < farthest; r += step)
        largest = std::max(largest, std::abs(r * atom.projector_radial(c, i, r)));
      for (double r = step; r < farthest; r += step)
        if (std::abs(r * atom.projector_radial(c, i, r)) > share * largest) extent = std::max(extent, r);
    }
  return extent;
}

FilteredProjectors filter_projectors(const Pseudopotential& atom, const FilterRange& range) {
  FilteredProjectors result{{}, range.radius};
  for_radial_parts(atom, [&](int l, double strength, const std::function<double(double)>& exact) {
    result.all.push_back({l, strength, filtered(l, exact, range)});
  });
  return result;
}

GridWaves waves_of_grid(const Lattice& lattice, const Int3& grid, double ecut) {
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

FilteredProjectors filter_with_radius(const Pseudopotential& atom, const PseudoAtom& solved, const GridWaves& waves,
                                      double radius) {
  if (!has_gap(waves)) throw bad_input(refusal(atom, waves, ""));
  return filtered_with(atom, Spectrum(solved, waves.largest), waves, radius);
}

FilteredProjectors filter_to_accuracy(const Pseudopotential& atom, const PseudoAtom& solved, const GridWaves& waves,
                                      double accuracy) {
  constexpr double smallest = 1, step = 0.5, resolution = 0.04;  // bohr
  constexpr double share = 0.3;  // forces, which are more sensitive, then have this accuracy too (Ha/bohr)
  const double largest = share * accuracy;
  const std::string wanted = " with an error of " + text_of(accuracy) + " Ha";
  if (!has_gap(waves)) throw bad_input(refusal(atom, waves, wanted));
  const Spectrum electrons(solved, waves.largest);
  const auto with_radius = [&](double radius) { return filtered_with(atom, electrons, waves, radius); };
  FilteredProjectors best = with_radius(smallest);
  double below = smallest, least = best.error;
  while (best.error > largest && best.radius + step <= largest_filter_radius) {
    below = best.radius;
    best = with_radius(below + step);
    least = std::min(least, best.error);
  }
  if (best.error > largest)
    throw bad_input(refusal(atom, waves, wanted + " (the least is " + text_of(least / share) + " Ha)"));
  while (best.radius - below > resolution) {
    FilteredProjectors middle = with_radius(0.5 * (below + best.radius));
    if (middle.error <= largest)
      best = std::move(middle);
    else
      below = middle.radius;
  }
  return best;
}

}  // namespace wavegrid
