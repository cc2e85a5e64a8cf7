// One term of the energy: what it needs of the density, its energy, the derivative by the density, forces and strain.
//
// A term is a class in a file of its own, with its equation in the header comment; calculation/energy_terms.cpp lists
// the terms of a calculation. docs/energy-terms.md shows how to add one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/named_values.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Forces on all atoms, Ha/bohr, Cartesian, and dE/d eps_ab, Ha, symmetric, by the names of their parts.
using NamedForces = NamedValues<std::vector<Vec3>>;
using NamedStrains = NamedValues<Mat3>;

/// Derivatives of the energy by the positions of the atoms and the strain of the cell.
struct Gradients {
  bool with_forces = false, with_strain = false;  ///< what is wanted
  NamedForces forces{};
  NamedStrains strains{};
};

/// A density, as fields and at this rank's points.
template <class Space>
struct DensityView {
  const Density<Space>& fields;
  const DensityValues& values;
};

/// The values of a density at this rank's points. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] DensityValues density_values(Space& space, const Density<Space>& density) {
  DensityValues values;
  for (const auto& component : density.n) values.n.push_back(space.to_values(component));
  for (const auto& component : density.tau) values.tau.push_back(space.to_values(component));
  values.matrices = density.matrices;
  return values;
}

/// The derivative dE/dn while terms add to it, in three parts: one transform for each channel brings it to the points.
template <class Space>
struct PotentialSum {
  Potential at_points{};                          ///< values at this rank's points
  typename Space::Field common{};                 ///< acts on all electrons, Ha
  std::vector<typename Space::Field> channels{};  ///< acts on one spin, Ha; empty: none

  void add_common(const typename Space::Field& potential) {
    if (common.empty()) common.resize(potential.size());
    for (std::size_t i = 0; i < potential.size(); ++i) common[i] += potential[i];
  }
  void add_common(typename Space::Field&& potential) {
    if (common.empty())
      common = std::move(potential);
    else
      add_common(std::as_const(potential));
  }
};

/// What a term needs of a density beyond n.
struct DensityNeeds {
  bool gradient = false, kinetic_energy = false, matrices = false;
};

/// Members are collective over the space.
template <FieldSpace Space>
class EnergyTerm {
 public:
  explicit EnergyTerm(std::string name) : name_(std::move(name)) {}
  virtual ~EnergyTerm() = default;
  EnergyTerm(const EnergyTerm&) = delete;
  EnergyTerm& operator=(const EnergyTerm&) = delete;

  /// As in results.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] virtual DensityNeeds needs() const { return {}; }
  /// Whether the energy is at most of second order in the field n and does not depend on its spin: it is then always
  /// computed exactly, from fields alone, and its potential is a common field. The loop takes other terms to first
  /// order where that is enough.
  [[nodiscard]] virtual bool is_quadratic() const { return true; }
  /// Optional, for terms that are not quadratic: whether first order is good enough near this density.
  [[nodiscard]] virtual bool allows_first_order(const DensityView<Space>& /*density*/) const { return true; }

  /// Ha.
  [[nodiscard]] virtual double energy(const DensityView<Space>& density) const = 0;
  /// Adds dE/dn to `sum`; returns the energy if the term is not quadratic, otherwise 0.
  virtual double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const = 0;
  /// The electrostatic interaction between two changes of rho_ij beyond that of n, Ha, or an inner product close to it.
  [[nodiscard]] virtual double interaction(const AtomMatrices& /*a*/, const AtomMatrices& /*b*/) const { return 0; }
  /// Adds what is wanted of forces and strain, under the term's name or under those of its parts.
  virtual void add_gradients(const DensityView<Space>& density, Gradients& sum) const = 0;
  /// The force on all atoms and electrons together, Ha/bohr: zero where the energy stays as they move together. The sum
  /// of the forces is that of all terms, and what is left of it an error.
  [[nodiscard]] virtual Vec3 net_force(const DensityView<Space>& /*density*/) const { return {0, 0, 0}; }

 private:
  std::string name_;
};

/// A term whose energy does not depend on the density.
template <FieldSpace Space>
class ConstantTerm : public EnergyTerm<Space> {
 public:
  ConstantTerm(std::string name, double energy) : EnergyTerm<Space>(std::move(name)), energy_(energy) {}

  [[nodiscard]] double energy(const DensityView<Space>& /*density*/) const override { return energy_; }
  double add_potential(const DensityView<Space>& /*density*/, PotentialSum<Space>& /*sum*/) const override { return 0; }

 private:
  double energy_;
};

/// The energy of the electrons in a potential that is fixed in space: E = int V n. A derived class whose potential
/// follows the atoms has no net force, and adds the forces that this causes.
template <FieldSpace Space>
class LinearTerm : public EnergyTerm<Space> {
 public:
  /// `potential`: Ha. The space must outlive the term.
  LinearTerm(std::string name, Space& space, typename Space::Field potential)
      : EnergyTerm<Space>(std::move(name)), space_(space), potential_(std::move(potential)) {}

  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    return space_.inner_product(potential_, density.fields.n[0]);
  }
  double add_potential(const DensityView<Space>& /*density*/, PotentialSum<Space>& sum) const override {
    sum.add_common(potential_);
    return 0;
  }
  void add_gradients(const DensityView<Space>& /*density*/, Gradients& /*sum*/) const override {}
  /// -int n grad V = int V grad n.
  [[nodiscard]] Vec3 net_force(const DensityView<Space>& density) const override {
    const FieldValues potential = space_.to_values(potential_);
    const std::vector<FieldValues> slopes = space_.gradient(density.fields.n[0]);
    Vec3 force{0, 0, 0};
    for (std::size_t axis = 0; axis < slopes.size(); ++axis)
      force[axis] = space_.integrate([&](std::size_t i) { return potential[i] * slopes[axis][i]; });
    return force;
  }

 protected:
  Space& space_;
  typename Space::Field potential_;
};

}  // namespace wavegrid
