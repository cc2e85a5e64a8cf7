// The density matrix of local orbitals by purification (boxes/purification.hpp), and the occupied states in it.
//
//   K = Z P Z,   Z = S^-1/2,   P: the projector onto the lowest states of Z H Z
//
// Blocks are those of pairs of atoms; a rank has the rows of its atoms. The occupied states are found after that: the
// columns of a Cholesky factor of K, K = L L^H, span them, and of that small span the eigenproblem is solved. They give
// levels, derivatives, projections and checkpoints; density and energies are those of K. The Cholesky factor: F.
// Aquilante, T. B. Pedersen, A. Sanchez de Meras and H. Koch, J. Chem. Phys. 125, 174101 (2006), 10.1063/1.2360264.
#pragma once

#include <optional>

#include <wavegrid/boxes/purification.hpp>
#include <wavegrid/discretisation/orbital_report.hpp>
#include <wavegrid/linalg/subspace.hpp>
#include <wavegrid/orbitals/orbital_layout.hpp>

namespace wavegrid {

/// A density matrix of states with one electron each.
template <class S>
struct PurifiedStates {
  Matrix<S> k;
  Matrix<S> m;           ///< K H K
  double energy = 0;     ///< Tr K H, Ha
  KernelReport figures;  ///< of one electron for each state; energies likewise, the error without that of the states
};

/// Of one set of functions. Members are collective over the k-point group.
template <class S>
class OrbitalKernel {
 public:
  /// `s`: overlaps of the functions of `layout`, which must outlive this object. Throws bad_input on all ranks if the
  /// functions are linearly dependent.
  OrbitalKernel(const Comm& comm, const OrbitalLayout& layout, Matrix<S> s, double cutoff, bool deterministic);

  /// The lowest `states` states of H. Throws bad_input on all ranks if there is no gap above them.
  [[nodiscard]] PurifiedStates<S> solve(const Matrix<S>& h, Index states);
  /// The eigenstates in the span of those of its result; completes its figures.
  [[nodiscard]] SubspaceSolution<S> occupied(PurifiedStates<S>& of, const Matrix<S>& h, Index states) const;

 private:
  /// The blocks of a matrix larger than the cutoff.
  [[nodiscard]] BlockSparse<S> blocks_of(const Matrix<S>& matrix) const;
  /// All of a Hermitian matrix, on all ranks.
  [[nodiscard]] Matrix<S> whole(const BlockSparse<S>& blocks) const;
  /// Orthonormal eigenstates in the span of the states of K.
  [[nodiscard]] SubspaceSolution<S> states_of(const Matrix<S>& k, const Matrix<S>& h, Index states) const;
  /// What the energy of these states is above that of the lowest ones, at most, by their residuals; Ha.
  [[nodiscard]] double residual_energy(const Matrix<S>& h, const SubspaceSolution<S>& states, double gap) const;

  Comm group_;
  Comm comm_;  ///< the ranks that share the blocks
  const OrbitalLayout& layout_;
  Matrix<S> s_;
  double cutoff_;
  bool deterministic_;
  std::optional<BlockSparse<S>> z_;
  Matrix<S> whole_z_;
};

extern template class OrbitalKernel<double>;
extern template class OrbitalKernel<std::complex<double>>;

}  // namespace wavegrid
