// Anderson mixing of the potential at the end of a step: D. G. Anderson, J. ACM 12, 547 (1965), 10.1145/321296.321305,
// with orthonormal differences of residuals as in implicit_midpoint.hpp. Without it the iteration converges only for
// steps below about 2 over the frequency of a plasma of the electrons.
#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/fields/potential_sums.hpp>

namespace wavegrid {

/// One for each step.
template <FieldSpace Space>
class PotentialMixing {
 public:
  /// `density`: electrons/bohr^3, the weight of the points in inner products. Both must outlive it.
  PotentialMixing(const Space& space, const FieldValues& density) : space_(space), density_(density) {}

  /// The next potential to try, where `assumed` has led to a density with the potential `found`. Collective over the
  /// space.
  [[nodiscard]] Potential next(const Potential& assumed, Potential found) {
    Potential values = assumed, residual = std::move(found);
    add(-1, values, residual);
    if (last_) {
      Potential change = values, decrease = residual;
      add(-1, last_->first, change);
      add(-1, last_->second, decrease);
      remember(std::move(change), std::move(decrease));
    }
    last_.emplace(values, residual);
    for (const auto& [change, decrease] : directions_) {
      const double share = product(decrease, residual);
      add(-share, change, values);
      add(-share, decrease, residual);
    }
    add(1, residual, values);
    return values;
  }

  /// Forgets all earlier ones. Local.
  void restart() {
    directions_.clear();
    last_.reset();
  }

 private:
  void remember(Potential change, Potential decrease) {
    for (const auto& [earlier_change, earlier_decrease] : directions_) {
      const double share = product(earlier_decrease, decrease);
      add(-share, earlier_change, change);
      add(-share, earlier_decrease, decrease);
    }
    const double norm = std::sqrt(product(decrease, decrease));
    if (!(norm > 0)) return;
    directions_.emplace_back(scaled(1 / norm, change), scaled(1 / norm, decrease));
  }
  [[nodiscard]] static Potential scaled(double factor, const Potential& potential) {
    Potential result = zeros_like(potential);
    add(factor, potential, result);
    return result;
  }
  /// Of V alone: couplings follow it.
  [[nodiscard]] double product(const Potential& a, const Potential& b) const {
    return space_.integrate([&](std::size_t i) {
      double sum = 0;
      for (std::size_t s = 0; s < a.v.size(); ++s) sum += a.v[s][i] * b.v[s][i];
      return density_[i] * sum;
    });
  }

  const Space& space_;
  const FieldValues& density_;
  std::optional<std::pair<Potential, Potential>> last_;  ///< what was assumed, and the residual
  std::vector<std::pair<Potential, Potential>> directions_;
};

}  // namespace wavegrid
