// A potential as the operators of the bands take it.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Real functions at the points on which this rank's operators work (FieldSpace::to_operators), one after the other.
/// One field: V, Ha. Two, for a meta-GGA: V + 1/4 Lap v_tau, Ha, and v_tau. Five, for one in time: these and the three
/// components of a in 1/2 (a.p + p.a). Four, for spinors with a magnetisation: V, B_x, B_y, B_z. The values are a
/// potential or a change of one.
template <class Real>
struct OperatorPotential {
  std::span<const Real> values = {};
  int fields = 1;
  /// D of the projectors, Ha; null: they stay as they are.
  const AtomMatrices* couplings = nullptr;

  [[nodiscard]] bool has_tau() const { return fields == 2 || has_current(); }
  [[nodiscard]] bool has_current() const { return fields == 5; }
  [[nodiscard]] bool has_vector() const { return fields == 4; }
  [[nodiscard]] std::span<const Real> local() const { return values.first(num_points()); }
  [[nodiscard]] std::span<const Real> tau() const {
    return has_tau() ? values.subspan(num_points(), num_points()) : std::span<const Real>();
  }
  /// Along a Cartesian axis.
  [[nodiscard]] std::span<const Real> current(std::size_t axis) const {
    return values.subspan((2 + axis) * num_points(), num_points());
  }
  [[nodiscard]] std::size_t num_points() const { return values.size() / static_cast<std::size_t>(fields); }
};

/// The couplings of one spin channel, as OperatorPotential has them. Local.
[[nodiscard]] inline const AtomMatrices* operator_couplings(const Potential& potential, std::size_t spin) {
  return potential.couplings.empty() ? nullptr : &potential.couplings[spin];
}

/// The values for the operators of one spin channel. Collective over the space.
template <class Real, FieldSpace Space>
[[nodiscard]] std::vector<Real> operator_potential(Space& space, const Potential& potential, std::size_t spin) {
  if (has_vector(potential.v)) {
    std::vector<Real> values;
    for (const FieldValues& field : potential.v) {
      const FieldValues v = space.to_operators(field);
      values.insert(values.end(), v.begin(), v.end());
    }
    return values;
  }
  if (potential.v_tau.empty()) {
    const FieldValues v = space.to_operators(potential.v[spin]);
    return {v.begin(), v.end()};
  }
  const FieldValues& v_tau = potential.v_tau[spin];
  FieldValues v = space.to_values(space.laplacian(space.to_field(v_tau)));
  std::transform(v.begin(), v.end(), potential.v[spin].begin(), v.begin(),
                 [](double laplacian, double local) { return local + 0.25 * laplacian; });
  std::vector<Real> values;
  for (const FieldValues& part : {space.to_operators(v), space.to_operators(v_tau)})
    values.insert(values.end(), part.begin(), part.end());
  if (!potential.v_current.empty())
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const FieldValues a = space.to_operators(potential.v_current[3 * spin + axis]);
      values.insert(values.end(), a.begin(), a.end());
    }
  return values;
}

}  // namespace wavegrid
