// The orbitals of DFT+U as functions of r for a mesh.
//
//   f(r) = m(r) int c(g) F(g) j_l(g r) g^2 dg / (2 pi^2)
//
// c falls smoothly from 1 to 0 between two wave numbers, m from 1 to 0 in the outer fifth of the radius. Orbitals are
// as smooth as bands, and need no more: the filter of the projectors (pseudo/radial_filter.hpp) leaves what lies
// between the wave numbers free, so that norms and overlaps of the functions, which O^(-1/2) has, are those of a part
// that no band has.
#pragma once

#include <vector>

#include <wavegrid/pseudo/radial_function.hpp>
#include <wavegrid/terms/orbital_combination.hpp>

namespace wavegrid {

/// A radial part, for all its m.
struct MeshFunction {
  int l;
  RadialFunction radial;
};
/// Those of an atom, 0 from the radius (bohr) on.
struct MeshFunctions {
  std::vector<MeshFunction> all{};
  double radius = 0;

  /// Their number, for all m.
  [[nodiscard]] Index count() const {
    Index sum = 0;
    for (const MeshFunction& one : all) sum += 2 * one.l + 1;
    return sum;
  }
};

/// Wave numbers, 1/bohr: up to the first a function is as given, from the second on it is 0.
struct WaveLimits {
  double inner, outer;
};

/// The given orbitals of an atom. The radius is 5/4 of that from which on r f stays below 1e-4 of its maximum, 16 bohr
/// at most; 0 without orbitals. Pure.
[[nodiscard]] MeshFunctions shell_functions(const Pseudopotential& atom, const std::vector<SpeciesOrbital>& orbitals,
                                            const WaveLimits& limits);

}  // namespace wavegrid
