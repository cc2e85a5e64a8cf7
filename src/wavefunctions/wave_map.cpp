#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

namespace wavegrid {

namespace {

constexpr double same_k = 1e-8;  // reciprocal vectors

Int3 negative(const Int3& g) { return {-g[0], -g[1], -g[2]}; }

}  // namespace

std::optional<WaveMap> map_between(const Vec3& from, const Vec3& to, const SymmetryOperation& operation,
                                   bool time_reversed) {
  const Vec3 image = on_reciprocal(operation.rotation, from);
  WaveMap map{operation, {}, time_reversed};
  for (std::size_t i = 0; i < 3; ++i) {
    const double fold = to[i] - (time_reversed ? -image[i] : image[i]);
    map.fold[i] = static_cast<int>(std::lround(fold));
    if (std::abs(fold - map.fold[i]) > same_k) return std::nullopt;
  }
  return map;
}

std::optional<WaveMap> map_between(const Vec3& from, const Vec3& to, const SpaceGroup& group) {
  if (auto map = map_between(from, to, SymmetryOperation{}, false)) return map;
  for (const bool time_reversed : {false, true})
    for (const SymmetryOperation& operation : group.operations()) {
      if (group.is_magnetic() && operation.time_reversed != time_reversed) continue;
      if (auto map = map_between(from, to, operation, time_reversed)) return map;
    }
  return std::nullopt;
}

WaveOrigin find_origin(const WaveMap& map, Mode source, const Int3& g) {
  Int3 image{g[0] + map.fold[0], g[1] + map.fold[1], g[2] + map.fold[2]};
  if (map.time_reversed) image = negative(image);
  WaveOrigin origin{on_reciprocal(inverse(map.operation).rotation, image), {1.0, 0.0}, map.time_reversed};
  const Vec3& w = map.operation.translation;
  const double turns = origin.g[0] * w[0] + origin.g[1] * w[1] + origin.g[2] * w[2];
  // Folded before the exponential, so that the factor is exactly 1 for multiples of 2 pi and without translation.
  const double angle = 2.0 * units::pi * (turns - std::round(turns));
  if (angle != 0) origin.factor = std::polar(1.0, map.time_reversed ? -angle : angle);
  if (source == Mode::gamma && !in_half(origin.g)) {
    origin.g = negative(origin.g);
    origin.conjugated = !origin.conjugated;
  }
  return origin;
}

}  // namespace wavegrid
