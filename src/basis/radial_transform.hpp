// The radial Fourier (spherical Bessel) transform of a piecewise smooth function, tabulated on demand.
//
//   F(g) = 4 pi int_0^r_max r^2 j_l(g r) f(r) dr
//
// RadialTable needs a function that a uniform mesh resolves; here f may have kinks and steps at given radii (the end of
// a projector, the nodes of an interpolation), and g is not bounded. F is an entire function of exponential type r_max,
// so that Chebyshev polynomials on short intervals of g converge faster than exponentially: the coefficients fall as
// the Bessel functions J_k(width r_max / 2).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace wavegrid {

/// F(g) for g >= 0 (1/bohr), accurate to 1e-10 of 4 pi int r^2 |f| dr if f is a polynomial of degree 9 or less between
/// neighbouring breaks. Pieces of the table are computed at their first use; threads may use one object at the same
/// time.
class RadialTransform {
 public:
  /// f(r), r in bohr, is zero outside the first and the last of the rising `breaks` and smooth between neighbouring
  /// ones. Throws internal_error for a negative l or breaks that do not rise.
  RadialTransform(int l, std::vector<double> breaks, std::function<double(double)> f);

  /// From a sum over a uniform mesh instead: F(g) = 4 pi h sum_i r_i^2 j_l(g r_i) f[i], r_i = (i + 1) h with the
  /// spacing h in bohr. Where f becomes negligible within the mesh, this is exact for smooth f, and kinks cause small
  /// errors.
  RadialTransform(int l, double spacing, std::span<const double> f);

  [[nodiscard]] double operator()(double g) const;
  [[nodiscard]] double derivative(double g) const;  ///< dF/dg
  /// F(g) by quadrature, without the table.
  [[nodiscard]] double integrate(double g) const;

  [[nodiscard]] int l() const { return l_; }
  [[nodiscard]] double r_max() const { return r_max_; }

 private:
  static constexpr std::size_t terms = 22;
  using Coefficients = std::array<double, terms>;

  struct Piece {
    std::once_flag computed;
    Coefficients value, slope;  // of T_k(x), x from -1 to 1 along the piece
  };
  struct Samples {
    std::vector<double> r, weight;  // weight: 4 pi r^2 f dr
  };
  void make_pieces();
  [[nodiscard]] Samples sample(double g) const;
  [[nodiscard]] double sum(const Samples& samples, double g) const;
  [[nodiscard]] const Piece& piece(std::size_t index) const;
  void compute(Piece& piece, std::size_t index) const;

  int l_;
  double r_max_;
  std::vector<double> breaks_;  // empty on a uniform mesh
  std::function<double(double)> f_;
  double spacing_ = 0.0;         // of a uniform mesh
  std::vector<double> weights_;  // on it: 4 pi h r^2 f
  double width_ = 0.0;           // of a piece, 1/bohr
  std::size_t count_ = 0;
  std::unique_ptr<Piece[]> pieces_;
};

}  // namespace wavegrid
