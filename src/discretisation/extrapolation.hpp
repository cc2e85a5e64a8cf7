// The start of a calculation from those of earlier geometries: densities and bands as functions of the positions.
//
// The new geometry is written as a linear combination of earlier ones, R = sum_i c_i R_i with sum_i c_i = 1, as nearly
// as that is possible; the changes of the density against superposed atoms, rho_ij of PAW, and the projectors on the
// bands, are combined with the same c_i. With equal steps of time these are the coefficients of polynomial
// extrapolation; the steps of a relaxation may be any (T. A. Arias, M. C. Payne, J. D. Joannopoulos, Phys. Rev. Lett.
// 69, 1077 (1992), 10.1103/PhysRevLett.69.1077). Bands: X = sum_i c_i X_i <X_i|X_0>, which needs no alignment of the
// X_i (J. VandeVondele et al., Comput. Phys. Commun. 167, 103 (2005), 10.1016/j.cpc.2004.12.014, after J. Kolafa).
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Earlier geometries beyond the last one that an extrapolation uses at most.
inline constexpr std::size_t most_earlier_geometries = 3;

/// Bytes of what is kept of earlier geometries: of `sets` k-points and spins the bands, and the changes of densities of
/// `density` bytes each. Pure.
template <class S>
[[nodiscard]] double history_bytes(Index rows, Index bands, Index sets, double density) {
  return static_cast<double>(most_earlier_geometries) * static_cast<double>(sets) *
             Bands<SingleOf<S>>::bytes(rows, bands) +
         static_cast<double>(most_earlier_geometries + 1) * density;
}

/// The squared displacement of all atoms that changes the energy as little as a tolerance (Ha), bohr^2. Pure.
[[nodiscard]] constexpr double displacement_noise(double tolerance) {
  constexpr double stiffness = 0.03;  // Ha/bohr^2: a displaced atom has half of it times the square of its displacement
  return tolerance / stiffness;
}

/// The weights c_i of earlier geometries of the same atoms, adding up to 1, whose combination comes nearest to `now`:
/// the least of |sum_i c_i (R_i - R)|^2 + noise sum_i c_i^2, with displacements to the nearest images and the lattice
/// vectors, which count as if every atom took part. Pure.
[[nodiscard]] std::vector<double> extrapolation_weights(const Crystal& now, const std::vector<const Crystal*>& earlier,
                                                        double noise);

/// The last geometries of a session with the changes of their densities against superposed atoms, and with rho_ij of
/// PAW (fields/density.hpp), latest first. A density is an array of components (spin_fields.hpp), each a Component:
/// coefficients in plane waves, or values.
template <class Component>
class GeometryHistory {
 public:
  using Density = std::vector<Component>;

  /// `noise` (bohr^2): displacement_noise of the tolerance of the solves; weights that would enlarge errors of that
  /// size more than they improve the geometry are not used.
  explicit GeometryHistory(double noise) : noise_(noise) {}

  /// Adds a geometry with its density minus superposed atoms; forgets the earliest one if there are too many. Local.
  void add(const Crystal& crystal, Density change, SpinMatrices matrices);
  /// Replaces each change by transfer(change): on another grid or mesh. Collective if `transfer` is.
  template <class Transfer>
  void transfer(const Transfer& transfer) {
    for (Entry& entry : entries_) entry.change = transfer(std::move(entry.change));
  }
  void clear() { entries_.clear(); }

  /// The weights of the latest `count` geometries for a new one, latest first. Pure; the same on all ranks.
  [[nodiscard]] std::vector<double> weights(const Crystal& now, std::size_t count) const;
  /// The density of a new geometry: its superposed atoms and the weighted changes; the magnetisation, and what follows,
  /// is that of the weighted earlier ones. At least one geometry must have been added. Local.
  [[nodiscard]] Density density(Density superposed, const Crystal& now) const;
  /// rho_ij of a new geometry: the weighted earlier ones, which move with their atoms; empty without. Local.
  [[nodiscard]] SpinMatrices matrices(const Crystal& now) const;

 private:
  struct Entry {
    Crystal crystal;
    Density change;
    SpinMatrices matrices;
  };
  double noise_;
  std::deque<Entry> entries_;
};

/// The bands of one k-point and spin in the geometries before the last one, latest first, in single precision.
template <class S>
class BandHistory {
 public:
  using Single = SingleOf<S>;

  /// The geometries that an extrapolation of the bands can use: those held and that of the present bands.
  [[nodiscard]] std::size_t count() const { return earlier_.size() + 1; }
  /// Replaces the bands of the last geometry by the extrapolated ones, and remembers them. `weights`: of at most
  /// count() geometries, latest first. With more than one weight the bands are no longer orthonormal. `op`: that of the
  /// new geometry, whose S serves for products between the geometries. Collective.
  void extrapolate(BandOperator<S>& op, const std::vector<double>& weights, Bands<S>& bands);
  /// Replaces the bands of each geometry by transfer(bands): in another basis. Collective if `transfer` is.
  template <class Transfer>
  void transfer(const Transfer& transfer) {
    for (Bands<Single>& bands : earlier_) bands = converted<Single>(transfer(converted<S>(bands)));
  }

 private:
  std::deque<Bands<Single>> earlier_;
};

}  // namespace wavegrid
