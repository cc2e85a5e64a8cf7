// The kinetic energy of functions in spheres as products along lines of points.
//
//   (T u)(r) = sum_d sum_n t_d(r_d - n) u(r with point n along d),   t_d(m) = 1/F_d sum_q (q_d + k_d)^2/2 exp(iqm)
//
// In a cell with perpendicular vectors q^2/2 is a sum of one term of each vector, so that T connects only points of a
// line along one of them. What it makes of a function in a box is in three bars, each as long as the wide box along one
// vector; with the transform of the wide box it is all of that box, of which most is 0. Both are the same operator.
#pragma once

#include <array>
#include <vector>

#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/orbital_spheres.hpp>
#include <wavegrid/orbitals/sphere_rows.hpp>

namespace wavegrid {

/// Local. S: double for k = 0, or complex.
template <class S>
class LineKinetic {
 public:
  /// Whether all vectors of a lattice are perpendicular. Pure.
  [[nodiscard]] static bool is_possible(const Lattice& lattice);

  /// `lattice` of the cell, k in units of its reciprocal vectors. All others must outlive this object.
  LineKinetic(const Lattice& lattice, const Vec3& k, const OrbitalLayout& layout, const WideBoxes& wide,
              const SphereRows& rows);

  /// T, Ha, is their sum: one for each vector along which the wide box is longer than those of the layout, one if there
  /// is none. They refer to this object.
  [[nodiscard]] std::vector<OrbitalOperator<S>> parts();

 private:
  struct Bar {
    int longer = -1;                ///< the axis along which it is as long as the wide box
    std::vector<std::size_t> axes;  ///< of the terms that it has
  };
  /// Points of a bar along an axis before the box of its atom.
  [[nodiscard]] int offset(std::size_t axis, Index atom) const;
  [[nodiscard]] BoxPart box(const Bar& bar, Index atom);
  void apply(const Bar& bar, Index atom, std::span<const S> from, std::span<S> to);
  /// Adds the term of an axis of one function; `offset`: of the box in the bar.
  void add_term(std::size_t axis, const Box& box, const Int3& bar, const Int3& offset, const S* from, S* to);

  const OrbitalLayout& layout_;
  const WideBoxes& wide_;
  const SphereRows& rows_;
  std::array<std::vector<S>, 3> kernels_;  ///< t_d, Ha
  std::vector<Bar> bars_;
  std::vector<RowPart> longer_rows_;  ///< of the bar that was asked for last
  std::vector<S> factors_;            ///< of a product along a line
};

extern template class LineKinetic<double>;
extern template class LineKinetic<std::complex<double>>;

}  // namespace wavegrid
