// The matrices D0 and q of the datasets of a crystal, over the projectors of each atom.
#pragma once

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// Whether an ultrasoft or PAW dataset is among them. Pure.
[[nodiscard]] bool has_augmentation(const Pseudopotentials& atoms);
/// Whether its compensation charge is no part of the density of which exchange and correlation are taken. Pure.
[[nodiscard]] bool has_charge_outside_xc(const Pseudopotential& atom);
/// Whether a PAW dataset is. Pure.
[[nodiscard]] bool has_paw(const Pseudopotentials& atoms);

/// Whether the couplings of projectors are matrices that follow the density: with augmentation, or a shell of DFT+U.
/// Pure.
[[nodiscard]] bool has_matrices(const Pseudopotentials& atoms);

/// D0 of each atom, Ha: diagonal for norm-conserving potentials (channel_couplings.hpp). Pure.
[[nodiscard]] AtomMatrices bare_couplings(const Crystal& crystal, const Pseudopotentials& atoms);
/// int (r - R) Q_ij of each atom along a Cartesian axis, bohr: 0 for norm-conserving potentials. Pure.
[[nodiscard]] AtomMatrices augmentation_dipoles(const Crystal& crystal, const Pseudopotentials& atoms,
                                                std::size_t axis);
/// q of each atom: 0 for norm-conserving potentials. Pure.
[[nodiscard]] AtomMatrices augmentation_charges(const Crystal& crystal, const Pseudopotentials& atoms);

}  // namespace wavegrid
