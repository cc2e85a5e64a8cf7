#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <wavegrid/atom/filtered_projectors.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/channel_couplings.hpp>

namespace wavegrid {

namespace {

/// sum_i mixing_i p_i of a channel, or of the slopes.
using Projector = double (Pseudopotential::*)(int channel, int i, double g) const;
std::function<double(double)> mixed(const Pseudopotential& atom, int channel, const std::vector<double>& mixing,
                                    Projector projector) {
  return [&atom, channel, mixing, projector](double g) {
    double sum = 0;
    for (std::size_t i = 0; i < mixing.size(); ++i)
      sum += mixing[i] * (atom.*projector)(channel, static_cast<int>(i), g);
    return sum;
  };
}

/// Calls action(l, strength, spectrum) for each radial part, which refers to `atom`.
template <class Action>
void for_radial_parts(const Pseudopotential& atom, Action action) {
  for (int c = 0; c < atom.num_channels(); ++c) {
    const ChannelCouplings couplings = diagonal_couplings(atom, c);
    for (std::size_t n = 0; n < couplings.strengths.size(); ++n)
      action(atom.channel_l(c), couplings.strengths[n],
             RadialSpectrum{mixed(atom, c, couplings.mixing[n], &Pseudopotential::projector),
                            mixed(atom, c, couplings.mixing[n], &Pseudopotential::projector_slope)});
  }
}

/// Values at uniform steps from 0 on, and 0 beyond, as a function.
std::function<double(double)> interpolated(std::vector<double> values, double step) {
  return [values = std::move(values), step](double x) {
    const double at = x / step;
    const auto i = static_cast<std::size_t>(at);
    return i + 1 < values.size() ? values[i] + (at - static_cast<double>(i)) * (values[i + 1] - values[i]) : 0.0;
  };
}

/// As large as the accuracy (Ha) allows. With 1e-14 projectors of Fe between the two wave numbers are 1e5 times those
/// of the bands, so that H in single precision had errors of 0.02 Ha, and mixed precision did not converge.
double damping_for(double accuracy) { return std::clamp(1e-5 * accuracy, 1e-14, 1e-10); }

/// With the weights that errors of a projector have: below G_max |psi(q)|^2, beyond the same of all q that the vectors
/// A alias to g, on average over directions,
///
///   w(g) = (N |A| / G_max)^2 / (2 A g) int_|A-g|^G_max q |psi(q)|^2 dq,
///
/// because N vectors A are in phase at symmetric positions and bring |A| into derivatives, where what is below G_max
/// brings q. Beyond A w is at least the mean of all alias vectors. |psi|^2 is relative to its maximum, and a small part
/// of that is added, because the electrons of a crystal are not exactly those of the atom.
FilterRange weighted_range(const ElectronWaves& electrons, const GridWaves& waves, double radius, double accuracy) {
  constexpr double floor = 1e-8;
  const std::vector<double>& psi = electrons.magnitude();
  const double largest = std::pow(*std::max_element(psi.begin(), psi.end()), 2), step = electrons.step();
  std::vector<double> square, above(psi.size(), 0.0);  // |psi|^2, int_q^G_max q |psi|^2 dq
  double all = 0;
  for (std::size_t i = 0; i < psi.size(); ++i) {
    square.push_back(psi[i] * psi[i] / largest);
    all += 4 * units::pi * step * electrons.q(i) * electrons.q(i) * square[i];
  }
  for (std::size_t i = psi.size() - 1; i-- > 0;)
    above[i] = above[i + 1] + 0.5 * step * (electrons.q(i) * square[i] + electrons.q(i + 1) * square[i + 1]);
  FilterRange range{radius, waves.largest, waves.beyond()};
  range.stretched = true;
  range.damping = damping_for(accuracy);
  range.weight_below = [at = interpolated(square, step)](double q) { return at(q) + floor; };
  const double mean = all / std::pow(waves.alias, 3);
  const double coherent = waves.num_aliases * std::pow(waves.alias / waves.largest, 2);
  range.weight_beyond = [waves, mean, coherent, at = interpolated(above, step)](double g) {
    const double nearest = waves.num_aliases / (2 * waves.alias * g) * at(std::abs(g - waves.alias));
    return coherent * (std::max(nearest, g > waves.alias ? mean : 0.0) + floor);
  };
  return range;
}

FilteredProjectors filtered_with(const Pseudopotential& atom, const ElectronWaves& electrons, const GridWaves& waves,
                                 double radius, double accuracy) {
  FilteredProjectors found = filter_projectors(atom, weighted_range(electrons, waves, radius, accuracy));
  std::vector<FilteredPart> parts;
  for_radial_parts(atom, [&](int l, double strength, const RadialSpectrum& exact) {
    parts.push_back({l, strength, exact, found.all[parts.size()].radial});
  });
  found.error = filter_error(parts, radius, electrons, waves);
  return found;
}

/// The largest of the three errors, each divided by what is allowed: see FilterGoal.
double excess(const FilterError& error, const FilterGoal& goal) {
  constexpr double stress = 0.01, reached = 0.6;  // bohr^-2; the part of the estimate that is seen at most
  return std::max({error.energy, error.force, reached * error.strain / (stress * goal.volume_per_atom)}) /
         goal.accuracy;
}

/// Whether there are wave numbers between those of the bands and those that the grid aliases.
bool has_gap(const GridWaves& waves) { return waves.beyond() >= 1.05 * waves.largest; }

std::string refusal(const Pseudopotential& atom, const GridWaves& waves, const std::string& wanted) {
  return "projectors of " + atom.element() + " in real space are not possible on this grid" + wanted +
         ": its shortest alias vector is " + to_text(waves.alias / waves.largest) +
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
  FilteredProjectors result{{}, range.radius, {}};
  for_radial_parts(atom, [&](int l, double strength, const RadialSpectrum& exact) {
    result.all.push_back({l, strength, filtered(l, exact, range)});
  });
  return result;
}

FilteredProjectors filter_with_radius(const Pseudopotential& atom, const PseudoAtom& solved, const GridWaves& waves,
                                      double radius, double accuracy) {
  if (!has_gap(waves)) throw bad_input(refusal(atom, waves, ""));
  return filtered_with(atom, ElectronWaves(solved, waves.largest), waves, radius, accuracy);
}

FilteredProjectors filter_to_accuracy(const Pseudopotential& atom, const PseudoAtom& solved, const GridWaves& waves,
                                      const FilterGoal& goal) {
  constexpr double smallest = 1, step = 0.5, resolution = 0.04;  // bohr
  const std::string wanted = " with an error of " + to_text(goal.accuracy) + " Ha";
  if (!has_gap(waves)) throw bad_input(refusal(atom, waves, wanted));
  const ElectronWaves electrons(solved, waves.largest);
  const auto with_radius = [&](double radius) { return filtered_with(atom, electrons, waves, radius, goal.accuracy); };
  FilteredProjectors best = with_radius(smallest);
  double below = smallest, now = excess(best.error, goal), least = now;
  while (now > 1 && best.radius + step <= largest_filter_radius) {
    below = best.radius;
    best = with_radius(below + step);
    now = excess(best.error, goal);
    least = std::min(least, now);
  }
  if (now > 1)
    throw bad_input(refusal(atom, waves, wanted + " (the least is " + to_text(least * goal.accuracy) + " Ha)"));
  while (best.radius - below > resolution) {
    FilteredProjectors middle = with_radius(0.5 * (below + best.radius));
    if (excess(middle.error, goal) <= 1)
      best = std::move(middle);
    else
      below = middle.radius;
  }
  return best;
}

}  // namespace wavegrid
