// The kinetic-energy cutoff that a pseudopotential needs: from the hint of its file, or from the pseudo-orbitals.
//
// Without the plane waves beyond q_c = sqrt(2 E) an orbital psi of the free pseudo-atom lacks its tail Q psi. By
// Loewdin's partitioning, P. O. Loewdin, J. Chem. Phys. 19, 1396 (1951), 10.1063/1.1748067, its energy is then too high
// by <Q psi| H - eps |Q psi>; the potential is small there compared with the kinetic energy, so that
//
//   error(E) = sum_i f_i int_{q_c}^infinity (q^2/2 - eps_i) |psi_i(q)|^2 q^2 dq.
//
// The kinetic-energy criterion: A. M. Rappe, K. M. Rabe, E. Kaxiras, J. D. Joannopoulos, Phys. Rev. B 41, 1227 (1990),
// 10.1103/PhysRevB.41.1227. Comparison with calculations: decision 0011.
//
// A cutoff E of the density leaves out parts of the density n and of the core density n_c, with the Hartree energy
//
//   lost(E) = 1/pi int_{g_c}^infinity (n(g)^2 + n_c(g)^2) dg,   n(g) = 4 pi int r^2 j_0(g r) n(r) dr.
//
// Of ultrasoft and PAW datasets that of n is augmentation charge: pseudo-orbitals end at much smaller g.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>

namespace wavegrid {

/// The error of the energy of an atom by cutoff. An immutable value.
class CutoffError {
 public:
  /// By the cutoff of the wave functions.
  explicit CutoffError(const PseudoAtom& atom);
  /// By that of the density: lost(E), with the core density of a potential.
  [[nodiscard]] static CutoffError density(const PseudoAtom& atom, const Pseudopotential& potential);

  /// error(E) in Ha for a cutoff E > 0 in Ha: falls with E, and is 0 beyond largest_cutoff().
  [[nodiscard]] double operator()(double cutoff) const;
  /// The cutoff (Ha) whose error is `error` (Ha, > 0), at most largest_cutoff().
  [[nodiscard]] double cutoff_for(double error) const;
  /// Where the tabulated tails end, Ha.
  [[nodiscard]] static double largest_cutoff();

 private:
  explicit CutoffError(std::vector<double> integrand);

  std::vector<double> tail_;  // error at q = i * step
};

/// The cutoff (Ha) that the text of a pseudopotential file recommends: the attribute wfc_cutoff or the line "Suggested
/// minimum cutoff for wavefunctions" of UPF, the "normal" hint of PseudoDojo's report in psp8. Nothing without a hint.
[[nodiscard]] std::optional<double> cutoff_hint(std::string_view text);

/// The cutoff of the density (Ha) that an ultrasoft or PAW dataset needs whose file recommends none; decision 0011.
[[nodiscard]] double estimated_density_cutoff(const PseudoAtom& atom, const Pseudopotential& potential);

/// The error (Ha per atom) that a recommended cutoff leaves; decision 0011.
inline constexpr double recommended_error = 1e-3;
/// That of the cutoff from which the spacing of a mesh is recommended; decision 0018.
inline constexpr double mesh_error = 1e-4;

}  // namespace wavegrid
