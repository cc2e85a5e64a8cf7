// Densities and potentials of electrons with spin: one, two or four fields.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace wavegrid {

/// Values of a real function at this rank's points.
using FieldValues = std::vector<double>;

/// Real functions at this rank's points, [component][point]; one component without spin, two with.
///
/// Of a density (electrons/bohr^3) component 0 is the total n = n_up + n_down and component 1 the magnetisation
/// m = n_up - n_down. Of a potential (Ha) component 0 acts on spin up, or on all electrons where it is the only one,
/// and component 1 on spin down.
///
/// Spinors with a magnetisation have four: n, m_x, m_y, m_z of a density, and V, B_x, B_y, B_z of a potential, where
/// V + B.sigma acts on the two components of a band.
using SpinFields = std::vector<FieldValues>;

/// Whether fields are those of spinors with a magnetisation.
template <class Fields>
[[nodiscard]] bool has_vector(const Fields& fields) {
  return fields.size() == 4;
}

/// |m| at a point, of a density with a vector magnetisation.
[[nodiscard]] inline double moment_length(const SpinFields& n, std::size_t i) {
  return std::sqrt(n[1][i] * n[1][i] + n[2][i] * n[2][i] + n[3][i] * n[3][i]);
}

/// What acts on a density at a point: sum_s V_s n_s of the channels, or V n + B.m.
template <class PotentialAt, class DensityAt>
[[nodiscard]] double potential_energy_at(std::size_t components, PotentialAt v, DensityAt n) {
  if (components == 1) return v(0) * n(0);
  if (components == 2) return 0.5 * ((v(0) + v(1)) * n(0) + (v(0) - v(1)) * n(1));
  return v(0) * n(0) + v(1) * n(1) + v(2) * n(2) + v(3) * n(3);
}

/// The same components in the representation of a space (field_space.hpp).
template <class Space>
using SpinComponents = std::vector<typename Space::Field>;

}  // namespace wavegrid
