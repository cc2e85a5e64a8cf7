// The projectors of a species as functions of r for a grid of points: filtered and kept within a sphere.
//
//   beta(r) = p_n(|r|) Y_lm(r),   p_n the combinations that make the couplings of a channel diagonal
//
// A sum over the points of an FFT grid equals the integral if nothing of beta lies beyond the wave numbers that the
// grid distinguishes from those of the bands. Products with bands up to G_max need beta up to G_max as it is, and 0
// from g_max = |A| - G_max on, A being the shortest vector by which the grid aliases (GridWaves). Between the two the
// filter lets beta be what keeps it inside the sphere (atoms/radial_filter.hpp).
#pragma once

#include <vector>

#include "atoms/pseudopotentials.hpp"
#include "atoms/radial_filter.hpp"
#include "atoms/solver/pseudo_atom.hpp"

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
  /// Estimate of the error of the energy of one atom, Ha: see filter_to_accuracy().
  double error = 0;

  /// Their number, for all m.
  [[nodiscard]] Index count() const;
};

/// The radius from which on all projectors of an atom are below a thousandth of their maximum, bohr. Pure.
[[nodiscard]] double projector_extent(const Pseudopotential& atom);

/// The projectors of an atom with the given radius and wave numbers; `error` is not set. Pure.
[[nodiscard]] FilteredProjectors filter_projectors(const Pseudopotential& atom, const FilterRange& range);

/// Wave numbers of bands and of a grid, 1/bohr.
struct GridWaves {
  double largest;       ///< of the plane waves: G_max
  double alias;         ///< the length of the shortest vectors A by which the grid aliases
  int num_aliases = 6;  ///< of these vectors

  [[nodiscard]] double beyond() const { return alias - largest; }
};
/// Of the plane waves up to a cutoff (Ha) on an FFT grid. Pure.
[[nodiscard]] GridWaves waves_of_grid(const Lattice& lattice, const Int3& grid, double ecut);

/// With a radius (bohr) that was chosen for another cell, and the estimated error. Pure.
[[nodiscard]] FilteredProjectors filter_with_radius(const Pseudopotential& atom, const PseudoAtom& solved,
                                                    const GridWaves& waves, double radius);

/// With the smallest radius whose estimated error of the energy is at most 0.3 `accuracy`, Ha per atom:
///
///   error = 2 sum_n |D_n| <|p_n| psi> <|dp_n| psi>,   psi(q) the root of the sum of all |psi_i(q)|^2 of the atom
///
/// in reciprocal space, dp_n being the difference that the filter makes below G_max, and what the grid aliases there
/// (on average over the phases of several vectors A). Absolute values make it an upper estimate of the first-order
/// error, compared with calculations in decision 0020. Throws bad_input, naming `element`, if no radius up to
/// largest_filter_radius does. Pure, some tens of milliseconds.
[[nodiscard]] FilteredProjectors filter_to_accuracy(const Pseudopotential& atom, const PseudoAtom& solved,
                                                    const GridWaves& waves, double accuracy);
inline constexpr double largest_filter_radius = 8;  ///< bohr

}  // namespace wavegrid
