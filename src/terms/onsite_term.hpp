// What PAW datasets add in the spheres of the atoms: E = sum_a E_a[rho_a,ij], paw/onsite_energy.hpp.
//
// It moves with the atoms at fixed rho_ij: neither forces nor strain of its own.
#pragma once

#include <utility>

#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/terms/onsite_sum.hpp>

namespace wavegrid {

template <FieldSpace Space>
class OnsiteTerm final : public EnergyTerm<Space> {
 public:
  explicit OnsiteTerm(OnsiteSum atoms) : EnergyTerm<Space>("onsite"), atoms_(std::move(atoms)) {}

  [[nodiscard]] DensityNeeds needs() const override { return {.matrices = true}; }
  [[nodiscard]] bool is_quadratic() const override { return false; }
  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    return atoms_.energy(density.fields.matrices);
  }
  double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const override {
    return atoms_.evaluate(density.fields.matrices, sum.at_points.matrices);
  }
  [[nodiscard]] double interaction(const AtomMatrices& a, const AtomMatrices& b) const override {
    return atoms_.interaction(a, b);
  }
  void add_gradients(const DensityView<Space>& /*density*/, Gradients& /*sum*/) const override {}

 private:
  OnsiteSum atoms_;
};

}  // namespace wavegrid
