// The potential that a density makes, and the energies that depend on the density alone.
#pragma once

#include <complex>
#include <vector>

#include "fft/grid_fft.hpp"
#include "terms/local_potential.hpp"
#include "terms/spin_density.hpp"
#include "terms/xc_potential.hpp"

namespace wavegrid {

/// V_eff = V_loc + V_H[n] + v_xc[n + n_core, m] on the grid, with V_eff's Hartree and local parts free of G = 0.
///
/// Densities and potentials have as many components as the functional has spins, as spin_density.hpp says. The core
/// density is that of the crystal's pseudopotentials.
class EffectivePotential {
 public:
  /// Collective. `grid` must outlive this object.
  EffectivePotential(GridFft& grid, Xc xc, const Crystal& crystal, const Pseudopotentials& atoms, double ecut);

  /// Bytes of what is kept for `waves` G of the box and `points` points, and of one potential() with its result. Pure.
  [[nodiscard]] static double bytes(const Xc& xc, const Pseudopotentials& atoms, Index waves, Index points);
  [[nodiscard]] static double potential_bytes(const Xc& xc, Index waves, Index points);

  [[nodiscard]] int spins() const { return xc_.xc().spins(); }
  /// Where V_loc and V_H are kept (potential_cut.hpp), and exchange and correlation alone: for derivatives.
  [[nodiscard]] const std::vector<char>& inside() const { return inside_; }
  [[nodiscard]] const XcPotential& xc() const { return xc_; }

  /// Energies of a density in Ha; xc with the core density.
  struct DensityEnergies {
    double hartree = 0, xc = 0, local = 0;
  };
  /// `coefficients` and `values` are the same density, electrons/bohr^3, in both spaces. Collective.
  [[nodiscard]] DensityEnergies energies(const SpinCoefficients& coefficients, const SpinFields& values) const;
  /// V_eff(r), Ha, on this rank's block of the grid, one field per spin channel. Collective.
  [[nodiscard]] SpinFields potential(const SpinCoefficients& coefficients, const SpinFields& values);
  /// Hartree energy of a difference of total densities (component 0), Ha: the error that a density not yet
  /// self-consistent makes. Collective.
  [[nodiscard]] double hartree_energy(const GridFft::Coefficients& difference) const;

 private:
  GridFft& grid_;
  XcPotential xc_;
  std::vector<char> inside_;
  std::vector<std::complex<double>> local_;
};

}  // namespace wavegrid
