// From which k-point of an earlier set the bands of a new one come.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

namespace wavegrid {

/// The earlier k-point from which the bands of a k-point are obtained, and the map between both.
struct BandOrigin {
  int k = 0;
  WaveMap map{};
};
/// The origin of the bands of `k`: the k-point itself if it is in `earlier`, otherwise one that is equivalent under the
/// group or time reversal; none if there is neither. Pure.
[[nodiscard]] std::optional<BandOrigin> find_origin(const Vec3& k, const std::vector<KPoint>& earlier,
                                                    const SpaceGroup& group);

}  // namespace wavegrid
