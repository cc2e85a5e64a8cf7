#include <wavegrid/discretisation/band_origin.hpp>

namespace wavegrid {

std::optional<BandOrigin> find_origin(const Vec3& k, const std::vector<KPoint>& earlier, const SpaceGroup& group) {
  const auto count = static_cast<int>(earlier.size());
  for (int i = 0; i < count; ++i)
    if (auto map = map_between(earlier[static_cast<std::size_t>(i)].k, k, SymmetryOperation{}, false))
      return BandOrigin{i, *map};
  for (int i = 0; i < count; ++i)
    if (auto map = map_between(earlier[static_cast<std::size_t>(i)].k, k, group)) return BandOrigin{i, *map};
  return std::nullopt;
}

}  // namespace wavegrid
