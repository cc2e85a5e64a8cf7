#include <algorithm>
#include <map>

#include <wavegrid/fft/fft_layout.hpp>

namespace wavegrid {

namespace {

/// The planes of a process row, rising.
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

/// Places the segments one after the other; returns the number of elements of all.
template <class RowLength>
Index stack(std::vector<Segment>& segments, Index rows, RowLength row_length) {
  Index base = 0;
  for (Segment& segment : segments) {
    segment.base = base;
    segment.row = row_length(segment.indices.size());
    base += rows * segment.row;
  }
  return base;
}

}  // namespace

Index padded_row(Index n, std::size_t element_size) {
  const Index per_line = static_cast<Index>(64 / element_size);
  const Index lines = (n + per_line - 1) / per_line;
  return (lines | 1) * per_line;
}

Index packed_row(Index n, std::size_t element_size) {
  const Index per_unit = std::max<Index>(1, static_cast<Index>(16 / element_size));
  return (n + per_unit - 1) / per_unit * per_unit;
}

Range empty_range(const std::vector<bool>& filled) {
  const auto first = std::find(filled.begin(), filled.end(), false);
  if (first == filled.end()) return {};
  const auto last = std::find(filled.rbegin(), filled.rend(), false);
  return {first - filled.begin(), filled.rend() - last};
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
  my_sticks = part_sticks(partition, part);
  for (auto& [owner, sticks] : sticks_by_owner(partition, row, grid[1]))
    arrived_sticks.push_back({owner, std::move(sticks)});
  my_planes = planes_of_row(partition, row);
  for (int r = 0; holds_planes && r < shape.rows; ++r) arrived_planes.push_back({r, planes_of_row(partition, r)});

  // Rows that stay on the rank are padded; rows that are sent are packed, so that a message is contiguous in memory.
  const auto row_length = [element_size](bool is_sent) {
    return [=](std::size_t n) {
      return is_sent ? packed_row(static_cast<Index>(n), element_size)
                     : padded_row(static_cast<Index>(n), element_size);
    };
  };
  const auto stick_length = row_length(partition.parts > 1), plane_length = row_length(shape.rows > 1);
  stick_row = stick_length(my_sticks.size());
  plane_row = plane_length(my_planes.size());
  line_row = padded_row(grid[2], element_size);
  arrived_size = stack(arrived_sticks, x.size(), stick_length);
  section_size = stack(arrived_planes, x.size() * y.size(), plane_length);
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
            message.runs.append({x * mine.stick_row + static_cast<Index>(s), 1});
    }
  }
  for (const Segment& segment : mine.arrived_sticks) {
    PartnerRuns& message = runs.receives.emplace_back();
    message.partner = partner_of(segment.partner);
    for (Index x = 0; x < mine.x.size(); ++x)
      message.runs.append({segment.base + x * segment.row, static_cast<Index>(segment.indices.size())});
  }
  return runs;
}

TransposeRuns planes_to_sections(const FftLayout& mine) {
  TransposeRuns runs;
  const BlockLayout y_blocks(mine.grid[1], mine.shape.rows);
  const Index num_planes = static_cast<Index>(mine.my_planes.size());
  for (const Segment& segment : mine.arrived_planes) {
    PartnerRuns& out = runs.sends.emplace_back();
    PartnerRuns& in = runs.receives.emplace_back();
    out.partner = in.partner = segment.partner;
    const Range section = y_blocks.range(segment.partner);
    for (Index x = 0; x < mine.x.size(); ++x)
      for (Index y = section.begin; y < section.end; ++y)
        out.runs.append({x * mine.plane_size() + y * mine.plane_row, num_planes});
    for (Index r = 0; r < mine.x.size() * mine.y.size(); ++r)
      in.runs.append({segment.base + r * segment.row, static_cast<Index>(segment.indices.size())});
  }
  return runs;
}

}  // namespace wavegrid
