// The start of a calculation from those of earlier geometries: densities and bands as functions of the positions.
//
// The new geometry is written as a linear combination of earlier ones, R = sum_i c_i R_i with sum_i c_i = 1, as nearly
// as that is possible; the changes of the density against superposed atoms, and the projectors on the bands, are
// combined with the same c_i. With equal steps of time these are the coefficients of polynomial extrapolation; the
// steps of a relaxation may be any (T. A. Arias, M. C. Payne, J. D. Joannopoulos, Phys. Rev. Lett. 69, 1077 (1992),
// 10.1103/PhysRevLett.69.1077). Bands: X = sum_i c_i X_i <X_i|X_0>, which needs no alignment of the X_i
// (J. VandeVondele et al., Comput. Phys. Commun. 167, 103 (2005), 10.1016/j.cpc.2004.12.014, after J. Kolafa).
#pragma once

#include <deque>
#include <vector>

#include "atoms/crystal.hpp"
#include "atoms/solver/pseudo_atom.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// Earlier geometries beyond the last one that an extrapolation uses at most.
inline constexpr std::size_t most_earlier_geometries = 3;

/// The weights c_i of earlier geometries of the same atoms, adding up to 1, whose combination comes nearest to `now`:
/// the least of |sum_i c_i (R_i - R)|^2 + noise sum_i c_i^2, with displacements to the nearest images and the lattice
/// vectors, which count as if every atom took part. Pure.
[[nodiscard]] std::vector<double> extrapolation_weights(const Crystal& now, const std::vector<const Crystal*>& earlier,
                                                        double noise);

/// The last geometries of a session with the changes of their densities against superposed atoms, latest first.
class GeometryHistory {
 public:
  /// `noise` (bohr^2): the squared displacement of all atoms that changes the energy as little as the tolerance of the
  /// solves; weights that would enlarge errors of that size more than they improve the geometry are not used.
  explicit GeometryHistory(double noise) : noise_(noise) {}

  /// Adds the geometry of a density, whose species have the order of `atoms`; forgets the earliest one if there are
  /// too many. Collective over the grid.
  void add(const GridFft& grid, const Crystal& crystal, SpinCoefficients density, const std::vector<PseudoAtom>& atoms);
  /// Moves the changes from one grid to another by Miller index. Collective over both grids, which have the same ranks.
  void change_grid(const GridFft& from, const GridFft& to);
  void clear() { entries_.clear(); }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// The weights of the latest `count` geometries for a new one, latest first. Pure; the same on all ranks.
  [[nodiscard]] std::vector<double> weights(const Crystal& now, std::size_t count) const;
  /// The density of a new geometry: its superposed atoms and the weighted changes; the magnetisation is that of the
  /// weighted earlier ones. At least one geometry must have been added. Local.
  [[nodiscard]] SpinCoefficients density(SpinCoefficients superposed, const Crystal& now) const;

 private:
  struct Entry {
    Crystal crystal;
    SpinCoefficients change;
  };
  double noise_;
  std::deque<Entry> entries_;
};

}  // namespace wavegrid
