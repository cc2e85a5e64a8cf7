// The potential of bands, at the points of this rank's operators.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include <wavegrid/scf/operator_potential.hpp>
#include <wavegrid/scf/scf_system.hpp>

namespace wavegrid {

/// Members are collective over all ranks unless they say "local".
template <class S, FieldSpace Space>
class BandPotential {
 public:
  using Real = RealOf<S>;

  /// The system must outlive this object, and this object the use of its operators.
  explicit BandPotential(ScfSystem<S, Space>& system)
      : system_(system), values_(static_cast<std::size_t>(system.electrons.spins)) {}
  BandPotential(const BandPotential&) = delete;
  BandPotential& operator=(const BandPotential&) = delete;

  /// Sets a potential in the operators.
  void set(const Potential& potential) {
    num_fields_ = potential.num_fields();
    for (std::size_t spin = 0; spin < values_.size(); ++spin)
      values_[spin] = operator_potential<Real>(system_.space, potential, spin);
    for (KohnShamBands<S>* bands : system_.bands) {
      const auto spin = static_cast<std::size_t>(bands->spin);
      bands->op.set_potential({values_[spin], num_fields_, operator_couplings(potential, spin)});
    }
  }
  /// The same; returns the change at the points of this rank's operators, for each spin.
  [[nodiscard]] std::vector<std::vector<Real>> change_to(const Potential& potential) {
    std::vector<std::vector<Real>> change(values_);
    set(potential);
    for (std::size_t spin = 0; spin < change.size(); ++spin)
      std::transform(values_[spin].begin(), values_[spin].end(), change[spin].begin(), change[spin].begin(),
                     std::minus<>());
    return change;
  }

  /// Points of this rank on which its operators work. Local.
  [[nodiscard]] Index operator_points() const { return static_cast<Index>(values_.front().size()) / num_fields_; }

 private:
  ScfSystem<S, Space>& system_;
  std::vector<std::vector<Real>> values_;  ///< for each spin, as OperatorPotential has it
  int num_fields_ = 1;
};

}  // namespace wavegrid
