// Functions f(|r|) Y_lm centred on atoms, as plane-wave coefficients: both projectors and atomic orbitals.
//
//   phi_a,lm(G) = (-i)^l / sqrt(Omega) F(|k+G|) Y_lm(k+G) exp(-i(k+G).tau_a),   F(q) = 4 pi int r^2 j_l(qr) f(r) dr
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

/// Coefficients on this rank's plane waves of one function centred at the origin.
using CentredFunction = std::vector<std::complex<double>>;

/// The 2l+1 functions of a radial part, m = -l..l. `radial` is F(|k+G|), plane wave by plane wave. Local.
[[nodiscard]] std::vector<CentredFunction> centred_functions(const PlaneWaves& waves, int l,
                                                             const std::vector<double>& radial);

/// Moves each species' functions to all its atoms: consecutive arrays of waves.size() coefficients, species by species
/// and atom by atom in the crystal's order. Local.
/// Computed in double precision, then rounded to Real.
template <class Real>
void place_on_atoms(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal,
                    const std::vector<std::vector<CentredFunction>>& species_functions, std::complex<Real>* out);

}  // namespace wavegrid
