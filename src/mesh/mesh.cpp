#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mesh/line_table.hpp>
#include <wavegrid/mesh/mesh.hpp>
#include <wavegrid/mesh/ranges.hpp>
#include <wavegrid/mpi/node.hpp>
#include <wavegrid/mpi/sparse_exchange.hpp>

namespace wavegrid {

namespace {

/// The number of the node of each rank, on rank 0; empty elsewhere.
std::vector<int> rank_nodes(const Comm& comm) {
  const Comm node = node_comm(comm);
  const int leader = node.min(comm.rank());
  std::vector<int> nodes;
  std::vector<int> leaders;
  for (const PartnerItems<int>& entry : sparse_exchange<int>(comm, {{0, {leader}}})) {
    leaders.push_back(entry.items[0]);
  }
  for (const int rank : leaders) {
    std::vector<int> sorted(leaders);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    nodes.push_back(static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), rank) - sorted.begin()));
  }
  return nodes;
}

/// Pieces of the lines by the rank that owns them.
std::vector<PartnerItems<MeshLine>> part_lines(const std::vector<MeshLine>& lines,
                                               const std::vector<std::int32_t>& part) {
  ItemsByPartner<MeshLine> out;
  std::size_t point = 0;
  for (const MeshLine& line : lines)
    for (Index k = line.k.begin; k < line.k.end;) {
      const std::int32_t owner = part[point];
      const Index begin = k;
      for (; k < line.k.end && part[point] == owner; ++point) ++k;
      out.of(owner).push_back({line.i, line.j, {begin, k}});
    }
  return out.take();
}

/// Lines of j that are worked on together: for blocks of 16 numbers, as many as let the lines of all i that a stencil
/// needs fit into 3 MiB, a core's share of a level-3 cache.
int tile_height(const std::vector<MeshLine>& mine, int reach) {
  Index points = 0;
  for (const MeshLine& line : mine) points += line.k.size();
  if (mine.empty()) return 1;
  const double length = static_cast<double>(points) / static_cast<double>(mine.size());
  return std::max(1, static_cast<int>(1048576.0 / (128.0 * length * (2 * reach + 1))));
}

void add_range(std::vector<Range>& ranges, Range range) {
  if (!range.empty()) ranges.push_back(range);
}

/// `range` without the pieces.
std::vector<Range> without(Range range, std::vector<LineTable::Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.k.begin < b.k.begin; });
  std::vector<Range> rest;
  for (const LineTable::Piece& piece : pieces) {
    if (piece.k.end <= range.begin || piece.k.begin >= range.end) continue;
    add_range(rest, {range.begin, piece.k.begin});
    range.begin = piece.k.end;
  }
  add_range(rest, range);
  return rest;
}

}  // namespace

Mesh::Mesh(const Comm& comm, const MeshGrid& grid, int order, const MeshPartitionOptions& options,
           DifferenceWeights weights)
    : comm_(Comm::private_copy(comm.handle()).timed(comm.profile())),
      grid_(grid),
      pattern_(grid.steps(), order, weights) {
  const std::vector<int> nodes = rank_nodes(comm_);
  std::vector<PartnerItems<MeshLine>> distributed;
  comm_.collectively([&] {
    if (comm_.rank() != 0) return;
    const std::vector<MeshLine> all = grid_.lines();
    distributed = part_lines(all, partition_mesh(grid_, all, pattern_, nodes, options));
  });
  std::vector<MeshLine> mine;
  for (PartnerItems<MeshLine>& message : sparse_exchange(comm_, distributed)) mine = std::move(message.items);
  order_lines(mine);
  num_all_points_ = comm_.sum(num_points_);
  find_ghosts();
}

void Mesh::order_lines(const std::vector<MeshLine>& mine) {
  const int height = tile_height(mine, pattern_.reach());
  for (const MeshLine& line : mine) lines_.push_back({line.i, line.j, line.k, 0});
  std::sort(lines_.begin(), lines_.end(), [&](const LocalLine& a, const LocalLine& b) {
    const auto place = [&](const LocalLine& line) {
      return std::tuple((line.j - grid_.lower()[1]) / height, line.i, line.j, line.k.begin);
    };
    return place(a) < place(b);
  });
  for (LocalLine& line : lines_) {
    line.start = num_points_;
    num_points_ += line.k.size();
    const Index first = grid_.id(line.point(0));
    ids_.append({first, first + line.k.size()});
  }
}

void Mesh::find_ghosts() {
  LineTable own;
  for (const LocalLine& line : lines_) own.add(line.i, line.j, {line.k, line.start});
  // What the stencils hold besides own points, by column; not periodic: only where the mesh may have points.
  std::map<std::pair<int, int>, std::vector<Range>> columns;
  const Int3 &lower = grid_.lower(), &upper = grid_.upper();
  const auto outside = [&](std::size_t d, int n) { return !grid_.periodic()[d] && (n < lower[d] || n >= upper[d]); };
  for (const LocalLine& line : lines_)
    for (const Int3& leg : pattern_.legs()) {
      const int i = line.i + leg[0], j = line.j + leg[1];
      if (outside(0, i) || outside(1, j)) continue;
      Range k{line.k.begin + leg[2], line.k.end + leg[2]};
      if (!grid_.periodic()[2]) k = {std::max<Index>(k.begin, lower[2]), std::min<Index>(k.end, upper[2])};
      for (const Range& piece : without(k, own.at(i, j))) add_range(columns[{i, j}], piece);
    }
  // Candidates, cut where the periodic shift changes; images with the same shift are consecutive.
  std::vector<LocalLine> candidates;
  for (auto& [column, ranges] : columns)
    for (Range range : united(std::move(ranges)))
      while (!range.empty()) {
        Index end = range.end;
        if (grid_.periodic()[2]) {
          const Index n = grid_.counts()[2];
          const Index shift = grid_.shift_of({column.first, column.second, static_cast<int>(range.begin)})[2];
          end = std::min(end, (shift + 1) * n);
        }
        candidates.push_back({column.first, column.second, {range.begin, end}, 0});
        range.begin = end;
      }
  std::stable_sort(candidates.begin(), candidates.end(), [&](const LocalLine& a, const LocalLine& b) {
    return grid_.shift_of(a.point(0)) < grid_.shift_of(b.point(0));
  });
  IndexList wanted;
  std::vector<Index> first_of;  // element of `wanted` of each candidate
  Index num_wanted = 0;
  for (const LocalLine& line : candidates) {
    first_of.push_back(num_wanted);
    num_wanted += line.k.size();
    const Int3 shift = grid_.shift_of(line.point(0));
    Int3 point = line.point(0);
    for (std::size_t d = 0; d < 3; ++d) point[d] -= shift[d] * grid_.counts()[d];
    const Index id = grid_.id(point);
    wanted.append({id, id + line.k.size()});
  }
  halo_runs_ = match_layouts(comm_, ids_, wanted, Unowned::leave_out);
  // Candidates that no rank owns are outside the region: the others are numbered.
  std::vector<Index> number(static_cast<std::size_t>(num_wanted), -1);
  for (const PartnerRuns& entry : halo_runs_.receives)
    for_each_run(entry.runs, [&](Index start, Index length) { std::fill_n(number.begin() + start, length, 0); });
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const LocalLine& line = candidates[c];
    for (Index n = 0; n < line.k.size(); ++n) {
      Index& mine = number[static_cast<std::size_t>(first_of[c] + n)];
      if (mine < 0) continue;
      mine = num_points_ + num_ghosts_++;
      const Index k = line.k.begin + n;
      const bool continues = n > 0 && number[static_cast<std::size_t>(first_of[c] + n - 1)] >= 0;
      if (continues)
        ++ghost_lines_.back().k.end;
      else
        ghost_lines_.push_back({line.i, line.j, {k, k + 1}, mine});
    }
  }
  for (PartnerRuns& entry : halo_runs_.receives) {
    RunList numbered;
    for_each_run(entry.runs, [&](Index start, Index length) {
      numbered.append({number[static_cast<std::size_t>(start)], length});
    });
    entry.runs = std::move(numbered);
  }
}

std::vector<Int3> Mesh::points() const {
  std::vector<Int3> points;
  points.reserve(static_cast<std::size_t>(num_points_));
  for (const LocalLine& line : lines_)
    for (Index n = 0; n < line.k.size(); ++n) points.push_back(line.point(n));
  return points;
}

Index Mesh::num_neighbours() const {
  Index neighbours = 0;
  for (const PartnerRuns& entry : halo_runs_.receives) neighbours += entry.partner != comm_.rank() ? 1 : 0;
  return neighbours;
}

}  // namespace wavegrid
