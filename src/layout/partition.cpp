#include "layout/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.hpp"

namespace wavegrid {

namespace {

/// The d-th item of a boustrophedon deal goes to this part: 0..p-1, then p-1..0, and so on.
int boustrophedon(int d, int parts) {
  const int turn = d / parts;
  const int place = d % parts;
  return turn % 2 == 0 ? place : parts - 1 - place;
}

/// Deals the items with a positive weight, heaviest first, ties by rising index; -1 for the others.
std::vector<int> deal_by_weight(const std::vector<int>& weight, int parts) {
  std::vector<int> order(weight.size());
  std::iota(order.begin(), order.end(), 0);
  const auto weight_of = [&](int i) { return weight[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weight_of(a) > weight_of(b); });
  std::vector<int> part(weight.size(), -1);
  int dealt = 0;
  for (const int i : order)
    if (weight_of(i) > 0) part[static_cast<std::size_t>(i)] = boustrophedon(dealt++, parts);
  return part;
}

std::vector<int> deal_cyclically(const std::vector<int>& weight, int parts) {
  std::vector<int> part(weight.size(), -1);
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (weight[i] > 0) part[i] = static_cast<int>(i) % parts;
  return part;
}

/// Plane waves in each xy-plane (fixed iz) and each xz-plane (fixed iy).
std::pair<std::vector<int>, std::vector<int>> plane_weights(const StickCounts& counts) {
  std::vector<int> of_iz(static_cast<std::size_t>(counts.nz));
  std::vector<int> of_iy(static_cast<std::size_t>(counts.ny));
  for (int iz = 0; iz < counts.nz; ++iz)
    for (int iy = 0; iy < counts.ny; ++iy) {
      of_iz[static_cast<std::size_t>(iz)] += counts.at(iy, iz);
      of_iy[static_cast<std::size_t>(iy)] += counts.at(iy, iz);
    }
  return {of_iz, of_iy};
}

using Deal = std::vector<int> (*)(const std::vector<int>&, int);

/// Planes of fixed iz go to rows, planes of fixed iy to columns; a stick lies where its two planes cross.
void cross_planes(Partition& partition, const StickCounts& counts, Deal deal) {
  const auto [of_iz, of_iy] = plane_weights(counts);
  partition.plane_row = deal(of_iz, partition.shape.rows);
  const std::vector<int> column = deal(of_iy, partition.shape.columns);
  for (int iz = 0; iz < counts.nz; ++iz)
    for (int iy = 0; iy < counts.ny; ++iy)
      if (counts.at(iy, iz) > 0)
        partition.stick_owner[static_cast<std::size_t>(iz * counts.ny + iy)] =
            partition.plane_row[static_cast<std::size_t>(iz)] * partition.shape.columns +
            column[static_cast<std::size_t>(iy)];
}

}  // namespace

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
  if (parts < 1) throw bad_input("a partition needs at least 1 rank, found " + std::to_string(parts));
  Partition partition;
  partition.scheme = scheme;
  partition.parts = parts;
  partition.stick_owner.assign(counts.count.size(), -1);
  partition.shape = scheme == Scheme::greedy ? plane_shape(parts, nx) : near_square_shape(parts);
  switch (scheme) {
    case Scheme::greedy:
      partition.stick_owner = deal_by_weight(counts.count, parts);
      partition.plane_row = deal_by_weight(plane_weights(counts).first, partition.shape.rows);
      break;
    case Scheme::cyclic:
      cross_planes(partition, counts, deal_cyclically);
      break;
    case Scheme::balanced:
      cross_planes(partition, counts, deal_by_weight);
      break;
  }
  return partition;
}

std::vector<int> sticks_of(const Partition& partition, int part) {
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

LoadFigures load_figures(const Partition& partition, const StickCounts& counts) {
  const std::vector<Index> load = loads(partition, counts);
  LoadFigures figures;
  figures.plane_waves = counts.total();
  figures.max = *std::max_element(load.begin(), load.end());
  figures.min = *std::min_element(load.begin(), load.end());
  figures.mean = static_cast<double>(figures.plane_waves) / partition.parts;
  figures.imbalance = figures.plane_waves > 0 ? static_cast<double>(figures.max) / figures.mean : 1.0;
  return figures;
}

}  // namespace wavegrid
