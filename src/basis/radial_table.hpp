// The radial Fourier (spherical Bessel) transform of one function, tabulated for fast evaluation at many |G|.
//
//   F(g) = 4 pi int_0^infinity r^2 j_l(g r) f(r) dr
//
// so that int f(r) Y_lm(r) exp(-iG.r) d^3r = (-i)^l F(|G|) Y_lm(G); the factor (-i)^l Y_lm is left to the caller.
// Between the nodes F is the quintic polynomial that has the exact F, F' and F'' at both ends.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace wavegrid {

/// F(g) on 0 <= g <= g_max (1/bohr), accurate to 1e-8 of 4 pi int r^2 |f| dr. An immutable value, safe to share.
class RadialTable {
 public:
  /// From samples f[i] at r = i * spacing (bohr). f must be negligible at the last sample; for a smooth f(r) = r^l
  /// times an even function the quadrature is then exact if the spacing resolves f and j_l (spacing * g_max < 2).
  /// Throws internal_error if l is negative, the spacing is too coarse for g_max, or there are no samples.
  RadialTable(int l, double spacing, std::span<const double> f, double g_max);

  /// Samples a function that is negligible beyond r_max (bohr), finely enough for g_max and for details of `detail`
  /// bohr.
  [[nodiscard]] static RadialTable sample(int l, const std::function<double(double)>& f, double r_max, double g_max,
                                          double detail = 0.1);

  /// F(g), and dF/dg. Throws internal_error beyond the table, which ends one step above g_max.
  [[nodiscard]] double operator()(double g) const;
  [[nodiscard]] double derivative(double g) const;

  [[nodiscard]] int l() const { return l_; }
  [[nodiscard]] double g_max() const { return g_max_; }

 private:
  using Piece = std::array<double, 6>;  // coefficients of t^0..t^5, t = g / step - (index of the piece)

  struct Position {
    const Piece& piece;
    double t;
  };
  [[nodiscard]] Position find(double g) const;

  int l_;
  double g_max_;
  double step_ = 0.0;  // 1/bohr
  std::vector<Piece> pieces_;
};

}  // namespace wavegrid
