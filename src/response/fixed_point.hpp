// The fixed point of a map of fields that is nearly linear, by Anderson's method: D. G. Anderson, J. ACM 12, 547
// (1965), 10.1145/321296.321305.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/fields/spin_fields.hpp>

namespace wavegrid {

/// Local but for the product.
class FixedPoint {
 public:
  /// The inner product of two fields, the same on all ranks. Collective where they are distributed.
  using Product = std::function<double(const SpinFields&, const SpinFields&)>;

  explicit FixedPoint(Product product) : product_(std::move(product)) {}

  /// The next argument, after `x` had the image x + `change`.
  [[nodiscard]] SpinFields next(const SpinFields& x, const SpinFields& change) {
    if (!last_change_.empty()) add_direction(x, change);
    last_ = x;
    last_change_ = change;
    SpinFields result = x;
    add(1.0, change, result);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const double share = product_(changes_[i], change);
      add(-share, steps_[i], result);
      add(-share, changes_[i], result);
    }
    return result;
  }

 private:
  static constexpr std::size_t most = 12;  ///< directions that are kept

  static void add(double factor, const SpinFields& from, SpinFields& to) {
    for (std::size_t s = 0; s < to.size(); ++s)
      for (std::size_t i = 0; i < to[s].size(); ++i) to[s][i] += factor * from[s][i];
  }
  static void scale(double factor, SpinFields& fields) {
    for (FieldValues& one : fields)
      for (double& value : one) value *= factor;
  }
  /// The last step, and how it changed the change: orthonormal to those of earlier ones.
  void add_direction(const SpinFields& x, const SpinFields& change) {
    if (changes_.size() == most) {
      changes_.erase(changes_.begin());
      steps_.erase(steps_.begin());
    }
    SpinFields step = x, difference = change;
    add(-1.0, last_, step);
    add(-1.0, last_change_, difference);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const double share = product_(changes_[i], difference);
      add(-share, changes_[i], difference);
      add(-share, steps_[i], step);
    }
    const double norm = std::sqrt(product_(difference, difference));
    if (!(norm > 0)) return;
    scale(1 / norm, difference);
    scale(1 / norm, step);
    changes_.push_back(std::move(difference));
    steps_.push_back(std::move(step));
  }

  Product product_;
  SpinFields last_, last_change_;
  std::vector<SpinFields> steps_, changes_;
};

}  // namespace wavegrid
