// The energy of DFT+U of one shell as a function of its occupation matrices n^s of spin s.
//
// Without J: S. L. Dudarev et al., Phys. Rev. B 57, 1505 (1998), 10.1103/PhysRevB.57.1505,
//
//   E = U/2 sum_s Tr(n^s - n^s n^s),   dE/dn^s_ij = U/2 delta_ij - U n^s_ij
//
// With J: A. I. Liechtenstein, V. I. Anisimov, J. Zaanen, Phys. Rev. B 52, R5467 (1995), 10.1103/PhysRevB.52.R5467,
//
//   E = 1/2 sum_s (<ik|V|jl> n^s_ij n^-s_kl + (<ik|V|jl> - <ik|V|lj>) n^s_ij n^s_kl)
//       - U/2 N (N - 1) + J/2 sum_s N_s (N_s - 1),   N_s = Tr n^s,  N = N_up + N_down
//   <ik|V|jl> = sum_K F^K 4 pi / (2K + 1) sum_Q G(KQ, i, j) G(KQ, k, l)
//
// Spinors have one Hermitian matrix over orbitals and spins, n_ij = (N_ij + M_ij . sigma) / 2. The same energies, which
// do not depend on the axes of spin, with N = Tr N_ij, M = Tr M_ij and the sum over c of N and the three parts of M:
//
//   E = U/2 (N - 1/2 sum_c Tr(n^c n^c)),
//   E = 1/2 <ik|V|jl> N_ij N_kl - 1/4 sum_c <ik|V|lj> n^c_ij n^c_kl - U/2 N (N - 1) + J/2 ((N^2 + M^2) / 2 - N)
//
// with Gaunt coefficients G of real harmonics and Slater integrals F^0 = U, and F^2, F^4, F^6 from J in the ratios of
// atoms: F^4/F^2 = 0.625 for d; 451/675 and F^6/F^2 = 1001/2025 for f.
#pragma once

#include <vector>

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/pseudo/hubbard_perturbation.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>

namespace wavegrid {

/// An immutable value.
class HubbardEnergy {
 public:
  explicit HubbardEnergy(const HubbardShell& shell);

  struct Result {
    double energy = 0;                              ///< Ha
    std::vector<Matrix<std::complex<double>>> d{};  ///< dE/dn^s_ij, of spinors dE/dN_ij and dE/dM_ij, Ha
  };
  /// Of the matrices of both spins, or of N_ij and the three parts of M_ij of spinors. Pure.
  [[nodiscard]] Result evaluate(const std::vector<Matrix<std::complex<double>>>& n) const;

 private:
  using Square = Matrix<std::complex<double>>;
  /// Of N and parts of M, at least one.
  [[nodiscard]] Result dudarev(const std::vector<Square>& n) const;
  [[nodiscard]] Result liechtenstein(const std::vector<Square>& n) const;
  [[nodiscard]] double interaction(Index i, Index k, Index j, Index l) const {
    return v_[static_cast<std::size_t>(((i * size_ + k) * size_ + j) * size_ + l)];
  }

  Index size_;
  double u_;
  std::optional<double> j_;
  std::vector<double> v_;  ///< <ik|V|jl>, Ha; empty without J
};

/// The energy of a shell to first order around matrices n0, and alpha Tr n (pseudo/hubbard_perturbation.hpp). An
/// immutable value.
class LinearHubbardEnergy {
 public:
  /// `occupations`: n0 for each spin, or of one of two equal spins, by rows; `shift`: alpha, Ha.
  LinearHubbardEnergy(const HubbardEnergy& energy, const HubbardPerturbation::Matrices& occupations, double shift);

  [[nodiscard]] HubbardEnergy::Result evaluate(const std::vector<Matrix<std::complex<double>>>& n) const;

 private:
  HubbardEnergy::Result at_zero_;  ///< the energy at n = 0 and the derivative
};

}  // namespace wavegrid
