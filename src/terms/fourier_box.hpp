// The Fourier box of a field space: where energy terms form functions of the atoms from structure factors, and their
// derivatives.
//
// With plane waves it is the FFT grid of the cell, on a mesh the FFT box around it (realspace/mesh_box.hpp).
#pragma once

#include <span>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/shortest_wave.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>

namespace wavegrid {

/// Refers to parts of a space. Members are local.
struct FourierBox {
  GridFft& fft;
  const std::vector<char>& inside;              ///< 1 for the G that electrostatic potentials have, on this rank
  const std::vector<char>* resolved = nullptr;  ///< 1 for the G that functions of the space have; null: all
  bool periodic = true;                         ///< in all directions: the box is the cell
  bool shortest_waves = false;            ///< G of the Coulomb interaction are shortest vectors (shortest_wave.hpp)
  std::span<const double> coulomb{};      ///< the interaction at each G, bohr^2; empty: 4 pi / G^2 inside
  double smooth_width = 0;                ///< of the charges whose tail replaces -Z/r if not periodic, bohr
  const CoulombKernel* kernel = nullptr;  ///< that of `coulomb` with one or two periodic directions; null: another

  [[nodiscard]] const PlaneWaves& waves() const { return fft.waves(); }
  /// bohr^2; 0 at G = 0 of a periodic box.
  [[nodiscard]] double interaction(std::size_t i) const {
    if (!coulomb.empty()) return coulomb[i];
    const bool is_zero = static_cast<Index>(i) == waves().zero();
    return inside[i] && !is_zero ? 2.0 * units::pi / waves().kinetic()[i] : 0.0;
  }
  /// G as the interaction has it, 1/bohr, and its square.
  [[nodiscard]] Vec3 wave(std::size_t i) const {
    const Vec3 g = waves().k_plus_g(static_cast<Index>(i));
    return shortest_waves ? shortest_wave(waves().lattice(), fft.grid(), g) : g;
  }
  /// dv/d eps_ab = -slope p_a p_b of the interaction v, with p the part of G along the periodic directions.
  [[nodiscard]] Vec3 periodic_wave(std::size_t i) const {
    return kernel != nullptr ? kernel->along(waves().k_plus_g(static_cast<Index>(i))) : wave(i);
  }
  [[nodiscard]] double interaction_slope(std::size_t i) const {
    if (kernel == nullptr) return -2.0 * interaction(i) / square(i);
    return interaction(i) != 0 ? kernel->slope(waves().k_plus_g(static_cast<Index>(i))) : 0.0;
  }
  [[nodiscard]] double square(std::size_t i) const {
    return shortest_waves ? norm2(wave(i)) : 2.0 * waves().kinetic()[i];
  }
};

/// Of sums over G of products of real functions, of which half of the terms are enough: 2 for one of G and -G, 0 for
/// the other, 1 for G = 0 and where a coordinate is -N/2 of an even grid size N. Half of each stick along z has a
/// weight. Pure.
[[nodiscard]] inline int half_weight(const Int3& g, const Int3& grid) {
  for (std::size_t d = 0; d < 3; ++d)
    if (2 * g[d] == -grid[d]) return 1;
  for (const std::size_t d : {2u, 1u, 0u})
    if (g[d] != 0) return g[d] > 0 ? 2 : 0;
  return 1;
}

/// The coefficients without those of G that the functions of the space do not have.
[[nodiscard]] inline GridFft::Coefficients resolved(const FourierBox& box, GridFft::Coefficients coefficients) {
  if (box.resolved != nullptr)
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      if (!(*box.resolved)[i]) coefficients[i] = 0;
  return coefficients;
}

/// A field space with such a box. Transforms are collective over the space.
template <class Space>
concept FourierSpace = FieldSpace<Space> && requires(Space& space, const typename Space::Field& field,
                                                     GridFft::Coefficients&& coefficients, const Crystal& crystal) {
  { space.fourier_box() } -> std::same_as<FourierBox>;
  /// Fourier coefficients of a field, and the field with given ones.
  { space.to_box(field) } -> std::convertible_to<GridFft::Coefficients>;
  { space.from_box(std::move(coefficients)) } -> std::same_as<typename Space::Field>;
  /// The same atoms in the lattice of the box, at their places in it.
  { space.in_box(crystal) } -> std::convertible_to<Crystal>;
  /// The indices of this rank's points along the lattice vectors; in a periodic cell from 0 to below fft.grid(). Local.
  { space.point_indices() } -> std::same_as<std::vector<Int3>>;
};

}  // namespace wavegrid
