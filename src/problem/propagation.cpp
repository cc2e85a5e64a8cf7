#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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

/// Gauss-Legendre of five points in pieces in which envelope and wave change little.
Vec3 Laser::vector_potential_change(double from, double to) const {
  constexpr std::array<std::pair<double, double>, 3> points{{{0.0, 0.56888888888888889},
                                                             {0.53846931010568309, 0.47862867049936647},
                                                             {0.90617984593866399, 0.23692688505618909}}};
  const double rate = 8 * (frequency + 4 / duration);
  const int pieces = 1 + static_cast<int>(std::min(1e6, std::abs(to - from) * rate));
  const double half = 0.5 * (to - from) / pieces;
  Vec3 sum{0, 0, 0};
  for (int i = 0; i < pieces; ++i) {
    const double middle = from + (2 * i + 1) * half;
    for (const auto& [place, weight] : points) {
      sum = sum + weight * field(middle + place * half);
      if (place != 0) sum = sum + weight * field(middle - place * half);
    }
  }
  return -half * sum;
}

double Laser::most_vector_potential() const {
  const double area = 1.51 * duration;  // of both envelopes, at most
  return norm(peak) * (frequency > 0 ? std::min(area, 2 / frequency) : area);
}

bool Propagation::has_laser(Gauge gauge) const {
  return std::ranges::any_of(lasers, [&](const Laser& laser) { return laser.gauge == gauge; });
}

}  // namespace wavegrid
