// The work of the most loaded rank in a transform under a partition, and its cost.
#pragma once

#include <vector>

#include <wavegrid/layout/message_statistics.hpp>

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
  /// The costs of messages of `from` bytes on.
  struct Piece {
    Index from, message, byte;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  Index plane_wave = 200'000;
  Index flop = 100;
  Index message = 2'000'000;
  Index byte = 1'000;
  std::vector<Piece> pieces{};  ///< by rising size, instead of `message` and `byte`; none: the same for all sizes
  friend bool operator==(const UnitCosts&, const UnitCosts&) = default;

  /// The costs of a message of so many bytes.
  [[nodiscard]] Piece of_size(Index bytes) const {
    Piece found{0, message, byte};
    for (const Piece& piece : pieces)
      if (piece.from <= bytes) found = piece;
    return found;
  }
};

/// Picoseconds of one transform of one band, whose messages count as messages of their mean size.
[[nodiscard]] inline Index cost(const TransformLoad& load, const UnitCosts& unit_costs) {
  const UnitCosts::Piece of = unit_costs.of_size(load.messages > 0 ? load.bytes / load.messages : 0);
  return load.plane_waves * unit_costs.plane_wave + load.flops * unit_costs.flop + load.messages * of.message +
         load.bytes * of.byte;
}

/// The load of one backward transform of one band on a grid of nx x counts.ny x counts.nz points. Pure.
[[nodiscard]] TransformLoad transform_load(const Partition& partition, const StickCounts& counts, int nx);

/// A lower bound for all partitions of this shape with closed rows: sticks, planes and plane waves divided evenly.
[[nodiscard]] TransformLoad least_transform_load(GridShape shape, const StickCounts& counts, int nx);

}  // namespace wavegrid
