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
/// One field: V, Ha. Two, for a meta-GGA: V + 1/4 Lap v_tau, Ha, and v_tau. Four, for spinors with a magnetisation: V,
/// B_x, B_y, B_z. The values are a potential or a change of one.
template <class Real>
struct OperatorPotential {
  std::span<const Real> values = {};
  int fields = 1;
  /// D of the projectors, Ha; null: they stay as they are.
  const AtomMatrices* couplings = nullptr;

  [[nodiscard]] bool has_tau() const { return fields == 2; }
  [[nodiscard]] bool has_vector() const { return fields == 4; }
  [[nodiscard]] std::span<const Real> local() const { return values.first(num_points()); }
  [[nodiscard]] std::span<const Real> tau() const { return values.subspan(num_points()); }
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
  return values;
}

}  // namespace wavegrid
