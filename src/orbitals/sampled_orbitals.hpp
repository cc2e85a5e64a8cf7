// Band-limited functions of atoms at the points of boxes.
//
//   u(r) = Omega^-1/2 sum_G c(G) exp(iG.r),   c(G) = (-i)^l Omega^-1/2 w(q) F(q) Y_lm(q) exp(-iq.tau),   q = |k+G|
//
// The sum has the plane waves of the bands, so that matrices of these functions are those of the same sums of plane
// waves. The window w falls smoothly to 0 at the largest q: a step there would make functions decay as slowly as r^-2.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/boxes/box.hpp>
#include <wavegrid/fock/box_fft.hpp>
#include <wavegrid/hamiltonian/atomic_functions.hpp>

namespace wavegrid {

/// w(q) of functions of waves with q^2/2 <= ecut (Ha): 1 up to 0.9 of the largest q, then cos^2 to 0. Pure.
[[nodiscard]] double orbital_window(double q, double ecut);

/// The functions of one atom of a species at the origin on this rank's plane waves, m = -l..l of one radial function
/// after the other: c(G) without exp(-iq.tau). Local.
[[nodiscard]] std::vector<CentredFunction> windowed_functions(const PlaneWaves& waves, double ecut,
                                                              const std::vector<NumericalOrbital>& orbitals);

/// Samples u(r) at the points of boxes, on one rank for itself. S: real for Gamma, where u is real.
template <class S>
class SampledOrbitals {
 public:
  /// All plane waves of a k-point; `species`: the radial functions of each species. `deterministic`: the same bits
  /// in every run. Local.
  SampledOrbitals(const Lattice& lattice, const Int3& grid, double ecut, const Vec3& k,
                  const std::vector<std::vector<NumericalOrbital>>& species, bool deterministic);

  /// All functions of an atom of a species: values (functions, points of the box).
  void sample(int species, const Vec3& position, const Box& box, std::span<S> values);

 private:
  GSphere sphere_;
  PlaneWaves waves_;
  BoxFft fft_;
  BoxFft::Workspace work_;
  std::vector<std::vector<CentredFunction>> functions_;  ///< of each species
  std::vector<Index> places_;                            ///< of each plane wave in the grid
};

}  // namespace wavegrid
