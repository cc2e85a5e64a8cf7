// What an ultrasoft or PAW dataset has besides a local potential, projectors and a core density: partial waves, and the
// charge that augments products of pseudo-waves. One meaning for all file formats.
//
// D. Vanderbilt, Phys. Rev. B 41, 7892 (1990), 10.1103/PhysRevB.41.7892; K. Laasonen et al., Phys. Rev. B 47, 10142
// (1993), 10.1103/PhysRevB.47.10142; P. E. Bloechl, Phys. Rev. B 50, 17953 (1994), 10.1103/PhysRevB.50.17953; G.
// Kresse, D. Joubert, Phys. Rev. B 59, 1758 (1999), 10.1103/PhysRevB.59.1758.
//
// A projector i has a radial function and an l; with each m it is one function |p_im>. With the Hermitian matrix
// rho_ij = sum_n f_n <psi_n|p_i><p_j|psi_n> of an atom (i with m) and Gaunt coefficients G of real harmonics
//
//   n    = sum_n f_n |psi_n|^2 + n^,    n^ = sum_ij rho_ij sum_LM G(LM, l_i m_i, l_j m_j) Q_ij^L(r) Y_LM
//   S    = 1 + sum_ij |p_i> q_ij <p_j|, q_ij = delta(l_i m_i, l_j m_j) int r^2 Q_ij^0(r) dr
//   D_ij = D0_ij + int (V_loc + V_H[n] (+ V_xc)) Q_ij (+ dE_1/drho_ij in PAW)
//
// PAW alone, inside the sphere, with n1 = sum rho_ij phi_i phi_j and n~1 = sum rho_ij phi~_i phi~_j:
//
//   E_1  = E_H[n1] - E_H[n~1 + n^] + E_xc[n1 + n_c] - E_xc[n~1 (+ n^) + n~_c]
//   D0_ij = <phi_i| T + V_ion |phi_j> - <phi~_i| T + V_loc |phi~_j> - int V_loc Q_ij,   V_ion = -Z_nucleus/r + V_H[n_c]
// so that D0 and E_1 hold no valence density of the free atom. In files of UPF D0 is PP_DIJ; in XML it is computed
// here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/pseudo/shape_function.hpp>

namespace wavegrid {

/// A projector and the waves that it stands for. Functions end before the mesh does: projectors are 0 from there on,
/// and partial waves end beyond the integration radius, where the two are equal.
struct PartialWave {
  int l = 0;
  double j = 0.0;                        ///< l + 1/2 or l - 1/2 in fully relativistic datasets, otherwise 0
  std::string label{};                   ///< that of the file, such as "3S"; may be empty
  std::string shell{};                   ///< of the free atom, such as "3s", where the file names it
  double occupation = 0.0;               ///< electrons in the free atom of which the dataset was made
  std::optional<double> energy{};        ///< eigenvalue or reference energy, Ha, where the file has it
  std::vector<double> r_projector{};     ///< r p_i(r), bohr^(-1/2)
  std::vector<double> r_all_electron{};  ///< r phi_i(r), bohr^(-1/2); empty in ultrasoft datasets
  std::vector<double> r_pseudo{};        ///< r phi~_i(r), bohr^(-1/2); empty in ultrasoft datasets
  std::vector<double> r_small{};  ///< the small component of phi_i times r, bohr^(-1/2), in fully relativistic PAW;
                                  ///< its square is part of the all-electron density
};

/// Q_ij^L of two projectors i <= j, with L of the parity of l_i + l_j and |l_i - l_j| <= L <= l_i + l_j.
struct AugmentationFunction {
  std::size_t i = 0, j = 0;
  int l = 0;                      ///< L
  double moment = 0.0;            ///< int r^(L+2) Q_ij^L(r) dr, bohr^L; for L = 0 it is q_ij
  std::vector<double> r2_q = {};  ///< r^2 Q_ij^L(r), 1/bohr; 0 beyond its end
};

/// Whether the compensation charge n^ is part of the density of which V_xc and E_xc are taken. The local potential was
/// unscreened in the same way, so that this is no choice of the calculation.
enum class CompensationInXc { included, excluded };

/// The shape functions g_L of the compensation charge, where Q_ij^L(r) = q_ij^L g_L(r) for all pairs: int r^(L+2) g_L
/// dr = 1.
struct ShapeFunctions {
  std::optional<ShapeFormula> formula{};       ///< empty where they are numerical
  std::vector<std::vector<double>> r2_g = {};  ///< r^2 g_L(r), bohr^(-L-1), of L = 0, 1, ... 2 l_max

  [[nodiscard]] std::string type() const { return formula ? formula->type : "numeric"; }
  /// Whether they are not 0 beyond the sphere.
  [[nodiscard]] bool has_tail() const { return type() == "gauss" || type() == "exp"; }
};

/// The parts of PAW alone.
struct PawData {
  double nuclear_charge = 0.0;
  double sphere_radius = 0.0;               ///< beyond it phi_i = phi~_i, bohr
  double integration_radius = 0.0;          ///< where on-site integrals end, bohr: the same, or twice as much for
                                            ///< shapes with a tail (gauss, exp)
  std::vector<double> all_electron_core{};  ///< n_c(r), electrons/bohr^3
  std::vector<double> pseudo_core{};        ///< n~_c(r), electrons/bohr^3; empty: 0
  bool has_core_xc = false;  ///< whether energies have E_xc[n_c], as those of pw.x (UPF), or not, as ABINIT's (XML)
  std::vector<double> r_ion_potential{};        ///< r V_ion(r), Ha bohr: -Z_nucleus at r = 0
  std::vector<double> kinetic_differences{};    ///< <phi_i|T|phi_j> - <phi~_i|T|phi~_j>, Ha, row by row; empty in UPF
  std::optional<ShapeFunctions> shape{};        ///< where the format has one for all pairs
  std::optional<double> core_kinetic_energy{};  ///< of the core electrons, Ha
  std::optional<double> total_energy{};         ///< all-electron, of the free atom, Ha
  std::optional<double> core_energy{};          ///< as pw.x adds it (PP_PAW core_energy), Ha; UPF alone
};

/// Hartree atomic units; a value. Projectors are in the order of the channels of the Pseudopotential: by rising l, and
/// among those of one l as in the file, so that projector i of channel c is number (sum of num_projectors(<c)) + i.
struct AugmentedDataset {
  std::vector<double> r{};  ///< the mesh of all functions: rising, from 0 on or above it, bohr
  std::vector<PartialWave> waves{};
  std::vector<double> d0{};                          ///< D0_ij, row by row, symmetric, Ha
  std::vector<double> q{};                           ///< q_ij, row by row, symmetric
  std::vector<AugmentationFunction> augmentation{};  ///< by i, then j, then L; those that are 0 are left out
  CompensationInXc compensation_in_xc = CompensationInXc::included;
  /// n of the free atom, n^ included, electrons/bohr^3; empty where the file has none.
  std::vector<double> atomic_density{};
  std::optional<double> wave_cutoff{}, density_cutoff{};  ///< recommended by the file, Ha
  std::string generator{};                                ///< the program that made it, as the file says
  bool fully_relativistic = false;                        ///< waves have j
  std::optional<PawData> paw{};                           ///< empty: ultrasoft
  std::vector<std::string> remarks{};  ///< what the file contradicts itself in, within tolerance (dataset_checks.hpp)

  [[nodiscard]] std::size_t size() const { return waves.size(); }
  [[nodiscard]] double coupling(std::size_t i, std::size_t j) const { return d0[i * size() + j]; }
  [[nodiscard]] double overlap(std::size_t i, std::size_t j) const { return q[i * size() + j]; }
  [[nodiscard]] const char* kind() const { return paw ? "PAW" : "ultrasoft"; }
  [[nodiscard]] int largest_l() const;
  /// The mean over spins of the product of the projections of two waves of one l onto their j, that is
  /// (2j + 1) / (4l + 2) for equal j, otherwise 0; 1 without j.
  [[nodiscard]] double spin_share(std::size_t i, std::size_t j) const;
  /// Q_ij^L, in either order of i and j; nullptr where it is 0.
  [[nodiscard]] const AugmentationFunction* find(std::size_t i, std::size_t j, int l) const;
  /// One sentence's worth: "a PAW dataset with 2 s, 2 p projectors, ..." for messages.
  [[nodiscard]] std::string described() const;
};

}  // namespace wavegrid
