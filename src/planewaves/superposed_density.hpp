// Densities of superposed pseudo-atoms on the FFT grid.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>

namespace wavegrid {

/// rho(G) = 1/Omega sum_a w_a rho_a(|G|) exp(-iG.tau_a) on this rank's G of the box, electrons/bohr^3, with one factor
/// w_a for each atom; none means 1 for all. Local.
[[nodiscard]] std::vector<std::complex<double>> superposed_density(const PlaneWaves& box, const Crystal& crystal,
                                                                   const std::vector<PseudoAtom>& atoms,
                                                                   std::span<const double> factors = {});

/// The same in the space of fields.
[[nodiscard]] GridFft::Coefficients superposed_density(GridFields& fields, const Crystal& crystal,
                                                       const std::vector<PseudoAtom>& atoms,
                                                       std::span<const double> factors = {});
/// Against which changes of the density between geometries are taken: superposed atoms as they are. Collective.
[[nodiscard]] inline GridFft::Coefficients reference_density(GridFields& fields, const Crystal& crystal,
                                                             const std::vector<PseudoAtom>& atoms,
                                                             double /*electrons*/) {
  return superposed_density(fields, crystal, atoms);
}
/// Scales a density to the number of electrons. Collective.
void scale_to_electrons(const GridFields& fields, double electrons, GridFft::Coefficients& density);
/// Sets the number of electrons of a density that has nearly as many: at G = 0 alone. Local.
void fix_electrons(const GridFields& fields, double electrons, GridFft::Coefficients& density);

/// Forces on the atoms from a potential that acts on their densities, which move with them (structure_derivatives.hpp,
/// w_s = rho_s V), Ha/bohr: Cartesian, the same on all ranks. `potential` on this rank's G of the box, Ha. Collective.
[[nodiscard]] std::vector<Vec3> superposed_forces(const GridFft& grid, const Crystal& crystal,
                                                  const std::vector<PseudoAtom>& atoms,
                                                  const GridFft::Coefficients& potential);

/// The strain derivative of the same energy, with atomic densities that follow the strain: -sum_G rho_s' G_a G_b / |G|
/// times the potential (structure_strain), Ha, symmetric, the same on all ranks. Collective.
[[nodiscard]] Mat3 superposed_strain(const GridFft& grid, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                                     const GridFft::Coefficients& potential);

}  // namespace wavegrid
