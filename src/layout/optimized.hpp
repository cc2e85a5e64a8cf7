// The optimized partition: the communication of cyclic and balanced with nearly the load balance of greedy.
#pragma once

#include <wavegrid/layout/transform_load.hpp>

namespace wavegrid {

/// Planes of fixed iz are distributed over rows by a search; then the sticks of each row are distributed over its
/// columns one by one, by a second search. A column need not own whole xz-planes, which would make the load less
/// balanced: the first transpose stays inside a row group whichever sticks of the row a column owns, with the messages
/// of balanced.
///
/// Every row has an equal share of the populated planes, rounded down or up, and every column of a row at most an equal
/// share of the row's sticks, rounded up, so that transforms along x and y are balanced. Pure and deterministic;
/// limited by a number of steps, not by time. If there are more rows than populated planes, some rows are empty.
[[nodiscard]] Partition optimized_partition(const StickCounts& counts, GridShape shape);

/// The candidate shapes rows x columns = parts, by rising number of rows: rows and columns are above 1; if parts is
/// prime, there is one row or one column. Shapes with more rows than populated planes, which have empty rows, are left
/// out; if there are no others, the one with the fewest rows remains.
[[nodiscard]] std::vector<GridShape> grid_shapes(int parts, int populated_planes);

/// The optimized partition of the shape whose transforms cost least. Shapes are tried in the order of their lower
/// bounds of the cost, until no further one can be cheaper. Pure; among shapes of equal cost the one with the smaller
/// lower bound is taken, then the one with fewer rows.
[[nodiscard]] Partition optimized_partition(const StickCounts& counts, int nx, int parts,
                                            const UnitCosts& unit_costs = {});

}  // namespace wavegrid
