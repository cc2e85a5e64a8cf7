// Where one rank's data stand in each of the three layouts of the compact FFT, and the runs that lead between them.
// Sphere -> sticks along x -> planes along y -> lines along z (Gao et al. 2016, section 4.3).
#pragma once

#include <vector>

#include "basis/g_sphere.hpp"
#include "exchange/exchange_plan.hpp"
#include "layout/block_layout.hpp"
#include "layout/partition.hpp"

namespace wavegrid {

/// Row length in elements of `element_size` bytes: at least n, and an odd number of 64-byte cache lines, so that rows
/// at powers of two do not fall on the same cache sets.
[[nodiscard]] Index padded_row(Index n, std::size_t element_size);

/// The three layouts of one part. Pure: any part of any partition can be described in one process.
///
/// reciprocal (nx, my sticks) -> intermediate (my x, arrived sticks), then (my x, my planes, ny)
/// -> real (my x, all planes, my y), then (my x, my y, nz).
struct FftLayout {
  FftLayout(const GSphere& sphere, const Partition& partition, int part, std::size_t element_size);

  Int3 grid;
  Mode mode;
  GridShape shape;
  int part;
  int row;     ///< -1 on ranks that hold no planes
  int column;  ///< -1 likewise
  Range x;     ///< this part's planes of fixed x, in the intermediate and the real-space layout
  Range y;     ///< this part's rows of fixed y in the real-space layout

  std::vector<int> my_sticks;       ///< addresses, rising
  std::vector<int> arrived_sticks;  ///< all sticks of this row's planes, by owning part
  std::vector<int> my_planes;       ///< iz of this row's planes
  std::vector<int> arrived_planes;  ///< iz of all planes of the sphere, by owning row

  Index stick_row;    ///< elements from x to x + 1 before the first transpose
  Index arrived_row;  ///< the same after it
  Index y_row;        ///< elements from plane to plane before the second transpose
  Index line_row;     ///< elements from z-line to z-line

  /// Elements of one band before and after each transpose.
  [[nodiscard]] Index stick_size() const { return grid[0] * stick_row; }
  [[nodiscard]] Index arrived_size() const { return x.size() * arrived_row; }
  [[nodiscard]] Index plane_size() const { return static_cast<Index>(my_planes.size()) * y_row; }
  [[nodiscard]] Index section_row() const { return shape.rows == 1 ? y_row : y.size(); }
  [[nodiscard]] Index section_size() const { return static_cast<Index>(arrived_planes.size()) * section_row(); }
  [[nodiscard]] Index lines_size() const { return y.size() * line_row; }
  /// Points of the real-space block (my x, my y, nz).
  [[nodiscard]] Index grid_size() const { return x.size() * y.size() * grid[2]; }
};

/// One side of a transpose: what travels to (or comes from) each partner.
struct TransposeRuns {
  std::vector<PartnerRuns> sends;
  std::vector<PartnerRuns> receives;
};

/// First transpose, sticks to planes. Partners are columns of the row group where rows are closed, else parts.
[[nodiscard]] TransposeRuns sticks_to_planes(const FftLayout& mine, const Partition& partition);
/// Second transpose, planes to sections of y inside a column group; partners are rows.
[[nodiscard]] TransposeRuns planes_to_sections(const FftLayout& mine, const Partition& partition);

}  // namespace wavegrid
