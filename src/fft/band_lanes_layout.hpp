// Where the arrays of a block of bands are in its workspace. Everything here is local to the file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_plan.hpp>

namespace wavegrid {
namespace {

/// Offsets in numbers, for elements of `bands` bands along x and of `lanes` lanes along y and z.
template <class Real, int bands, int lanes>
struct BlockLayout {
  static constexpr Index some = 256;  ///< coefficients of several sticks that are converted together
  static constexpr int element = 2 * bands, whole = 2 * lanes;

  Index num_x;      ///< x, rounded up to whole vectors
  Index line_row;   ///< from x to x + 1 of the lines along x; behind the lines of each x is an element that is zero
  Index plane_row;  ///< from y to y + 1 of the populated planes, likewise
  Index together;   ///< coefficients of sticks that are converted together, at most
  Index lines = 0, planes;
  Index up, down;  ///< coefficients, for Mode::gamma of pairs a + i b; and those at -G
  Index a, b;      ///< of the bands of pairs
  Index offsets;   ///< of elements, from here on: integers
  Index bytes;     ///< of all

  explicit BlockLayout(const BandLanesPlan<Real>& plan) {
    constexpr Index parts = lanes / bands, integer = sizeof(int), number = sizeof(Real);
    const Index nx = plan.to_grid[0].n, ny = plan.to_grid[1].n, nz = plan.to_grid[2].n;
    num_x = ceil_div(nx, parts) * parts;
    line_row = (plan.num_lines + 1) * element;
    plane_row = (plan.num_planes + 1) * whole;
    together = some > nx ? some : nx;
    Index end = num_x * line_row;
    const auto place = [&end](Index numbers) {
      const Index begin = ceil_div(end, aligned) * aligned;
      end = begin + numbers;
      return begin;
    };
    const Index converted = (together + 1) * element, of_pairs = plan.pairs ? converted : 0;
    planes = place(ny * plane_row);
    up = place(converted);
    down = place(of_pairs);
    a = place(of_pairs);
    b = place(of_pairs);
    offsets = place(0);
    const Index num_offsets = 2 * plan.num_planes * ny + 3 * nz + ny + nx;
    bytes = ceil_div(offsets * number + num_offsets * integer, cache_line) * cache_line;
  }

 private:
  static constexpr Index cache_line = 64, aligned = cache_line / static_cast<Index>(sizeof(Real));
};

}  // namespace
}  // namespace wavegrid
