#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/problem/propagation.hpp>

namespace wavegrid {

Vec3 Laser::field(double time) const {
  const double t = time - centre;
  double shape = 0;
  if (envelope == Envelope::gaussian) {
    shape = std::exp(-2 * std::log(2.0) * t * t / (duration * duration));
  } else {
    const double whole = duration * units::pi / (2 * std::acos(std::pow(0.5, 0.25)));
    const double wave = std::abs(t) < 0.5 * whole ? std::cos(units::pi * t / whole) : 0.0;
    shape = wave * wave;
  }
  return shape * std::cos(frequency * t + phase) * peak;
}

}  // namespace wavegrid
