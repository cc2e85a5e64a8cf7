// The matrices of ultrasoft and PAW datasets for spinors: rho_ij as components n, m_x, m_y, m_z, and D_ij over both
// spins.
//
// A projector i of a fully relativistic dataset stands for waves with j: its amplitudes are those of P_i, the
// projection of harmonics and spins onto j (spinor_couplings.hpp), and for others P_i = 1. With c = <p|psi> of both
// spins
//
//   rho_ab = (P rho P)_ab of rho = sum_n f_n c* c,   n = rho_uu + rho_dd,   m = sum_ss' sigma_ss' rho_ss'
//   D = P (d_0 + d . sigma) P
//
// with d_0 and d the derivatives of the energy by n and m, and the spin-orbit terms of norm-conserving potentials.
//
// Shells of DFT+U have n and m in any case: without a magnetisation n is real and m imaginary. Charge and moments, n^ =
// sum n_ij Q_ij and m^ = sum m_ij Q_ij, and energies in the spheres, are then those of datasets without j. A. Dal
// Corso, A. Mosca Conte, Phys. Rev. B 71, 115106 (2005), 10.1103/PhysRevB.71.115106; A. Dal Corso, Phys. Rev. B 82,
// 075116 (2010), 10.1103/PhysRevB.82.075116.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// An immutable value. Matrices over both spins have the rows of all projectors with spin up first.
class SpinorMatrices {
 public:
  SpinorMatrices(const Crystal& crystal, const Pseudopotentials& atoms);

  /// 2n x 2n for each atom of n projectors: of rho.
  [[nodiscard]] AtomMatrices zeros() const;
  /// n, or n and m: Hermitian n x n matrices, from rho of 2n x 2n. `with_shells`: n and m, without a `vector` those
  /// that time reversal leaves. Pure.
  [[nodiscard]] SpinMatrices components(const AtomMatrices& rho, bool vector, bool with_shells = false) const;
  /// D of one or four channels d, Ha; n x n where nothing acts on spins. Pure.
  [[nodiscard]] AtomMatrices couplings(const SpinMatrices& d) const;

 private:
  using Square = Matrix<std::complex<double>>;

  std::vector<Square> projections_;  ///< P of each species; empty: 1
  std::vector<Square> spin_orbit_;   ///< h + k L.S of each species; empty: none
  std::vector<std::size_t> species_;
  std::vector<Index> sizes_;  ///< n of each atom
};

}  // namespace wavegrid
