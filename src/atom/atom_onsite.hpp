// The on-site energy of a PAW dataset (paw/onsite_energy.hpp) in the spherical atom: rho_ij is the same for all m, and
// couples projectors of one l.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <wavegrid/atom/radial_grid.hpp>
#include <wavegrid/paw/onsite_energy.hpp>

namespace wavegrid {

/// Matrices are over all projectors of the atom, those between radial functions over the projectors of one l.
class AtomOnsite {
 public:
  /// Dataset and energy must outlive this object.
  AtomOnsite(const AugmentedDataset& dataset, const OnsiteEnergy& energy, const RadialGrid& grid);

  [[nodiscard]] Matrix<std::complex<double>> zeros() const { return {size_, size_}; }
  /// rho_ij of the occupations that the dataset has, and the density that belongs to it, n^ included; none: the dataset
  /// has no density. A potential that does not fit rho_ij may have bound states which should not be there, and which
  /// stay once they are occupied (GPAW's iron).
  [[nodiscard]] Matrix<std::complex<double>> initial() const;
  [[nodiscard]] std::optional<RadialValues> initial_density() const;
  /// n^ of rho_ij.
  [[nodiscard]] RadialValues charge(const Matrix<std::complex<double>>& rho) const;
  /// Adds f c_i c_j of a level with f electrons and the projections c, spread over its m.
  void add_level(int l, double f, std::span<const double> c, Matrix<std::complex<double>>& rho) const;
  /// The elements of a matrix between the projectors of `l` with the same m, times AugmentedDataset::spin_share.
  [[nodiscard]] Matrix<double> radial(int l, const Matrix<std::complex<double>>& matrix) const;

  /// The density whose exchange and correlation count, from that of the pseudo-waves and that of the augmentation.
  [[nodiscard]] RadialValues xc_density(const RadialValues& smooth, const RadialValues& augmentation) const;
  /// Energy and derivative by rho_ij at fixed density, where that density has the potential `xc`, Ha.
  [[nodiscard]] OnsiteResult evaluate(const Matrix<std::complex<double>>& rho, const RadialValues& xc) const;

 private:
  [[nodiscard]] std::vector<std::size_t> projectors_of(int l) const;

  const AugmentedDataset& dataset_;
  const OnsiteEnergy& energy_;
  std::vector<Index> first_row_;  ///< of each radial projector
  Index size_ = 0;
  RadialValues core_, r_;  ///< n~_c
  struct Charge {
    std::size_t i, j;   ///< radial projectors
    RadialValues r2_q;  ///< r^2 Q_ij^0
  };
  std::vector<Charge> charges_;
};

}  // namespace wavegrid
