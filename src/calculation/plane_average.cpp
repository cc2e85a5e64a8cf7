#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <wavegrid/calculation/plane_average.hpp>

namespace wavegrid {

PlaneAverage plane_average(const Comm& comm, const std::vector<Int3>& points, const FieldValues& field, int axis) {
  const auto along = static_cast<std::size_t>(axis);
  constexpr Index none = std::numeric_limits<int>::max();
  Index ends[3]{-none, -none, 1};  // -first, last, exponent of the largest value
  for (std::size_t i = 0; i < points.size(); ++i) {
    ends[0] = std::max<Index>(ends[0], -points[i][along]);
    ends[1] = std::max<Index>(ends[1], points[i][along]);
    if (field[i] != 0) ends[2] = std::max<Index>(ends[2], std::ilogb(field[i]) + 1);
  }
  comm.max(std::span<Index>(ends));
  if (ends[1] == -none) return {};

  const auto planes = static_cast<std::size_t>(ends[1] + ends[0] + 1);
  std::vector<Index> counts(planes, 0), sums(planes, 0);
  const auto plane = [&](std::size_t i) { return static_cast<std::size_t>(points[i][along] + ends[0]); };
  for (std::size_t i = 0; i < points.size(); ++i) ++counts[plane(i)];
  comm.sum(std::span<Index>(counts));
  const auto most = static_cast<std::uint64_t>(*std::max_element(counts.begin(), counts.end()));
  const int shift = 62 - static_cast<int>(ends[2]) - std::bit_width(most);  // sums stay below 2^62
  for (std::size_t i = 0; i < points.size(); ++i) sums[plane(i)] += std::llround(std::ldexp(field[i], shift));
  comm.sum(std::span<Index>(sums));

  PlaneAverage average{static_cast<int>(-ends[0]), std::vector<double>(planes, 0.0)};
  for (std::size_t p = 0; p < planes; ++p)
    if (counts[p] > 0)
      average.values[p] = std::ldexp(static_cast<double>(sums[p]), -shift) / static_cast<double>(counts[p]);
  return average;
}

}  // namespace wavegrid
