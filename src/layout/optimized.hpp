// The optimized partition: the communication of cyclic and balanced at nearly the balance of greedy.
#pragma once

#include "layout/transform_load.hpp"

namespace wavegrid {

/// Planes of fixed iz go to rows by a search; then the sticks of each row go to its columns one by one, by a second
/// search. No load is lost on whole xz-planes: the first transpose stays inside a row group whichever of the row's
/// sticks a column owns, with the messages of balanced.
///
/// Every row has its share of the populated planes, their number over `rows` rounded down or up, and every column of
/// a row its share of the row's sticks rounded up at most, so that transforms along x and y stay even.
/// Pure and deterministic; bounded by steps, not by the clock. rows > populated planes leaves rows empty.
[[nodiscard]] Partition optimized_partition(const StickCounts& counts, GridShape shape);

/// The shapes rows x columns = parts to choose from, rows rising: rows, columns > 1 where parts is no prime, else one
/// row or one column; no more rows than populated planes, so that none is empty, unless only such shapes are left: then
/// the one of fewest rows.
[[nodiscard]] std::vector<GridShape> shapes_of(int parts, int populated_planes);

/// The optimized partition of the shape whose transforms cost least. Shapes are searched in the order of the cost that
/// they cannot go below, until no other can win. Pure; ties go to the lower bound, then to fewer rows.
[[nodiscard]] Partition optimized_partition(const StickCounts& counts, int nx, int parts,
                                            const UnitCosts& unit_costs = {});

}  // namespace wavegrid
