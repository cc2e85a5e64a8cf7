// What acts on electrons and ions from outside, as an input gives it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

/// A sawtooth potential along a lattice vector and a dipole correction (terms/sawtooth_term.hpp).
struct Sawtooth {
  double field = 0;      ///< Ha/bohr: the force on a positive charge
  std::size_t axis = 2;  ///< the lattice vector, orthogonal to the others
  bool dipole_correction = false;
};

/// A potential that acts on electrons.
struct ExternalPotential {
  std::string file;            ///< its name, for messages
  Mat3 cell{};                 ///< lattice vectors, bohr
  Int3 grid{};                 ///< points along them
  std::vector<double> values;  ///< Ha, (nx, ny, nz)
};

struct External {
  std::shared_ptr<const ExternalPotential> potential = nullptr;  ///< none: null
  std::optional<Sawtooth> sawtooth = std::nullopt;
};

/// Reads a potential (Ha) from a Gaussian cube file. Throws bad_input for a file that is none. Local.
[[nodiscard]] ExternalPotential read_cube(const std::string& path);

/// Throws bad_input for the potential of another cell or grid. Pure.
void require_valid(const ExternalPotential& potential, const Lattice& lattice, const Int3& grid);

/// The part of a cell without atoms along an axis that is the widest: its middle and its width in units of the lattice
/// vector.
struct WidestGap {
  double middle = 0, width = 1;
};
[[nodiscard]] WidestGap widest_gap(const Crystal& crystal, std::size_t axis);

/// The place of the jump in units of the lattice vector: near the middle of the widest gap, at a multiple of about 2
/// bohr between two of `count` grid planes, so that it stays while atoms move a little. Pure.
[[nodiscard]] double jump_place(const Crystal& crystal, std::size_t axis, int count);

/// Throws bad_input for a field or a dipole correction without vacuum along an axis, along one that is not orthogonal
/// to the others, or of a charged cell. Pure.
void require_valid(const Sawtooth& sawtooth, const Crystal& crystal, double charge);

}  // namespace wavegrid
