// The potential of a loop's density, on all ranks' points and on those of the operators.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "scf/operator_potential.hpp"
#include "scf/scf_system.hpp"

namespace wavegrid {

/// Members are collective over all ranks unless they say "local".
template <class S, FieldSpace Space>
class LoopPotential {
 public:
  using Real = RealOf<S>;

  /// The system must outlive this object, and this object the use of its operators.
  explicit LoopPotential(ScfSystem<S, Space>& system)
      : system_(system), operator_values_(static_cast<std::size_t>(system.electrons.spins)) {}
  LoopPotential(const LoopPotential&) = delete;
  LoopPotential& operator=(const LoopPotential&) = delete;

  /// The potential as it was set; for a loop that continues from it, it can be moved. Local.
  [[nodiscard]] const LinearPotential& linear() const { return linear_; }
  [[nodiscard]] LinearPotential release() { return std::move(linear_); }

  /// Sets the potential of a density, or a known one, in the operators.
  void set(const Density<Space>& density) {
    const DensityValues values = values_of(system_.space, density);
    set(system_.terms.linear_potential({density, values}));
  }
  void set(LinearPotential potential) {
    linear_ = std::move(potential);
    for (std::size_t spin = 0; spin < operator_values_.size(); ++spin)
      operator_values_[spin] = operator_potential<Real>(system_.space, linear_.potential, spin);
    for (KohnShamBands<S>* bands : system_.bands)
      bands->op.set_potential({operator_values_[static_cast<std::size_t>(bands->spin)], fields_per_operator()});
  }
  /// The same; returns the change at the points of this rank's operators, for each spin.
  [[nodiscard]] std::vector<std::vector<Real>> change_to(const Density<Space>& density) {
    std::vector<std::vector<Real>> change(operator_values_);
    set(density);
    for (std::size_t spin = 0; spin < change.size(); ++spin)
      std::transform(operator_values_[spin].begin(), operator_values_[spin].end(), change[spin].begin(),
                     change[spin].begin(), std::minus<>());
    return change;
  }

  /// Points of this rank on which its operators work. Local.
  [[nodiscard]] Index operator_points() const {
    return static_cast<Index>(operator_values_.front().size()) / fields_per_operator();
  }

 private:
  [[nodiscard]] int fields_per_operator() const { return system_.terms.needs_tau() ? 2 : 1; }

  ScfSystem<S, Space>& system_;
  LinearPotential linear_;
  std::vector<std::vector<Real>> operator_values_;  ///< for each spin, as OperatorPotential has it
};

}  // namespace wavegrid
