// The average of rho_ij over a space group.
//
//   rho_sym,b = 1/N sum D(R) rho_a D(R)^T,   b the image of atom a under {R|t},
//
// where D turns the harmonics of the projectors (basis/harmonic_rotation.hpp). The density that these matrices belong
// to is that of density_symmetriser.hpp. The matrices of a vector magnetisation turn as axial vectors besides, and are
// turned over by time reversal (moment_symmetriser.hpp), which conjugates all matrices. Of the blocks of shells of
// spinors with DFT+U imaginary parts stay; nothing else depends on those of rho_ij.
#pragma once

#include <vector>

#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// An immutable value.
class MatrixSymmetriser {
 public:
  /// Throws internal_error if an operation is not one of the crystal.
  MatrixSymmetriser(const SpaceGroup& group, const Crystal& crystal, const Pseudopotentials& atoms);

  /// Replaces Hermitian matrices over the projectors of each atom by real ones, but for shells of spinors, averaged:
  /// each component for itself, or n and the vector m. Local.
  void apply(SpinMatrices& components) const;

 private:
  struct Operation {
    std::vector<int> images;                ///< of each atom
    std::vector<Matrix<double>> rotations;  ///< D for each l
    Mat3 moment_turn{};                     ///< of axial vectors
    bool time_reversed = false;
  };
  /// The projectors of an atom.
  struct Rows {
    std::vector<int> l;                ///< of each radial one
    std::vector<HubbardShell> shells;  ///< of DFT+U: each a channel
  };
  static void make_real(const Rows& rows, bool of_spinors, Matrix<std::complex<double>>& matrix);
  [[nodiscard]] AtomMatrices average(const std::vector<Operation>& operations, const AtomMatrices& matrices) const;
  void average_vectors(const std::vector<Operation>& operations, SpinMatrices& components) const;
  /// sum += factor D matrix D^T, of shells with their imaginary parts.
  static void add_turned(double factor, const Rows& rows, const Operation& operation,
                         const Matrix<std::complex<double>>& matrix, Matrix<std::complex<double>>& sum);

  std::vector<Rows> rows_;  ///< of each atom
  std::vector<Operation> translations_, rotations_;
};

}  // namespace wavegrid
