// The crystal: a periodic cell and the atoms in it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// One atom of the cell.
struct Atom {
  int species;    ///< index into Crystal::species
  Vec3 position;  ///< fractional coordinates, not necessarily inside [0, 1)
};

/// A cell with its atoms. A plain value; `require_valid` checks what a caller filled in.
struct Crystal {
  Lattice lattice;
  std::vector<std::string> species;  ///< element symbols, each once
  std::vector<Atom> atoms;

  [[nodiscard]] int num_atoms() const { return static_cast<int>(atoms.size()); }
  [[nodiscard]] int num_species() const { return static_cast<int>(species.size()); }
  [[nodiscard]] const std::string& element(int atom) const;  ///< symbol of atom `atom` (0-based)
  [[nodiscard]] Vec3 cartesian(int atom) const;              ///< position in bohr, not folded into the cell
  [[nodiscard]] std::vector<int> species_atoms(
      int species_index) const;  ///< ascending indices of the atoms of one species
};

/// Throws bad_input for an empty crystal, a species named twice or out of range, or a position that is not finite.
void require_valid(const Crystal& crystal);

/// The cell repeated `repeats` times along its vectors. All atoms of cell (0,0,0) come first, then those of (0,0,1),
/// ..., with the third index fastest (ASE's order). Throws bad_input for a repeat below 1.
[[nodiscard]] Crystal supercell(const Crystal& crystal, const Int3& repeats);

/// Two atoms, or an atom and an image of itself (first == second).
struct AtomPair {
  int first;        ///< 0-based, first <= second
  int second;       ///< 0-based
  Int3 image;       ///< lattice translation that was added to `second`
  double distance;  ///< bohr
  double measure;   ///< by which it is the closest: the distance, or that by the sizes of both atoms
};

/// The closest pair nearer than `cutoff` (bohr, > 0), periodic images of any cell shape included; none if there is no
/// such pair. Among equal ones (to 1e-9) the lowest atom indices win. Linear in atoms for a short cutoff.
/// With `sizes` (of each species, > 0, bohr) the distance by the sum of both sizes is what counts, and `cutoff` is of
/// that.
[[nodiscard]] std::optional<AtomPair> closest_pair_within(const Crystal& crystal, double cutoff,
                                                          std::span<const double> sizes = {});

/// Throws bad_input naming the two closest atoms (counted from 1) where any two are nearer than `min_bohr`.
void require_separated(const Crystal& crystal, double min_bohr);

}  // namespace wavegrid
