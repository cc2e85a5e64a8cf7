// The energy in the sphere of an atom that a PAW dataset adds to that of the pseudo-density.
//
//   E = E_H[n1] + E_xc[n1 + n_c] - E_H[n~1 + n^] - E_xc[n~1 + n^ + n~_c],   E_xc of n~1 + n~_c where n^ is not part of
//   it n1 = sum_ij rho_ij phi_i phi_j,   n~1 = sum_ij rho_ij phi~_i phi~_j,   n^ = sum_ij rho_ij Q_ij
//
// a function of rho_ij alone. What is linear in rho_ij, the kinetic energy and that in the potential of the ion, is
// part of the bare couplings D0_ij. Hartree energies are quadratic in moments of rho_ij, E_H[a] - E_H[b] =
// (a - b|a + b) / 2, of the densities in the sphere: where the moment of Q_ij is not quite that of the waves, those
// beyond it, which grow, would add 1e-5 Ha in O2 (O.pbe-kjpaw.UPF); xc is integrated at points, to
// 1e-7 Ha (tests/unit/test_onsite_energy.cpp; gold 2e-6). E_xc[n_c] of all space is subtracted where
// PawData::has_core_xc is false.
//
// P. E. Blöchl, Phys. Rev. B 50, 17953 (1994), 10.1103/PhysRevB.50.17953; G. Kresse, D. Joubert, Phys. Rev. B 59, 1758
// (1999), 10.1103/PhysRevB.59.1758, equations 43-53.
//
// phi_i phi_j of fully relativistic datasets is f_i f_j + g_i g_j of the large and small components f and g. The moment
// of g (sigma.r^) chi is that of g chi reflected, and xc acts on beta Sigma (A. H. MacDonald, S. H. Vosko, J. Phys. C
// 12, 2977 (1979), 10.1088/0022-3719/12/15/007), so that with m_ff + m_gg of rho_ij
//
//   m1 = m_ff + m_gg - 2 r^ (r^.m_gg)        (A. Dal Corso, Phys. Rev. B 82, 075116 (2010), 10.1103/PhysRevB.82.075116)
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/paw/sphere_xc.hpp>
#include <wavegrid/pseudo/pair_moments.hpp>

namespace wavegrid {

/// rho_ij of an atom for each component (the total, and with spin the magnetisation, one matrix or three), or their
/// derivatives for each spin channel, or of a vector for n and m.
using ComponentMatrices = std::vector<Matrix<std::complex<double>>>;

struct OnsiteResult {
  double energy = 0;      ///< Ha
  ComponentMatrices d{};  ///< dE/drho_ij of each spin channel, or of n and m, Ha: real and symmetric
};

/// How fine the points of xc are.
struct OnsiteAccuracy {
  int radii = 96;
  int degree = 12;  ///< of the directions, besides the largest L
};

/// Of a species. An immutable value.
class OnsiteEnergy {
 public:
  /// The dataset is one of PAW; both arguments are used during construction alone, but for `xc`.
  /// `spin_axis`: of sphere_xc().
  OnsiteEnergy(const AugmentedDataset& dataset, std::shared_ptr<const Xc> xc, OnsiteAccuracy accuracy = {},
               const Vec3& spin_axis = {0, 0, 0});

  /// `rho` has as many components as the functional has spins, or four where that has two. Local.
  [[nodiscard]] double energy(const ComponentMatrices& rho) const;
  [[nodiscard]] OnsiteResult evaluate(const ComponentMatrices& rho) const;
  /// int int Delta_a Delta_b / |r - r'| of Delta = n1 - n~1 - n^, Ha: an inner product. The second derivative of the
  /// Hartree part itself is negative for some matrices of some datasets. Local.
  [[nodiscard]] double coulomb_product(const Matrix<std::complex<double>>& a,
                                       const Matrix<std::complex<double>>& b) const;

 private:
  /// A part of r^_a (r^.f): its harmonic `to` has `factor` times the harmonic `from` of f_c.
  struct RadialShare {
    std::size_t a, c, to, from;
    double factor;
  };
  /// Radial functions F_p and F_p' of each pair at the radii, and the core density with its slope.
  struct Side {
    std::vector<std::vector<double>> values, slopes;
    std::vector<double> core, core_slopes;
  };
  using Moments = std::vector<double>;

  void set_interactions(const AugmentedDataset& dataset, const std::vector<RadialPair>& pairs);
  [[nodiscard]] AngularParts density(const Side& side, const Moments& moments, bool with_core) const;
  void add_derivatives(const Side& side, const AngularParts& by_density, double factor, Moments& by_moments) const;
  /// The potentials of moments by one of the interactions.
  [[nodiscard]] Moments potential(const std::vector<Matrix<double>>& interaction, const Moments& moments) const;
  [[nodiscard]] double evaluate(const ComponentMatrices& rho, std::vector<Moments>* derivatives) const;
  void set_radial_shares();
  /// -2 r^ (r^.m_gg) of a vector magnetisation.
  void add_small_components(const std::vector<Moments>& moments, std::vector<AngularParts>& components) const;
  void add_small_derivatives(const std::vector<AngularParts>& by_density, std::vector<Moments>& by_moments) const;

  std::shared_ptr<const Xc> xc_;
  PairMoments pairs_;
  SphereGrid grid_;
  Vec3 spin_axis_;
  Side all_electron_, pseudo_, small_;  ///< the last one: g_i g_j, where magnetisations have it
  std::vector<RadialShare> radial_shares_;
  std::vector<std::vector<std::size_t>> of_l_;  ///< the pairs of each L
  std::vector<Matrix<double>> hartree_;         ///< between those, Ha: that of n1 less that of n~1 + n^
  std::vector<Matrix<double>> between_deltas_;  ///< of Delta
  double zero_ = 0;                             ///< of the energy, Ha
};

}  // namespace wavegrid
