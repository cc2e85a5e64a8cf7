// The Coulomb energy of the ions among themselves as a term: equations in ion_ion.hpp.
#pragma once

#include <utility>

#include <wavegrid/calculation/ion_ion.hpp>
#include <wavegrid/fields/energy_term.hpp>

namespace wavegrid {

template <FieldSpace Space>
class IonIonTerm final : public ConstantTerm<Space> {
 public:
  /// The parts of `ions` and the communicator must outlive the term. Collective.
  IonIonTerm(const Comm& comm, const Ions& ions)
      : ConstantTerm<Space>("ion_ion", ion_ion_energy(comm, ions)), comm_(comm), ions_(ions) {}

  void add_gradients(const DensityView<Space>& /*density*/, Gradients& sum) const override {
    IonDerivatives found = ion_ion_derivatives(comm_, ions_);
    if (sum.with_forces) sum.forces[this->name()] = std::move(found.forces);
    if (sum.with_strain) sum.strains[this->name()] = found.strain;
  }

 private:
  const Comm& comm_;
  Ions ions_;
};

}  // namespace wavegrid
