// What filtering the projectors of an atom does to energy, forces and stress: an estimate of first order.
//
//   energy = 2 sum_l <|sum_n D_n <p_n|psi> dp_n| |psi>,   n over the radial parts of l
//
// in reciprocal space, psi(q) being the root of the sum of all |psi_i(q)|^2 of the free atom, and dp_n the difference
// that the filter makes below G_max together with what the grid aliases there (on average over the phases of several
// vectors A). Derivatives with respect to a position bring factors q below G_max and |A| for what is aliased; those
// with respect to a strain q d/dq and |A| d/dg. Absolute values make these upper estimates; decision 0020 compares them
// with calculations.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/basis/lattice.hpp>
#include <wavegrid/pseudo/radial_filter.hpp>

namespace wavegrid {

/// Wave numbers of bands and of a grid, 1/bohr.
struct GridWaves {
  double largest;       ///< of the plane waves: G_max
  double alias;         ///< the length of the shortest vectors A by which the grid aliases
  int num_aliases = 6;  ///< of these vectors

  [[nodiscard]] double beyond() const { return alias - largest; }
};
/// Of the plane waves up to a cutoff (Ha) on an FFT grid. Pure.
[[nodiscard]] GridWaves grid_waves(const Lattice& lattice, const Int3& grid, double ecut);

/// The electrons of a free atom at wave numbers q = i * step up to G_max.
class ElectronWaves {
 public:
  ElectronWaves(const PseudoAtom& atom, double largest);

  /// (2 pi)^(3/2) psi at each q, bohr^(3/2).
  [[nodiscard]] const std::vector<double>& magnitude() const { return magnitude_; }
  [[nodiscard]] double q(std::size_t i) const { return static_cast<double>(i) * step_; }
  [[nodiscard]] double step() const { return step_; }
  /// <f|psi> of a function given by its transform at each q.
  [[nodiscard]] double overlap(std::span<const double> f) const;

 private:
  double step_;
  std::vector<double> magnitude_;
};

/// Of one atom.
struct FilterError {
  double energy = 0;  ///< Ha
  double force = 0;   ///< of a component, Ha/bohr
  double strain = 0;  ///< of the derivative with respect to a component of a strain, Ha
};

/// A radial part of the projectors: in reciprocal space (bohr^(3/2)), and filtered.
struct FilteredPart {
  int l;
  double strength;  ///< D_n, Ha
  RadialSpectrum exact;
  const FilteredFunction& filtered;
};

/// The error by using the filtered functions, on a sphere of `radius` bohr, instead of the exact ones. Pure.
[[nodiscard]] FilterError filter_error(std::span<const FilteredPart> parts, double radius,
                                       const ElectronWaves& electrons, const GridWaves& waves);

}  // namespace wavegrid
