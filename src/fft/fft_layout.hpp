// Where one rank's data are in each of the three layouts of the compact FFT, and the runs of the transposes between
// them. Sphere -> sticks along x -> planes along y -> lines along z (Gao et al. 2016, section 4.3).
#pragma once

#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/layout/partition.hpp>

namespace wavegrid {

/// Row length in elements of `element_size` bytes: at least n, and an odd number of 64-byte cache lines, so that rows
/// at powers of two do not fall on the same cache sets.
[[nodiscard]] Index padded_row(Index n, std::size_t element_size);
/// Row length of data that are exchanged: n, rounded up to whole multiples of the 16 bytes that SIMD transforms need.
[[nodiscard]] Index packed_row(Index n, std::size_t element_size);
/// The smallest range that contains every index that is not filled.
[[nodiscard]] Range empty_range(const std::vector<bool>& filled);

/// What one partner has sent: rows of its sticks (or planes), contiguous as in the message.
struct Segment {
  int partner = 0;           ///< part that owns the sticks, or process row that has the planes
  std::vector<int> indices;  ///< stick addresses or iz, rising
  Index base = 0;            ///< offset of its first row
  Index row = 0;             ///< elements from row to row
};

/// The three layouts of one part. Pure: any part of any partition can be described in one process.
///
///   sticks    (nx, my sticks)                        before the first transpose
///   arrived   per owner (my x, its sticks)           after it
///   columns   (my x, ny, my planes)                  after the y transforms, before the second transpose
///   section   per process row (my x, my y, its planes) after it
///   grid      (my x, my y, nz)
///
/// If nothing is exchanged, "arrived" is the same as "sticks", and "section" the same as "columns".
struct FftLayout {
  FftLayout(const GSphere& sphere, const Partition& partition, int part, std::size_t element_size);

  Int3 grid;
  Mode mode;
  GridShape shape;
  int part;
  int row;     ///< -1 on ranks without planes
  int column;  ///< -1 likewise
  Range x;     ///< this part's planes of fixed x, in all layouts but the first
  Range y;     ///< this part's rows of fixed y in the section and on the grid

  std::vector<int> my_sticks;  ///< addresses, rising
  std::vector<int> my_planes;  ///< iz of this row's planes, rising
  std::vector<Segment> arrived_sticks, arrived_planes;

  Index stick_row;     ///< elements from x to x + 1 of the sticks
  Index plane_row;     ///< elements from y to y + 1 of the columns
  Index line_row;      ///< elements from z-line to z-line
  Index arrived_size;  ///< elements of one band after the first transpose
  Index section_size;  ///< elements of one band after the second

  /// Elements of one band's sticks, of the columns of one x, of the columns of all x.
  [[nodiscard]] Index stick_size() const { return grid[0] * stick_row; }
  [[nodiscard]] Index plane_size() const { return grid[1] * plane_row; }
  [[nodiscard]] Index column_size() const { return x.size() * plane_size(); }
  /// Points of the real-space block.
  [[nodiscard]] Index grid_size() const { return x.size() * y.size() * grid[2]; }
};

/// Both sides of a transpose: what is sent to and received from each partner.
struct TransposeRuns {
  std::vector<PartnerRuns> sends;
  std::vector<PartnerRuns> receives;
};

/// First transpose, sticks to planes. Partners are columns of the row group if Partition::rows_are_closed(), else
/// parts.
[[nodiscard]] TransposeRuns sticks_to_planes(const FftLayout& mine, const Partition& partition);
/// Second transpose, columns to sections of y inside a column group; partners are rows.
[[nodiscard]] TransposeRuns planes_to_sections(const FftLayout& mine);

}  // namespace wavegrid
