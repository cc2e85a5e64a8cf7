// The projectors of a species as functions of r for a grid of points: filtered and kept within a sphere.
//
//   beta(r) = p_n(|r|) Y_lm(r),   p_n the combinations that make the couplings of a channel diagonal
//
// A sum over the points of an FFT grid equals the integral if nothing of beta lies beyond the wave numbers that the
// grid distinguishes from those of the bands. Products with bands up to G_max need beta up to G_max as it is, and 0
// from g_max = |A| - G_max on, A being the shortest vector by which the grid aliases (GridWaves). Between the two the
// filter lets beta be what keeps it inside the sphere (pseudo/radial_filter.hpp). Elsewhere a difference counts as much
// as the electrons of the free atom have of its wave number.
#pragma once

#include <vector>

#include <wavegrid/atom/filter_error.hpp>
#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/pseudo/radial_filter.hpp>

namespace wavegrid {

/// One filtered radial part, for all its m.
struct FilteredProjector {
  int l;
  double strength;  ///< Ha
  FilteredFunction radial;
};

struct FilteredProjectors {
  std::vector<FilteredProjector> all;
  double radius = 0;  ///< bohr
  FilterError error;  ///< of one atom

  /// Their number, for all m.
  [[nodiscard]] Index count() const;
};

/// The radius from which on all projectors of an atom are below a thousandth of their maximum, bohr. Pure.
[[nodiscard]] double projector_extent(const Pseudopotential& atom);

/// The projectors of an atom with the given radius and wave numbers; `error` is not set. Pure.
[[nodiscard]] FilteredProjectors filter_projectors(const Pseudopotential& atom, const FilterRange& range);

/// What the filter may change.
struct FilterGoal {
  double accuracy;  ///< of the energy of an atom (Ha) and of forces (Ha/bohr); of the stress 0.01 of it (Ha/bohr^3)
  double volume_per_atom;  ///< bohr^3
};

/// With the smallest radius whose estimated errors (atom/filter_error.hpp) are within the goal. Throws bad_input,
/// naming the element, if no radius up to largest_filter_radius does. Pure, some tenths of a second.
[[nodiscard]] FilteredProjectors filter_to_accuracy(const Pseudopotential& atom, const PseudoAtom& solved,
                                                    const GridWaves& waves, const FilterGoal& goal);
inline constexpr double largest_filter_radius = 8;  ///< bohr

/// With a radius (bohr) that was chosen for another cell and this accuracy. Pure.
[[nodiscard]] FilteredProjectors filter_with_radius(const Pseudopotential& atom, const PseudoAtom& solved,
                                                    const GridWaves& waves, double radius, double accuracy);

}  // namespace wavegrid
