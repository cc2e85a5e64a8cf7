#include <algorithm>
#include <queue>
#include <tuple>

#include <wavegrid/layout/exchange_search.hpp>
#include <wavegrid/layout/optimized.hpp>
#include <wavegrid/layout/serpentine.hpp>

namespace wavegrid {

namespace {

constexpr int max_plane_steps = 1000;
constexpr int max_stick_steps = 100;  // per row; the initial assignment is nearly balanced

/// Items of the fullest bin if the items are divided evenly.
int most_of_even(std::size_t items, int bins) { return static_cast<int>(ceil_div(static_cast<Index>(items), bins)); }

/// Indices of the items of positive weight, rising, and their weights.
std::pair<std::vector<int>, std::vector<int>> populated(const std::vector<int>& weight) {
  std::pair<std::vector<int>, std::vector<int>> result;
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (weight[i] > 0) {
      result.first.push_back(static_cast<int>(i));
      result.second.push_back(weight[i]);
    }
  return result;
}

std::vector<int> search_rows(const std::vector<int>& plane_weight, int rows) {
  const auto [planes, weight] = populated(plane_weight);
  Bins bins{weight, distribute_by_weight(weight, rows), rows, static_cast<int>(planes.size()) / rows,
            most_of_even(planes.size(), rows)};
  balance_loads(bins, max_plane_steps);
  std::vector<int> row(plane_weight.size(), -1);
  for (std::size_t i = 0; i < planes.size(); ++i) row[static_cast<std::size_t>(planes[i])] = bins.bin[i];
  return row;
}

/// Longest processing time first (Graham 1969, 10.1137/0117039): the heaviest item left goes to the lightest bin that
/// may take another one.
void assign_to_lightest(Bins& bins) {
  using Entry = std::tuple<Index, int, int>;  // load, bin, items
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (int b = 0; b < bins.num_bins; ++b) open.emplace(0, b, 0);
  bins.bin.assign(bins.weight.size(), -1);
  for (const int i : by_decreasing_weight(bins.weight)) {
    const auto [load, b, items] = open.top();
    open.pop();
    bins.bin[static_cast<std::size_t>(i)] = b;
    if (items + 1 < bins.most) open.emplace(load + bins.weight[static_cast<std::size_t>(i)], b, items + 1);
  }
}

std::vector<int> search_columns(const std::vector<int>& weight, int columns) {
  Bins bins{weight, {}, columns, 0, most_of_even(weight.size(), columns)};
  assign_to_lightest(bins);
  balance_loads(bins, max_stick_steps);
  return bins.bin;
}

/// Addresses of the populated sticks on the planes of a row, rising.
std::vector<int> sticks_of_row(const StickCounts& counts, const std::vector<int>& plane_row, int row) {
  std::vector<int> sticks;
  for (int iz = 0; iz < counts.nz; ++iz)
    for (int iy = 0; iy < counts.ny && plane_row[static_cast<std::size_t>(iz)] == row; ++iy)
      if (counts.at(iy, iz) > 0) sticks.push_back(iz * counts.ny + iy);
  return sticks;
}

}  // namespace

Partition optimized_partition(const StickCounts& counts, GridShape shape) {
  Partition partition{Scheme::optimized, shape.rows * shape.columns, shape, {}, {}};
  partition.stick_owner.assign(counts.count.size(), -1);
  partition.plane_row = search_rows(plane_weights(counts).per_iz, shape.rows);
  for (int row = 0; row < shape.rows; ++row) {
    const std::vector<int> sticks = sticks_of_row(counts, partition.plane_row, row);
    std::vector<int> weight;
    for (const int s : sticks) weight.push_back(counts.count[static_cast<std::size_t>(s)]);
    const std::vector<int> column = search_columns(weight, shape.columns);
    for (std::size_t i = 0; i < sticks.size(); ++i)
      partition.stick_owner[static_cast<std::size_t>(sticks[i])] = row * shape.columns + column[i];
  }
  return partition;
}

std::vector<GridShape> grid_shapes(int parts, int populated_planes) {
  std::vector<GridShape> shapes;
  for (int rows = 2; rows < parts; ++rows)
    if (parts % rows == 0) shapes.push_back({rows, parts / rows});
  if (shapes.empty()) shapes.push_back({1, parts});
  if (parts > 1 && shapes.front().rows == 1) shapes.push_back({parts, 1});
  while (shapes.size() > 1 && shapes.back().rows > populated_planes) shapes.pop_back();
  return shapes;
}

Partition optimized_partition(const StickCounts& counts, int nx, int parts, const UnitCosts& unit_costs) {
  std::vector<std::pair<Index, GridShape>> candidates;
  const int planes = static_cast<int>(populated(plane_weights(counts).per_iz).first.size());
  for (const GridShape shape : grid_shapes(parts, planes))
    candidates.emplace_back(cost(least_transform_load(shape, counts, nx), unit_costs), shape);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Partition best;
  Index least = -1;
  for (const auto& [bound, shape] : candidates) {
    if (least >= 0 && bound >= least) break;
    Partition partition = optimized_partition(counts, shape);
    const Index time = cost(transform_load(partition, counts, nx), unit_costs);
    if (least >= 0 && time >= least) continue;
    best = std::move(partition);
    least = time;
  }
  return best;
}

}  // namespace wavegrid
