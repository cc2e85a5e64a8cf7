#include <algorithm>
#include <numeric>

#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/layout/message_statistics.hpp>

namespace wavegrid {

namespace {

constexpr Index bytes_per_element = 16;

/// What one rank sends or receives.
struct Traffic {
  Index messages = 0;
  Index elements = 0;
};

void add(TransposeStatistics& statistics, const Traffic& sent, const Traffic& received) {
  statistics.messages += sent.messages;
  statistics.bytes += sent.elements * bytes_per_element;
  statistics.max_messages = std::max({statistics.max_messages, sent.messages, received.messages});
  statistics.max_bytes = std::max(statistics.max_bytes, std::max(sent.elements, received.elements) * bytes_per_element);
}

Index sum_of(const std::vector<Index>& values) { return std::accumulate(values.begin(), values.end(), Index{0}); }

Index count_positive(const std::vector<Index>& values) {
  return std::count_if(values.begin(), values.end(), [](Index value) { return value > 0; });
}

/// Block lengths of n indices divided over `parts` parts.
std::vector<Index> block_lengths(int n, int parts) {
  std::vector<Index> lengths;
  for (int part = 0; part < parts; ++part) lengths.push_back(BlockLayout(n, parts).range(part).size());
  return lengths;
}

/// A part sends its sticks on the planes of each row to the columns of that row, cut into their blocks of x.
TransposeStatistics first_transpose(const Partition& partition, const StickCounts& counts, int nx) {
  const auto [rows, columns] = partition.shape;
  const std::vector<Index> x = block_lengths(nx, columns);
  const Index receivers = count_positive(x);
  const auto my_x = [&, n = columns](int part) { return x[static_cast<std::size_t>(part % n)]; };
  const auto sticks = sticks_on_rows(partition, counts);
  std::vector<Traffic> sent(static_cast<std::size_t>(partition.parts));
  std::vector<Traffic> arriving(static_cast<std::size_t>(rows));  // senders to a row, and their sticks
  for (const auto& [where, number] : sticks) {
    const auto [part, row] = where;
    const Index kept = part / columns == row ? my_x(part) : 0;
    Traffic& mine = sent[static_cast<std::size_t>(part)];
    mine.messages += receivers - (kept > 0);
    mine.elements += number * (nx - kept);
    arriving[static_cast<std::size_t>(row)].messages += 1;
    arriving[static_cast<std::size_t>(row)].elements += number;
  }
  TransposeStatistics statistics;
  for (int part = 0; part < partition.parts; ++part) {
    Traffic received;
    if (const int row = part / columns; row < rows && my_x(part) > 0) {
      const auto mine = sticks.find({part, row});
      const Traffic& all = arriving[static_cast<std::size_t>(row)];
      received.messages = all.messages - (mine != sticks.end());
      received.elements = my_x(part) * (all.elements - (mine != sticks.end() ? mine->second : 0));
    }
    add(statistics, sent[static_cast<std::size_t>(part)], received);
  }
  return statistics;
}

/// Rank (r, c) sends its planes in its block of x to the rows of its column, cut into their blocks of y.
TransposeStatistics second_transpose(const Partition& partition, int nx, int ny) {
  const std::vector<Index> x = block_lengths(nx, partition.shape.columns);
  const std::vector<Index> y = block_lengths(ny, partition.shape.rows);
  const std::vector<Index> planes = row_planes(partition);
  const Index receivers = count_positive(y), senders = count_positive(planes), all_planes = sum_of(planes);
  TransposeStatistics statistics;
  for (std::size_t row = 0; row < planes.size(); ++row)
    for (const Index my_x : x) {
      Traffic sent, received;
      if (my_x > 0 && planes[row] > 0) sent = {receivers - (y[row] > 0), planes[row] * my_x * (ny - y[row])};
      if (my_x > 0 && y[row] > 0) received = {senders - (planes[row] > 0), (all_planes - planes[row]) * my_x * y[row]};
      add(statistics, sent, received);
    }
  return statistics;
}

}  // namespace

std::map<std::pair<int, int>, Index> sticks_on_rows(const Partition& partition, const StickCounts& counts) {
  std::map<std::pair<int, int>, Index> sticks;
  for (std::size_t s = 0; s < partition.stick_owner.size(); ++s)
    if (partition.stick_owner[s] >= 0)
      ++sticks[{partition.stick_owner[s], partition.plane_row[s / static_cast<std::size_t>(counts.ny)]}];
  return sticks;
}

std::vector<Index> row_planes(const Partition& partition) {
  std::vector<Index> planes(static_cast<std::size_t>(partition.shape.rows));
  for (const int row : partition.plane_row)
    if (row >= 0) ++planes[static_cast<std::size_t>(row)];
  return planes;
}

MessageStatistics message_statistics(const Partition& partition, const StickCounts& counts, int nx) {
  return {first_transpose(partition, counts, nx), second_transpose(partition, nx, counts.ny)};
}

}  // namespace wavegrid
