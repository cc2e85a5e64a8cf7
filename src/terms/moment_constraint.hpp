// A penalty for the part of each atom's magnetic moment that is not along its initial direction.
//
//   E = lambda sum_a |m_a - e_a (e_a.m_a)|^2,   m_a = int w(|r - tau_a|) m(r)
//
// with e_a the direction of the initial moment and w that of a sphere of radius R with a smooth surface, a Gaussian of
// width R/6:
//
//   w(G) = V s(GR) exp(-(G R/6)^2 / 2),   s(x) = 3 (sin x - x cos x) / x^3,   V = 4 pi R^3 / 3
//
// The field B = 2 lambda sum_a w_a (m_a - e_a (e_a.m_a)) holds the moments; its torque on e_a,
// T_a = 2 lambda (e_a.m_a) e_a x m_a, is minus the derivative of the energy as e_a turns: free moments turn along it.
// P.-W. Ma, S. L. Dudarev, Phys. Rev. B 91, 054420 (2015), 10.1103/PhysRevB.91.054420.
#pragma once

#include <array>
#include <vector>

#include <wavegrid/crystal/moment_penalty.hpp>
#include <wavegrid/terms/fourier_box.hpp>

namespace wavegrid {

/// Moments of the atoms in spheres and what their penalty costs, in a periodic box. Members are collective over it.
class MomentConstraint {
 public:
  /// `crystal`: in the box; `moments`: initial ones, whose direction is kept; atoms without one are free.
  MomentConstraint(const FourierBox& box, const Crystal& crystal, const std::vector<Vec3>& moments,
                   const MomentPenalty& penalty);

  /// The coefficients of m_x, m_y, m_z.
  using Components = std::array<const GridFft::Coefficients*, 3>;

  /// m_a of each atom, mu_B.
  [[nodiscard]] std::vector<Vec3> moments(const FourierBox& box, const Components& m) const;
  /// m_a - e_a (e_a.m_a) of moments(); 0 of free atoms. Local.
  [[nodiscard]] std::vector<Vec3> across(std::vector<Vec3> moments) const;
  /// E of moments(), Ha. Local.
  [[nodiscard]] double energy(const std::vector<Vec3>& moments) const;
  /// T_a of moments(), Ha. Local.
  [[nodiscard]] std::vector<Vec3> torques(const std::vector<Vec3>& moments) const;
  /// One component of B, Ha. Local.
  [[nodiscard]] GridFft::Coefficients field(const FourierBox& box, const std::vector<Vec3>& moments,
                                            std::size_t axis) const;
  /// Forces, Ha/bohr, and dE/d eps_ab, Ha.
  [[nodiscard]] std::vector<Vec3> forces(const FourierBox& box, const Components& m) const;
  [[nodiscard]] Mat3 strain(const FourierBox& box, const Components& m) const;

 private:
  /// 2 lambda radial(G) (m_a - e_a (e_a.m_a)).m(G) of one atom.
  [[nodiscard]] GridFft::Coefficients weights(const std::vector<double>& radial, const Vec3& across,
                                              const Components& m) const;

  Crystal atoms_;                 ///< each its own species
  std::vector<Vec3> directions_;  ///< e_a, or 0
  MomentPenalty penalty_;
  std::vector<double> radial_, slopes_;  ///< w(G) and its derivative by |G| on this rank
};

}  // namespace wavegrid
