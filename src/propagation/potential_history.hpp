// The potentials of the last steps of a propagation, from which the next one is extrapolated.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <utility>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/fields/potential_sums.hpp>

namespace wavegrid {

class PotentialHistory {
 public:
  /// Adds the potential at the next of equidistant times. Local.
  void add(Potential potential) {
    last_.push_front(std::move(potential));
    if (last_.size() > weights_.size()) last_.pop_back();
  }
  /// The sum with these weights of the next one and as many of the last ones. Local.
  [[nodiscard]] Potential combination(const Potential& next, const std::vector<double>& weights) const {
    if (weights.size() == 1) return next;
    Potential sum = zeros_like(last_.front());
    if (weights[0] != 0) wavegrid::add(weights[0], next, sum);
    for (std::size_t n = 1; n < weights.size(); ++n) wavegrid::add(weights[n], last_[n - 1], sum);
    return sum;
  }
  /// The earlier potentials themselves, the latest first. Local.
  [[nodiscard]] const std::deque<Potential>& all() const { return last_; }
  /// The last one. Local.
  [[nodiscard]] const Potential& present() const { return last_.front(); }
  /// The next one, by the polynomial through the last ones, at most four. Local.
  [[nodiscard]] Potential next() const {
    const auto& weights = weights_[last_.size() - 1];
    Potential result = zeros_like(last_.front());
    for (std::size_t n = 0; n < last_.size(); ++n) wavegrid::add(weights[n], last_[n], result);
    return result;
  }
  /// The same but a number of steps back; none is older than the last restart. Local.
  [[nodiscard]] const Potential& before(std::size_t steps) const { return last_[steps]; }
  [[nodiscard]] std::size_t size() const { return last_.size(); }
  /// Forgets all but the last: the times that follow are others. Local.
  void restart() { last_.resize(std::min<std::size_t>(last_.size(), 1)); }

 private:
  static constexpr std::array<std::array<double, 4>, 4> weights_{{{1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}};
  std::deque<Potential> last_;  ///< the latest first
};

/// The root of the mean of a potential squared over the electrons of a density, Ha: value(channel, point); of V, B_x,
/// B_y, B_z the sum of the squares. Collective over the space.
template <FieldSpace Space, class Value>
[[nodiscard]] double mean_potential(const Space& space, const SpinFields& density, const Value& value) {
  const auto square = [&](std::size_t s, std::size_t i) {
    const double v = value(s, i);
    return v * v;
  };
  const double electrons = space.integrate([&](std::size_t i) { return density[0][i]; });
  const double sum = space.integrate([&](std::size_t i) {
    if (density.size() == 1) return density[0][i] * square(0, i);
    if (density.size() == 4) return density[0][i] * (square(0, i) + square(1, i) + square(2, i) + square(3, i));
    return 0.5 * ((density[0][i] + density[1][i]) * square(0, i) + (density[0][i] - density[1][i]) * square(1, i));
  });
  return std::sqrt(std::max(0.0, sum) / electrons);
}

}  // namespace wavegrid
