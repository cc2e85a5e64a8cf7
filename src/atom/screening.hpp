// The interaction of the electrons of a spherical density: V_H + v_xc and its energy.
#pragma once

#include <functional>
#include <span>

#include <wavegrid/atom/radial_grid.hpp>

namespace wavegrid {

/// Exchange and correlation without spin in a local density approximation: from rho (electrons/bohr^3) at some points
/// to the energy per volume (Ha/bohr^3) and the potential (Ha) there.
using LocalXc = std::function<void(std::span<const double> rho, std::span<double> exc, std::span<double> vxc)>;

/// The potential of a density, and the correction of its energy relative to the sum of eigenvalues.
struct Screening {
  RadialValues potential;          ///< V_H + v_xc, Ha
  RadialValues xc;                 ///< v_xc, Ha
  double energy_correction = 0.0;  ///< E_H + E_xc - int (V_H + v_xc) rho d^3r, Ha
};

/// Screening by a density rho in electrons/bohr^3; exchange and correlation are those of `xc_rho`. Pure.
[[nodiscard]] Screening screen(const RadialGrid& grid, const LocalXc& xc, const RadialValues& rho,
                               const RadialValues& xc_rho);

}  // namespace wavegrid
