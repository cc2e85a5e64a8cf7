// What PAW XML files leave to the program that reads them: the local potential of the ion, its all-electron
// counterpart, and the bare couplings D0_ij. Definitions: augmented_dataset.hpp.
#pragma once

#include <vector>

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>

namespace wavegrid {

/// r V_ion(r) = -Z_nucleus + r V_H[n_c], Ha bohr, on the mesh; `core`: n_c(r), electrons/bohr^3.
[[nodiscard]] std::vector<double> r_ion_potential(const RadialQuadrature& mesh, double nuclear_charge,
                                                  const std::vector<double>& core);

/// V_loc(r), Ha, of a zero potential v: v + V_H[n~_c + (N_c - N~_c - Z_nucleus) g_0 Y_00], which tends to
/// -valence/r. `r2_shape`: r^2 g_0(r); `core`: n~_c(r); `num_core`: N_c; the values of `zero` may end before the mesh.
[[nodiscard]] std::vector<double> local_potential(const RadialQuadrature& mesh, const std::vector<double>& zero,
                                                  const std::vector<double>& core, const std::vector<double>& r2_shape,
                                                  double num_core, double nuclear_charge);

/// D0_ij of all pairs, row by row, Ha: kinetic differences, and integrals over the sphere of V_ion with the
/// all-electron waves and of V_loc (`local`, Ha, on the mesh) with the pseudo-waves and Q_ij^0.
[[nodiscard]] std::vector<double> bare_couplings(const RadialQuadrature& mesh, const AugmentedDataset& dataset,
                                                 const std::vector<double>& local);

}  // namespace wavegrid
