// The work of the most loaded rank in a transform under a partition, and its cost.
#pragma once

#include "layout/message_statistics.hpp"

namespace wavegrid {

/// The work in one backward transform of one band, for each kind of work the largest of all ranks: in the transposes
/// between the stages all ranks wait for the slowest one.
struct TransformLoad {
  Index plane_waves = 0;
  Index flops = 0;     ///< of the 1-D FFTs
  Index messages = 0;  ///< of both transposes
  Index bytes = 0;     ///< of both transposes
};

/// Times in integer picoseconds: sums are exact, so that equal costs compare equal and all ranks of a job make the same
/// choice. The defaults are those of the default Machine (costmodel/machine.hpp gives their source).
struct UnitCosts {
  Index plane_wave = 200'000;
  Index flop = 100;
  Index message = 2'000'000;
  Index byte = 1'000;
  friend bool operator==(const UnitCosts&, const UnitCosts&) = default;
};

/// Picoseconds of one transform of one band.
[[nodiscard]] constexpr Index cost(const TransformLoad& load, const UnitCosts& unit_costs) {
  return load.plane_waves * unit_costs.plane_wave + load.flops * unit_costs.flop + load.messages * unit_costs.message +
         load.bytes * unit_costs.byte;
}

/// The load of one backward transform of one band on a grid of nx x counts.ny x counts.nz points. Pure.
[[nodiscard]] TransformLoad transform_load(const Partition& partition, const StickCounts& counts, int nx);

/// A lower bound for all partitions of this shape with closed rows: sticks, planes and plane waves divided evenly.
[[nodiscard]] TransformLoad least_transform_load(GridShape shape, const StickCounts& counts, int nx);

}  // namespace wavegrid
