// Anderson mixing of the potential at the end of a step: D. G. Anderson, J. ACM 12, 547 (1965), 10.1145/321296.321305,
// with orthonormal differences of residuals as in implicit_midpoint.hpp. Without it the iteration converges only for
// steps below about 2 over the frequency of a plasma of the electrons.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Of functionals of the density n alone: only V changes. One for each step.
template <FieldSpace Space>
class PotentialMixing {
 public:
  /// `density`: electrons/bohr^3, the weight of the points in inner products. Both must outlive it.
  PotentialMixing(const Space& space, const FieldValues& density) : space_(space), density_(density) {}

  /// The next potential to try, where `assumed` has led to a density with the potential `found`. Collective over the
  /// space.
  [[nodiscard]] Potential next(const Potential& assumed, Potential found) {
    SpinFields values = assumed.v, residual = std::move(found.v);
    add(-1, values, residual);
    if (!last_values_.empty()) {
      SpinFields change = values, decrease = residual;
      add(-1, last_values_, change);
      add(-1, last_residual_, decrease);
      remember(std::move(change), std::move(decrease));
    }
    last_values_ = values;
    last_residual_ = residual;
    for (const auto& [change, decrease] : directions_) {
      const double share = product(decrease, residual);
      add(-share, change, values);
      add(-share, decrease, residual);
    }
    add(1, residual, values);
    found.v = std::move(values);
    return found;
  }

  /// Forgets all earlier ones. Local.
  void restart() {
    directions_.clear();
    last_values_.clear();
    last_residual_.clear();
  }

 private:
  void remember(SpinFields change, SpinFields decrease) {
    for (const auto& [earlier_change, earlier_decrease] : directions_) {
      const double share = product(earlier_decrease, decrease);
      add(-share, earlier_change, change);
      add(-share, earlier_decrease, decrease);
    }
    const double norm = std::sqrt(product(decrease, decrease));
    if (!(norm > 0)) return;
    for (SpinFields* fields : {&change, &decrease})
      for (FieldValues& one : *fields)
        for (double& value : one) value /= norm;
    directions_.emplace_back(std::move(change), std::move(decrease));
  }
  static void add(double factor, const SpinFields& x, SpinFields& y) {
    for (std::size_t s = 0; s < y.size(); ++s)
      for (std::size_t i = 0; i < y[s].size(); ++i) y[s][i] += factor * x[s][i];
  }
  [[nodiscard]] double product(const SpinFields& a, const SpinFields& b) const {
    return space_.integrate([&](std::size_t i) {
      double sum = 0;
      for (std::size_t s = 0; s < a.size(); ++s) sum += a[s][i] * b[s][i];
      return density_[i] * sum;
    });
  }

  const Space& space_;
  const FieldValues& density_;
  SpinFields last_values_, last_residual_;
  std::vector<std::pair<SpinFields, SpinFields>> directions_;
};

}  // namespace wavegrid
