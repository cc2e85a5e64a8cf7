// The potential that a density makes, and the energies that depend on the density alone.
#pragma once

#include <complex>
#include <vector>

#include "fft/grid_fft.hpp"
#include "terms/local_potential.hpp"
#include "terms/xc.hpp"

namespace wavegrid {

/// V_eff = V_loc + V_H[rho] + v_xc[rho] on the grid, with V_eff's Hartree and local parts free of G = 0.
class EffectivePotential {
 public:
  /// Collective. `grid` must outlive this object.
  EffectivePotential(GridFft& grid, Xc xc, const Crystal& crystal, const Pseudopotentials& atoms, double ecut);

  /// Bytes of what is kept for `waves` G of the box, and of one potential() on `points` points. Pure.
  [[nodiscard]] static double bytes(Index waves) {
    return static_cast<double>(waves) * (sizeof(char) + sizeof(std::complex<double>));
  }
  [[nodiscard]] static double potential_bytes(Index waves, Index points) {
    return static_cast<double>(waves) * sizeof(std::complex<double>) +
           3.0 * static_cast<double>(points) * sizeof(double);
  }

  /// Energies of a density in Ha.
  struct DensityEnergies {
    double hartree = 0, xc = 0, local = 0;
  };
  /// `coefficients` and `values` are the same density, electrons/bohr^3, in both spaces. Collective.
  [[nodiscard]] DensityEnergies energies(const std::vector<std::complex<double>>& coefficients,
                                         const std::vector<double>& values) const;
  /// V_eff(r), Ha, on this rank's block of the grid. Collective.
  [[nodiscard]] std::vector<double> potential(const std::vector<std::complex<double>>& coefficients,
                                              const std::vector<double>& values);
  /// Hartree energy of a density difference, Ha: the error that a density not yet self-consistent makes. Collective.
  [[nodiscard]] double hartree_energy(const std::vector<std::complex<double>>& difference) const;

 private:
  GridFft& grid_;
  Xc xc_;
  std::vector<char> inside_;
  std::vector<std::complex<double>> local_;
};

}  // namespace wavegrid
