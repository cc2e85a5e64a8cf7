// A uniform external field along a lattice vector of a slab in vacuum, and the correction of the periodic cell's
// dipole.
//
//   E = -F P + [with dipole correction] 2 pi P^2 / Omega,   P = sum_a Z_a z_a - int z n
//   V = c z,   force on ion a = Z_a c,   c = F - [with dipole correction] 4 pi P / Omega
//
// z runs along the vector, from -L/2 to L/2 between jumps in the middle of the vacuum. Without the correction the field
// that makes the periodic potential of the dipole continuous adds to F; with it the field in the vacuum is F, as for an
// isolated slab. The energy contains that of the ions, so that forces are its derivatives. L. Bengtsson, Phys. Rev. B
// 59, 12301 (1999), 10.1103/PhysRevB.59.12301.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/terms/fourier_box.hpp>

namespace wavegrid {

/// Along one axis of a crystal.
struct SawtoothSetting {
  double field = 0;      ///< F, Ha/bohr
  std::size_t axis = 2;  ///< the lattice vector, orthogonal to the others
  double jump = 0;       ///< its place, in units of the lattice vector
  bool dipole_correction = false;
};

template <FourierSpace Space>
class SawtoothTerm final : public EnergyTerm<Space> {
 public:
  /// The space must outlive the term. The crystal is neutral. Collective.
  SawtoothTerm(Space& space, const SawtoothSetting& setting, const Crystal& crystal, const Pseudopotentials& atoms)
      : EnergyTerm<Space>("external"),
        space_(space),
        setting_(setting),
        vector_(crystal.lattice.vectors()[setting.axis]),
        volume_(crystal.lattice.volume()),
        charges_(ion_charges(crystal, atoms).charges) {
    const double count = space.fourier_box().fft.grid()[setting.axis];
    FieldValues z;
    for (const Int3& point : space.point_indices()) z.push_back(height(point[setting.axis] / count));
    z_ = space.to_field(z);
    for (std::size_t a = 0; a < charges_.size(); ++a)
      ion_dipole_ += charges_[a] * height(crystal.atoms[a].position[setting.axis]);
  }

  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    const double p = dipole(density);
    return -setting_.field * p + (setting_.dipole_correction ? 2.0 * units::pi * p * p / volume_ : 0.0);
  }
  double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const override {
    typename Space::Field potential(z_);
    const double c = slope(density);
    for (auto& value : potential) value *= c;
    sum.add_common(std::move(potential));
    return 0;
  }
  void add_gradients(const DensityView<Space>& density, Gradients& sum) const override {
    if (!sum.with_forces) return;
    const Vec3 per_charge = (slope(density) / norm(vector_)) * vector_;
    std::vector<Vec3>& forces = sum.forces[this->name()];
    forces.resize(charges_.size(), Vec3{0, 0, 0});
    for (std::size_t a = 0; a < charges_.size(); ++a) forces[a] = forces[a] + charges_[a] * per_charge;
  }

  /// P, electrons times bohr.
  [[nodiscard]] double dipole(const DensityView<Space>& density) const {
    return ion_dipole_ - space_.inner_product(z_, density.fields.n[0]);
  }

 private:
  /// z of a place in units of the lattice vector, bohr.
  [[nodiscard]] double height(double fraction) const {
    const double from_jump = fraction - setting_.jump;
    return norm(vector_) * (from_jump - std::floor(from_jump) - 0.5);
  }
  /// c, Ha/bohr.
  [[nodiscard]] double slope(const DensityView<Space>& density) const {
    return setting_.field - (setting_.dipole_correction ? 4.0 * units::pi * dipole(density) / volume_ : 0.0);
  }

  Space& space_;
  SawtoothSetting setting_;
  Vec3 vector_;
  double volume_;
  std::vector<double> charges_;
  typename Space::Field z_;
  double ion_dipole_ = 0;
};

}  // namespace wavegrid
