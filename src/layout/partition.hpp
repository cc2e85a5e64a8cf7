// Partitions of the plane-wave sphere: which rank owns which stick, and which process row owns which plane. Gao, Mo,
// Fang, Song, Wang, Comput. Phys. Commun. 2016, sections 3.2 (greedy), 4.1 (cyclic) and 4.2 (balanced); optimized is
// described in layout/optimized.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/layout/stick_counts.hpp>

namespace wavegrid {

enum class Scheme { greedy, cyclic, balanced, optimized };

/// All schemes, in the order of the enumeration.
[[nodiscard]] std::span<const Scheme> all_schemes();
/// The name used in input and output, such as "greedy".
[[nodiscard]] const char* to_string(Scheme scheme);
/// The scheme of that name, empty for "auto"; throws bad_input that lists the valid ones.
[[nodiscard]] std::optional<Scheme> scheme_named(const std::string& name);

/// Process grid: parts are numbered row-major, part = row * columns + column.
struct GridShape {
  int rows = 1;
  int columns = 1;
  friend bool operator==(const GridShape&, const GridShape&) = default;
};

/// Throws bad_input if rows * columns is larger than parts or, for all schemes but greedy, smaller.
void require_fit(Scheme scheme, GridShape shape, int parts);

/// rows x columns = parts with rows >= columns and the smallest difference.
[[nodiscard]] GridShape near_square_shape(int parts);

/// The shape of greedy: whole yz-planes per part (one row) while there are at least as many planes as parts, else
/// sections of planes. Parts beyond rows * columns have sticks but no planes.
[[nodiscard]] GridShape plane_shape(int parts, int num_planes);

/// A partition of the sphere's sticks over parts, the same on all ranks. make_partition() makes one; a partition of
/// other origin is checked by the transforms that use it (check_partition).
struct Partition {
  Scheme scheme = Scheme::greedy;
  int parts = 1;
  GridShape shape;
  std::vector<int> stick_owner;  ///< part of stick iz * ny + iy, -1 for an empty stick
  std::vector<int> plane_row;    ///< process row that holds plane iz between the transposes, -1 for an empty plane

  /// True if the first transpose stays inside row groups, false if it involves all parts (greedy).
  [[nodiscard]] bool rows_are_closed() const { return scheme != Scheme::greedy; }
};

/// Divides the sticks of `counts` on a grid of nx planes over `parts` parts (at least 1; more parts than sticks or
/// planes leave some parts empty). The shape is plane_shape for greedy, near_square_shape for cyclic and balanced, and
/// for optimized the one with the lowest cost for the default UnitCosts (layout/optimized.hpp).
[[nodiscard]] Partition make_partition(Scheme scheme, const StickCounts& counts, int nx, int parts);

/// The same on a given process grid, for example that of another sphere, which must fit (require_fit).
[[nodiscard]] Partition make_partition(Scheme scheme, const StickCounts& counts, GridShape shape, int parts);

/// Addresses of the sticks of one part, rising.
[[nodiscard]] std::vector<int> part_sticks(const Partition& partition, int part);

/// Plane waves per part, as in Tables 3 and 4 of the paper. Empty parts count as 0.
struct LoadStatistics {
  Index plane_waves = 0;
  Index max = 0;
  Index min = 0;
  double mean = 0;
  double imbalance = 1;  ///< max / mean
  Index max_sticks = 0;  ///< on one part
};
/// Plane waves, and sticks, of every part.
[[nodiscard]] std::vector<Index> loads(const Partition& partition, const StickCounts& counts);
[[nodiscard]] std::vector<Index> sticks_per_part(const Partition& partition);
[[nodiscard]] LoadStatistics load_statistics(const Partition& partition, const StickCounts& counts);

}  // namespace wavegrid
