// The orbitals of which the functions of DFT+U's shells are combinations, h = S phi W, for any discretisation: W = 1,
// or O^(-1/2) of the overlaps O = <phi|S|phi>, and its derivative (P.-O. Loewdin, J. Chem. Phys. 18, 365 (1950),
// 10.1063/1.1747632).
#pragma once

#include <vector>

#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// An orbital with all its m, of each species.
struct SpeciesOrbital {
  int number, l;
  double norm;    ///< by which it is divided
  bool is_shell;  ///< whether it is the shell of DFT+U
};
/// Those of which the functions are combinations, by species: all with orthonormal ones, else those of shells. Throws
/// bad_input where a species has none of those that are needed. Pure.
[[nodiscard]] std::vector<std::vector<SpeciesOrbital>> combined_orbitals(const Pseudopotentials& atoms);
/// Whether the functions are orthonormal ones. Pure.
[[nodiscard]] bool are_orthogonalised(const Pseudopotentials& atoms);

/// W, by the eigenvectors of O; all orbitals count in any fixed order.
template <class S>
struct OrbitalCombination {
  Index size = 0;                ///< number of the orbitals
  std::vector<Index> shells{};   ///< the numbers of those of shells
  Matrix<S> vectors{};           ///< of O; empty without orthogonalisation
  std::vector<double> values{};  ///< the eigenvalues of O

  [[nodiscard]] bool is_orthogonalised() const { return !values.empty(); }
};
/// Sets eigenvalues and vectors of O. Throws bad_input where the orbitals are linearly dependent. Pure.
template <class S>
void orthogonalise(Matrix<S> o, OrbitalCombination<S>& out);
/// Those columns of W that belong to shells, (orbitals, shells). Pure.
template <class S>
[[nodiscard]] Matrix<S> shell_columns(const OrbitalCombination<S>& of);
/// G of M = <S phi|X_h>, (orbitals, shells): sum_h <S phi dW_h|X_h> = sum dO_mn G_nm has the same real part for any
/// change of O. With O = U e U^+ it is the Hermitian part of U (K o (U^+ M U)) U^+, where K_kl = -1 / (sqrt(e_k e_l)
/// (sqrt(e_k) + sqrt(e_l))), the divided differences of e^(-1/2): I. Timrov, F. Aquilante, L. Binci, M. Cococcioni, N.
/// Marzari, Phys. Rev. B 102, 235159 (2020), 10.1103/PhysRevB.102.235159. Pure.
template <class S>
[[nodiscard]] Matrix<S> overlap_weights(const OrbitalCombination<S>& of, const Matrix<S>& m);

}  // namespace wavegrid
