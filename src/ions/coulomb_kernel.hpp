// The Coulomb interaction in Fourier space where only some directions are periodic.
//
// In the free directions 1/r is cut off at a distance R that no two charges exceed; in a box that is padded by R it
// then does not reach a periodic image, and the potential is that of isolated charges, chains or layers. With G_p the
// part of G along the periodic directions and G_f the rest, by the number of periodic directions:
//
//   3:  4 pi / G^2,  0 at G = 0
//   2:  4 pi / G^2 (1 + exp(-G_p R) (G_f / G_p sin(G_f R) - cos(G_f R)))
//       4 pi / G^2 (1 - cos(G_f R) - G_f R sin(G_f R)) at G_p = 0,  -2 pi R^2 at G = 0
//   1:  4 pi / G^2 (1 + G_f R J_1(G_f R) K_0(G_p R) - G_p R J_0(G_f R) K_1(G_p R))
//       4 pi ((1 - J_0(G_f R)) / G_f^2 - R ln R J_1(G_f R) / G_f) at G_p = 0,  pi R^2 (1 - 2 ln R) at G = 0
//   0:  4 pi / G^2 (1 - cos(G R)),  2 pi R^2 at G = 0
//
// C. A. Rozzi, D. Varsano, A. Marini, E. K. U. Gross, A. Rubio, Phys. Rev. B 73, 205119 (2006),
// 10.1103/PhysRevB.73.205119. The mean over a periodic plane is that of -2 pi |z|, and that along a periodic line that
// of -2 ln r (bohr): an infinite constant is left out, which a neutral cell does not notice.
#pragma once

#include <array>

#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// The kernel, bohr^2, of a lattice whose vectors are periodic as marked. Pure.
class CoulombKernel {
 public:
  /// `radius`: R, bohr; without meaning if all directions are periodic.
  CoulombKernel(const Lattice& lattice, const std::array<bool, 3>& periodic, double radius);

  /// At a reciprocal vector of the lattice, 1/bohr.
  [[nodiscard]] double operator()(const Vec3& g) const;
  /// The part of a vector along the periodic directions.
  [[nodiscard]] Vec3 along(const Vec3& vector) const;
  /// dv/dp / p, bohr^4, p = |along(g)|, at a constant rest of g and a constant R; 0 at p = 0. Where the periodic
  /// directions are strained, dv/d eps_ab = -slope p_a p_b.
  [[nodiscard]] double slope(const Vec3& g) const;
  [[nodiscard]] double radius() const { return radius_; }

 private:
  int dimensions_;  ///< periodic
  double radius_;
  Vec3 axis_{0, 0, 0};  ///< of length 1: the normal of two periodic directions, or the only one
};

}  // namespace wavegrid
