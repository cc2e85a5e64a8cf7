#include <algorithm>
#include <cmath>

#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/layout/transform_load.hpp>

namespace wavegrid {

namespace {

/// Operations of a 1-D FFT, 5 n log2 n, rounded to an integer.
Index line_flops(int n) { return std::llround(5 * n * std::log2(static_cast<double>(n))); }

/// The longest blocks of x and y of a rank of this shape; these are the first ones.
struct Blocks {
  Index x, y;
};
Blocks longest_blocks(GridShape shape, int nx, int ny) {
  return {BlockLayout(nx, shape.columns).range(0).size(), BlockLayout(ny, shape.rows).range(0).size()};
}

/// Transforms along x of the sticks, along y of the columns of the planes, along z of the lines of the block.
Index flops_of(Index sticks, Index planes, Blocks block, int nx, const StickCounts& counts) {
  return sticks * line_flops(nx) + planes * block.x * line_flops(counts.ny) + block.x * block.y * line_flops(counts.nz);
}

}  // namespace

TransformLoad transform_load(const Partition& partition, const StickCounts& counts, int nx) {
  const std::vector<Index> planes = row_planes(partition);
  const Index most_planes = *std::max_element(planes.begin(), planes.end());
  const MessageStatistics messages = message_statistics(partition, counts, nx);
  const Blocks blocks = longest_blocks(partition.shape, nx, counts.ny);
  const LoadStatistics load = load_statistics(partition, counts);
  return {.plane_waves = load.max,
          .flops = flops_of(load.max_sticks, most_planes, blocks, nx, counts),
          .messages = messages.first.max_messages + messages.second.max_messages,
          .bytes = messages.first.max_bytes + messages.second.max_bytes};
}

TransformLoad least_transform_load(GridShape shape, const StickCounts& counts, int nx) {
  const auto is_populated = [](int count) { return count > 0; };
  const std::vector<int> plane_weight = plane_weights(counts).per_iz;
  const Index sticks = std::count_if(counts.count.begin(), counts.count.end(), is_populated);
  const Index planes = std::count_if(plane_weight.begin(), plane_weight.end(), is_populated);
  const Index heaviest_plane = plane_weight.empty() ? 0 : *std::max_element(plane_weight.begin(), plane_weight.end());
  const Index parts = Index{shape.rows} * shape.columns;
  const Index fair_sticks = ceil_div(sticks, parts), fair_planes = ceil_div(planes, shape.rows);
  const Blocks block = longest_blocks(shape, nx, counts.ny);
  TransformLoad load;
  load.plane_waves = std::max(ceil_div(counts.total(), parts), ceil_div(heaviest_plane, shape.columns));
  load.flops = flops_of(fair_sticks, fair_planes, block, nx, counts);
  if (sticks == 0) return load;
  load.messages = std::min(shape.columns, nx) - 1 + std::min(shape.rows, counts.ny) - 1;
  load.bytes = 16 * (fair_sticks * (nx - block.x) + fair_planes * block.x * (counts.ny - block.y));
  return load;
}

}  // namespace wavegrid
