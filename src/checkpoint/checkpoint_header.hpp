// The metadata of a checkpoint, all but wave functions and fields: a plain value, the same on all ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// Units: Ha, bohr. Arrays over states are ordered k-point, spin, band.
struct CheckpointHeader {
  Crystal crystal;
  double ecut = 0;
  Int3 grid{};
  Mode mode = Mode::complex;
  std::vector<KPoint> kpoints{};
  std::optional<KMesh> mesh{};  ///< none if k-points were listed
  SpaceGroup symmetry{};        ///< under which the k-points are irreducible
  int spins = 1;
  Index bands = 0;                    ///< per k-point and spin; none where states were not computed one by one
  int components = 1;                 ///< of a band: 2 for spinors, in Mode::complex with one spin
  bool vector_magnetisation = false;  ///< of spinors: fields have the components 0, x, y, z

  std::vector<double> eigenvalues{};
  std::vector<double> occupations{};  ///< electrons, weights included
  std::vector<double> fermi{};        ///< one, or two (up, down) with a fixed magnetic moment
  double energy = 0;                  ///< free energy
  bool converged = false;
  int steps = 0;
  bool kinetic_density = false;  ///< the file holds that, too
  /// rho_ij of the density (fields/density.hpp): the rows of each atom's matrix, all 0 where no term needs it (only
  /// ultrasoft datasets); empty without ultrasoft and PAW datasets.
  std::vector<int> matrix_sizes{};
  std::vector<int> matrix_datasets{};  ///< of each atom the hash of its projectors (pseudo/projector_hash.hpp)
  std::vector<double> matrices{};      ///< by spin component, then atom, each row by row; symmetric
  bool single_precision = false;       ///< bands were computed in it: norms are 1 to its rounding; set on writing

  std::string input{};     ///< JSON: the input file as it was read
  std::string versions{};  ///< JSON: libraries
  std::string program{};   ///< name and version of the program that wrote the file
  std::string created{};   ///< ISO 8601, UTC; set on writing if it is empty

  /// G-vectors, or grid points, with one common checksum; at most 2^20, fewer for tests.
  Index block = Index{1} << 20;

  [[nodiscard]] int num_kpoints() const { return static_cast<int>(kpoints.size()); }
  /// Components of densities and potentials.
  [[nodiscard]] int num_fields() const { return vector_magnetisation ? 4 : spins; }
  /// Electrons of a full state.
  [[nodiscard]] double full() const { return spins == 2 || components == 2 ? 1.0 : 2.0; }
  /// Whether operations with and without time reversal differ.
  [[nodiscard]] bool has_magnetic_group() const { return symmetry.is_magnetic() && !symmetry.is_identity(); }
  /// States of all k-points and spins.
  [[nodiscard]] Index num_states() const { return Index{num_kpoints()} * spins * bands; }
  /// Whether bands are normalised with an overlap S of the datasets: <psi|S|psi> = 1.
  [[nodiscard]] bool has_overlap() const { return !matrix_sizes.empty(); }
  /// Elements of the matrices of all atoms, of one spin component. Throws bad_input for sizes that no atom has.
  [[nodiscard]] Index num_matrix_elements() const;
  /// The sphere of one k-point.
  [[nodiscard]] GSphere sphere(int k) const;
};

/// Projectors of one atom with all their m: more than any dataset has.
inline constexpr int max_matrix_size = 256;

/// Throws bad_input if the sizes of the arrays are inconsistent.
void require_valid(const CheckpointHeader& header);

/// Throws bad_input for numbers that no calculation has (not finite, or far beyond every physical value), which a file
/// may contain: nothing has to be allocated or computed before they are known to be valid.
void require_physical(const CheckpointHeader& header);

}  // namespace wavegrid
