// The space group of a crystal, found by spglib.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// All operations that map the crystal onto itself within `tolerance` (bohr, > 0), pure translations of a non-primitive
/// cell included. Atoms of different species, or whose `moments` (one per atom, or empty) differ by more than 1e-6, are
/// different; a moment keeps its sign under every operation.
/// Not collective; the same input gives the same group in the same order on every rank. Throws bad_input for an invalid
/// crystal, a wrong number of moments, a tolerance that is not positive, or where spglib finds no group.
/// A. Togo, K. Shinohara, I. Tanaka, Sci. Technol. Adv. Mater. Methods 4, 2384822
/// (2024), 10.1080/27660400.2024.2384822.
[[nodiscard]] SpaceGroup find_space_group(const Crystal& crystal, std::span<const double> moments = {},
                                          double tolerance = 1e-5);

/// The image of one atom under an operation: W x + w = x_atom + shift.
struct AtomImage {
  int atom = 0;  ///< 0-based
  Int3 shift{};  ///< lattice translation, for the positions as given in the crystal
};

/// The image of every atom, a permutation. Throws internal_error if the image of an atom is more than `tolerance`
/// (bohr) from every atom of its species: then the operation is not one of this crystal.
[[nodiscard]] std::vector<AtomImage> atom_images(const Crystal& crystal, const SymmetryOperation& operation,
                                                 double tolerance = 1e-2);

}  // namespace wavegrid
