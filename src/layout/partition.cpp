#include <algorithm>
#include <cmath>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/layout/optimized.hpp>
#include <wavegrid/layout/partition.hpp>
#include <wavegrid/layout/serpentine.hpp>

namespace wavegrid {

namespace {

std::vector<int> distribute_cyclically(const std::vector<int>& weight, int parts) {
  std::vector<int> part(weight.size(), -1);
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (weight[i] > 0) part[i] = static_cast<int>(i) % parts;
  return part;
}

using Distribute = std::vector<int> (*)(const std::vector<int>&, int);

/// Planes of fixed iz are assigned to rows, planes of fixed iy to columns; the two planes of a stick determine its
/// owner.
void cross_planes(Partition& partition, const StickCounts& counts, Distribute distribute) {
  const PlaneWeights weights = plane_weights(counts);
  partition.plane_row = distribute(weights.per_iz, partition.shape.rows);
  const std::vector<int> column = distribute(weights.per_iy, partition.shape.columns);
  for (int iz = 0; iz < counts.nz; ++iz)
    for (int iy = 0; iy < counts.ny; ++iy)
      if (counts.at(iy, iz) > 0)
        partition.stick_owner[static_cast<std::size_t>(iz * counts.ny + iy)] =
            partition.plane_row[static_cast<std::size_t>(iz)] * partition.shape.columns +
            column[static_cast<std::size_t>(iy)];
}

void require_parts(int parts) {
  if (parts < 1) throw bad_input("a partition needs at least 1 rank, found " + std::to_string(parts));
}

}  // namespace

std::span<const Scheme> all_schemes() {
  static constexpr Scheme all[] = {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized};
  return all;
}

const char* to_string(Scheme scheme) {
  switch (scheme) {
    case Scheme::greedy:
      return "greedy";
    case Scheme::cyclic:
      return "cyclic";
    case Scheme::balanced:
      return "balanced";
    case Scheme::optimized:
      return "optimized";
  }
  return "";
}

std::optional<Scheme> scheme_named(const std::string& name) {
  if (name == "auto") return std::nullopt;
  std::string valid;
  for (const Scheme scheme : all_schemes()) {
    if (name == to_string(scheme)) return scheme;
    valid += std::string(to_string(scheme)) + ", ";
  }
  throw bad_input("unknown partition '" + name + "'; valid: " + valid + "auto");
}

void require_fit(Scheme scheme, GridShape shape, int parts) {
  const Index places = Index{shape.rows} * shape.columns;
  if (shape.rows >= 1 && shape.columns >= 1 && (places == parts || (places < parts && scheme == Scheme::greedy)))
    return;
  throw bad_input("a process grid of " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
                  " does not fit " + std::to_string(parts) + " ranks");
}

GridShape near_square_shape(int parts) {
  int columns = static_cast<int>(std::sqrt(static_cast<double>(parts)));
  while (columns > 1 && parts % columns != 0) --columns;
  columns = std::max(columns, 1);
  return {parts / columns, columns};
}

GridShape plane_shape(int parts, int num_planes) {
  const int rows = (parts + num_planes - 1) / num_planes;
  return {rows, parts / rows};
}

Partition make_partition(Scheme scheme, const StickCounts& counts, int nx, int parts) {
  require_parts(parts);
  if (scheme == Scheme::optimized) return optimized_partition(counts, nx, parts);
  const GridShape shape = scheme == Scheme::greedy ? plane_shape(parts, nx) : near_square_shape(parts);
  return make_partition(scheme, counts, shape, parts);
}

Partition make_partition(Scheme scheme, const StickCounts& counts, GridShape shape, int parts) {
  require_parts(parts);
  require_fit(scheme, shape, parts);
  if (scheme == Scheme::optimized) return optimized_partition(counts, shape);
  Partition partition{scheme, parts, shape, std::vector<int>(counts.count.size(), -1), {}};
  switch (scheme) {
    case Scheme::greedy:
      partition.stick_owner = distribute_by_weight(counts.count, parts);
      partition.plane_row = distribute_by_weight(plane_weights(counts).per_iz, shape.rows);
      break;
    case Scheme::cyclic:
      cross_planes(partition, counts, distribute_cyclically);
      break;
    case Scheme::balanced:
    case Scheme::optimized:  // returned above
      cross_planes(partition, counts, distribute_by_weight);
      break;
  }
  return partition;
}

std::vector<int> part_sticks(const Partition& partition, int part) {
  std::vector<int> sticks;
  for (std::size_t s = 0; s < partition.stick_owner.size(); ++s)
    if (partition.stick_owner[s] == part) sticks.push_back(static_cast<int>(s));
  return sticks;
}

std::vector<Index> loads(const Partition& partition, const StickCounts& counts) {
  std::vector<Index> load(static_cast<std::size_t>(partition.parts));
  for (std::size_t s = 0; s < counts.count.size(); ++s)
    if (partition.stick_owner[s] >= 0) load[static_cast<std::size_t>(partition.stick_owner[s])] += counts.count[s];
  return load;
}

std::vector<Index> sticks_per_part(const Partition& partition) {
  std::vector<Index> sticks(static_cast<std::size_t>(partition.parts));
  for (const int owner : partition.stick_owner)
    if (owner >= 0) ++sticks[static_cast<std::size_t>(owner)];
  return sticks;
}

LoadStatistics load_statistics(const Partition& partition, const StickCounts& counts) {
  const std::vector<Index> load = loads(partition, counts);
  LoadStatistics statistics;
  statistics.plane_waves = counts.total();
  statistics.max = *std::max_element(load.begin(), load.end());
  statistics.min = *std::min_element(load.begin(), load.end());
  statistics.mean = static_cast<double>(statistics.plane_waves) / partition.parts;
  statistics.imbalance = statistics.plane_waves > 0 ? static_cast<double>(statistics.max) / statistics.mean : 1.0;
  const std::vector<Index> sticks = sticks_per_part(partition);
  statistics.max_sticks = *std::max_element(sticks.begin(), sticks.end());
  return statistics;
}

}  // namespace wavegrid
