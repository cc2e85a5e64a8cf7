// Shape functions of the compensation charge in PAW XML files.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace wavegrid {

/// g_L(r) of the types with a formula, normalised: int_0^inf r^(L+2) g_L dr = 1.
///   gauss    r^L exp(-(r/r_c)^2)
///   sinc     r^L (sin(pi r/r_c) / (pi r/r_c))^2   up to r_c
///   exp      r^L exp(-(r/r_c)^lambda)
///   bessel   a_1 j_L(q_1 r) + a_2 j_L(q_2 r)      up to r_c: q_i r_c are the first zeros of j_L, and the slope at r_c
///   is 0
/// https://gpaw.readthedocs.io/setups/pawxml.html; bessel: Kresse, Joubert, 10.1103/PhysRevB.59.1758, as in ABINIT.
struct ShapeFormula {
  std::string type;
  double radius = 0.0;  ///< r_c, bohr
  double lambda = 0.0;  ///< of exp

  /// Whether a type has a formula.
  [[nodiscard]] static bool is_known(const std::string& type);
  /// g_L(r), bohr^(-L-3), and the radius beyond which it is 0 or negligible.
  [[nodiscard]] std::function<double(double)> function(int l) const;
  [[nodiscard]] double end() const;
  /// r^2 g_L at the points of a mesh, bohr^(-L-1), up to the last one where it is not 0.
  [[nodiscard]] std::vector<double> r2_g(const std::vector<double>& r, int l) const;
};

}  // namespace wavegrid
