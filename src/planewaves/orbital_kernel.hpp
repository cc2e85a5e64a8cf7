// The density matrix of local orbitals by purification (boxes/purification.hpp), and the occupied states in it.
//
//   K = Z P Z,   Z = S^-1/2,   P: the projector onto the lowest states of Z H Z
//
// Blocks are those of pairs of atoms; a rank has the rows of its atoms. Occupied states are found where they are
// wanted: the columns of a Cholesky factor of K, K = L L^H, span them, and of that small span the eigenproblem is
// solved. They give levels, derivatives, projections and checkpoints; density and energies are those of K. The Cholesky
// factor: F. Aquilante, T. B. Pedersen, A. Sanchez de Meras and H. Koch, J. Chem. Phys. 125, 174101
// (2006), 10.1063/1.2360264.
#pragma once

#include <optional>

#include <wavegrid/boxes/purification.hpp>
#include <wavegrid/discretisation/orbital_report.hpp>
#include <wavegrid/linalg/subspace.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>

namespace wavegrid {

/// A density matrix of states with one electron each.
template <class S>
struct PurifiedStates {
  BlockSparse<S> k;
  BlockSparse<S> m;      ///< K H K, with the blocks of the overlaps
  double energy = 0;     ///< Tr K H, Ha
  KernelReport figures;  ///< of one electron for each state; energies likewise, the error without that of the states
};

/// Of one set of functions. Members are collective over the k-point group.
template <class S>
class OrbitalKernel {
 public:
  /// `s`: overlaps of the functions. Throws bad_input on all ranks if the functions are linearly dependent.
  OrbitalKernel(BlockSparse<S> s, double cutoff, bool deterministic);

  /// The lowest `states` states of H. Throws bad_input on all ranks if there is no gap above them.
  [[nodiscard]] PurifiedStates<S> solve(const BlockSparse<S>& h, Index states);
  /// The eigenstates in the span of those of its result; completes its figures. Matrices are whole on each rank.
  [[nodiscard]] SubspaceSolution<S> occupied(PurifiedStates<S>& of, const BlockSparse<S>& h, Index states) const;

 private:
  /// Where a matrix is multiplied: on the ranks that have its rows, or, if these are few, on each rank for itself.
  [[nodiscard]] BlockSparse<S> for_products(const BlockSparse<S>& matrix) const;
  /// The blocks of a matrix larger than the cutoff, for products.
  [[nodiscard]] BlockSparse<S> large_blocks(const BlockSparse<S>& matrix) const;
  /// The rows of this rank of a product.
  [[nodiscard]] BlockSparse<S> of_ranks(BlockSparse<S> product) const;

  BlockSparse<S> s_;
  double cutoff_;
  bool deterministic_;
  std::optional<BlockSparse<S>> z_;
};

extern template class OrbitalKernel<double>;
extern template class OrbitalKernel<std::complex<double>>;

}  // namespace wavegrid
