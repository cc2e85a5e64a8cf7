#include "atoms/solver/potential_mixer.hpp"

#include <algorithm>
#include <utility>

namespace wavegrid {

namespace {
constexpr double mixing_parameter = 0.4;
}

RadialValues PotentialMixer::next(const RadialValues& input, const RadialValues& output, const RadialValues& rho) {
  const RadialValues& r = grid_.r();
  RadialValues residual(input.size());
  for (std::size_t p = 0; p < input.size(); ++p) residual[p] = output[p] - input[p];
  if (last_residual_.empty()) last_input_ = input, last_residual_ = residual;
  double slope = 0.0, norm = 0.0;
  for (std::size_t p = 0; p < r.size(); ++p) {
    const double weight = r[p] * r[p] * rho[p], change = residual[p] - last_residual_[p];
    slope += weight * change * residual[p];
    norm += weight * change * change;
  }
  const double back = norm > 0.0 ? std::clamp(slope / norm, -3.0, 0.9) : 0.0;  // share of the step before
  RadialValues mixed(input.size());
  for (std::size_t p = 0; p < input.size(); ++p)
    mixed[p] = (1.0 - back) * (input[p] + mixing_parameter * residual[p]) +
               back * (last_input_[p] + mixing_parameter * last_residual_[p]);
  last_input_ = input;
  last_residual_ = std::move(residual);
  return mixed;
}

}  // namespace wavegrid
