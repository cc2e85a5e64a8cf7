// The density matrix of local orbitals by purification (boxes/purification.hpp), and the occupied states in it.
//
//   K = Z P Z,   Z = S^-1/2,   P: the projector onto the lowest states of Z H Z
//
// Blocks are those of pairs of atoms; a rank has the rows of its atoms. Work and memory grow as the number of atoms,
// but for the occupied states one by one, which are found where they are wanted: the columns of a Cholesky factor of K,
// K = L L^H, span them, and of that small span the eigenproblem is solved. They give levels, derivatives, projections
// and checkpoints; density and energies are those of K. The Cholesky factor: F. Aquilante, T. B. Pedersen,
// A. Sanchez de Meras and H. Koch, J. Chem. Phys. 125, 174101 (2006), 10.1063/1.2360264.
//
// The error of the energy is estimated from what K lacks to be idempotent and to commute with H, with K' = 3 KSK - 2
// KSKSK and the gap: |Tr K H - Tr K' H| + |Z (HKS - SKH) Z|^2 / (2 gap), which is sum_n |Z r_n|^2 / gap of states with
// the residuals r_n. R. McWeeny, Rev. Mod. Phys. 32, 335 (1960), 10.1103/RevModPhys.32.335.
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
  KernelReport figures;  ///< of one electron for each state, for complete()
};

/// Of one set of functions. Members are collective over the k-point group.
template <class S>
class OrbitalKernel {
 public:
  /// `s`: overlaps of the functions. Throws bad_input on all ranks if the functions are linearly dependent.
  OrbitalKernel(BlockSparse<S> s, double cutoff, bool deterministic);

  /// The lowest `states` states of H. Throws bad_input on all ranks if there is no gap above them.
  [[nodiscard]] PurifiedStates<S> solve(const BlockSparse<S>& h, Index states);
  /// The eigenstates in the span of those of its K. Matrices are whole on each rank; the work grows as their cube.
  [[nodiscard]] SubspaceSolution<S> occupied(const BlockSparse<S>& k, const BlockSparse<S>& h, Index states) const;
  /// Sets the levels next to the gap, and the error of the energy, of K of solve() in this H.
  void complete(KernelReport& figures, const BlockSparse<S>& k, const BlockSparse<S>& h) const;

 private:
  /// Where a matrix is multiplied: on the ranks that have its rows, or, if these are few, on each rank for itself.
  [[nodiscard]] BlockSparse<S> for_products(const BlockSparse<S>& matrix) const;
  /// The blocks of a matrix larger than the cutoff, for products.
  [[nodiscard]] BlockSparse<S> large_blocks(const BlockSparse<S>& matrix) const;
  /// Ha, of matrices for products.
  [[nodiscard]] double energy_error(const BlockSparse<S>& k, const BlockSparse<S>& h, double gap) const;
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
