#include "fft/fft_layout.hpp"

#include <map>

namespace wavegrid {

namespace {

/// The planes that a process row holds, rising.
std::vector<int> planes_of_row(const Partition& partition, int row) {
  std::vector<int> planes;
  for (std::size_t iz = 0; iz < partition.plane_row.size(); ++iz)
    if (row >= 0 && partition.plane_row[iz] == row) planes.push_back(static_cast<int>(iz));
  return planes;
}

/// Process row of the plane on which a stick lies.
int row_of_stick(const Partition& partition, int stick, int ny) {
  return partition.plane_row[static_cast<std::size_t>(stick / ny)];
}

/// Owner of every stick that lies on the planes of `row`, as (part, sticks rising), parts rising.
std::map<int, std::vector<int>> sticks_by_owner(const Partition& partition, int row, int ny) {
  std::map<int, std::vector<int>> sticks;
  for (std::size_t s = 0; s < partition.stick_owner.size(); ++s) {
    const int owner = partition.stick_owner[s];
    if (owner >= 0 && row >= 0 && row_of_stick(partition, static_cast<int>(s), ny) == row)
      sticks[owner].push_back(static_cast<int>(s));
  }
  return sticks;
}

}  // namespace

Index padded_row(Index n, std::size_t element_size) {
  const Index per_line = static_cast<Index>(64 / element_size);
  const Index lines = (n + per_line - 1) / per_line;
  return (lines | 1) * per_line;
}

FftLayout::FftLayout(const GSphere& sphere, const Partition& partition, int my_part, std::size_t element_size)
    : grid(sphere.grid()), mode(sphere.mode()), shape(partition.shape), part(my_part) {
  const bool holds_planes = part < shape.rows * shape.columns;
  row = holds_planes ? part / shape.columns : -1;
  column = holds_planes ? part % shape.columns : -1;
  if (holds_planes) {
    x = BlockLayout(grid[0], shape.columns).range(column);
    y = BlockLayout(grid[1], shape.rows).range(row);
  }
  my_sticks = sticks_of(partition, part);
  for (const auto& [owner, sticks] : sticks_by_owner(partition, row, grid[1]))
    arrived_sticks.insert(arrived_sticks.end(), sticks.begin(), sticks.end());
  my_planes = planes_of_row(partition, row);
  for (int r = 0; holds_planes && r < shape.rows; ++r) {
    const std::vector<int> planes = planes_of_row(partition, r);
    arrived_planes.insert(arrived_planes.end(), planes.begin(), planes.end());
  }
  stick_row = padded_row(static_cast<Index>(my_sticks.size()), element_size);
  arrived_row = padded_row(static_cast<Index>(arrived_sticks.size()), element_size);
  y_row = padded_row(grid[1], element_size);
  line_row = padded_row(grid[2], element_size);
}

TransposeRuns sticks_to_planes(const FftLayout& mine, const Partition& partition) {
  TransposeRuns runs;
  const int columns = mine.shape.columns;
  const auto partner_of = [&](int part) { return partition.rows_are_closed() ? part % columns : part; };
  const BlockLayout x_blocks(mine.grid[0], columns);
  for (int row = 0; row < mine.shape.rows; ++row) {
    if (partition.rows_are_closed() && row != mine.row) continue;
    for (int column = 0; column < columns; ++column) {
      PartnerRuns& message = runs.sends.emplace_back();
      message.partner = partner_of(row * columns + column);
      const Range block = x_blocks.range(column);
      for (Index x = block.begin; x < block.end; ++x)
        for (std::size_t s = 0; s < mine.my_sticks.size(); ++s)
          if (row_of_stick(partition, mine.my_sticks[s], mine.grid[1]) == row)
            append_run(message.runs, {x * mine.stick_row + static_cast<Index>(s), 1});
    }
  }
  Index first = 0;
  for (const auto& [owner, sticks] : sticks_by_owner(partition, mine.row, mine.grid[1])) {
    PartnerRuns& message = runs.receives.emplace_back();
    message.partner = partner_of(owner);
    const Index length = static_cast<Index>(sticks.size());
    for (Index x = 0; x < mine.x.size(); ++x) append_run(message.runs, {x * mine.arrived_row + first, length});
    first += length;
  }
  return runs;
}

TransposeRuns planes_to_sections(const FftLayout& mine, const Partition& partition) {
  TransposeRuns runs;
  if (mine.row < 0) return runs;
  const BlockLayout y_blocks(mine.grid[1], mine.shape.rows);
  Index first_plane = 0;
  for (int row = 0; row < mine.shape.rows; ++row) {
    PartnerRuns& out = runs.sends.emplace_back();
    PartnerRuns& in = runs.receives.emplace_back();
    out.partner = in.partner = row;
    const Range section = y_blocks.range(row);
    const Index num_planes = static_cast<Index>(planes_of_row(partition, row).size());
    for (Index x = 0; x < mine.x.size(); ++x) {
      for (Index i = 0; i < static_cast<Index>(mine.my_planes.size()); ++i)
        append_run(out.runs, {x * mine.plane_size() + i * mine.y_row + section.begin, section.size()});
      for (Index i = 0; i < num_planes; ++i)
        append_run(in.runs, {x * mine.section_size() + (first_plane + i) * mine.section_row(), mine.y.size()});
    }
    first_plane += num_planes;
  }
  return runs;
}

}  // namespace wavegrid
