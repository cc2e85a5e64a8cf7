// The spherical pseudo-atom: initial density and initial orbitals of a calculation.
//
//   (-1/2 d^2/dr^2 + l(l+1)/2r^2 + V_ion + V_H[rho] + v_xc[rho] + V_c) r R = eps r R,    rho = sum_i f_i R_i^2 / 4 pi
//
// with S and an augmentation of rho where the dataset is ultrasoft or PAW (atom_augmentation.hpp, atom_onsite.hpp),
// without spin, in a local density approximation. V_c = 0.1 Ha (r / r_c)^8 keeps unbound orbitals near the atom.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include <wavegrid/atom/screening.hpp>
#include <wavegrid/basis/radial_transform.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/paw/onsite_energy.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

/// A solved atom on the uniform grid r[i] = i * spacing (bohr), made for RadialTable(l, spacing, ..., g_max).
struct PseudoAtom {
  struct Orbital {
    int l = 0;
    double energy = 0.0;         ///< Ha
    double occupation = 0.0;     ///< electrons in all 2l+1 orbitals of the level
    std::vector<double> radial;  ///< R(r), bohr^-3/2; int R^2 r^2 dr = 1, or <R|S|R> = 1

    /// F(g) = 4 pi int r^2 j_l(g r) R(r) dr, bohr^3/2; computed at its first use and kept: all k-points need it.
    std::shared_ptr<const RadialTransform> transform;
  };

  /// The largest wave vector that the grid of radii resolves, 1/bohr. Beyond it all functions here count as 0: they are
  /// sums of Gaussians that have decreased to 1e-7 of their norm.
  [[nodiscard]] double largest_g() const { return 1.9 / spacing; }

  double spacing = 0.0;             ///< bohr
  std::vector<double> r;            ///< bohr
  std::vector<double> density{};    ///< electrons/bohr^3; 4 pi int rho r^2 dr is the valence charge
  std::vector<Orbital> orbitals{};  ///< by l, then by energy
  /// rho_ij over all projectors, averaged over directions; empty without a PAW dataset.
  Matrix<std::complex<double>> matrix{};
  double energy = 0.0;  ///< total energy, Ha (the confinement included)
  int iterations = 0;
  bool converged = false;  ///< false: usable as a start; the potential still changes by more than the tolerance
};

struct PseudoAtomOptions {
  double confinement_radius = 8.0;  ///< r_c, bohr; infinity for a free atom
  double tolerance = 1e-8;          ///< Ha per electron, on the change of the potential
  int max_iterations = 200;
  /// Of a PAW dataset, with the same functional; null: on-site energies are left out.
  std::shared_ptr<const OnsiteEnergy> onsite{};
};

/// Solves the atom; pure, a few milliseconds. The orbitals are the levels of atomic_shells(pseudopotential). Throws
/// bad_input where the valence occupations do not add up to the valence charge, where the potential has huge numbers
/// and where it has a ghost state.
[[nodiscard]] PseudoAtom solve_pseudo_atom(const Pseudopotential& pseudopotential, const LocalXc& xc,
                                           const PseudoAtomOptions& options = {});

}  // namespace wavegrid
