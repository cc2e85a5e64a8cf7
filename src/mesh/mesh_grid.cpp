#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mesh/mesh_grid.hpp>
#include <wavegrid/mesh/ranges.hpp>

namespace wavegrid {

namespace {

int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// A range of a periodic direction of n points, folded into 0 <= k < n.
std::vector<Range> folded(Range range, Index n) {
  if (range.size() >= n) return {{0, n}};
  const Index shift = (range.begin >= 0 ? range.begin / n : -((-range.begin + n - 1) / n)) * n;
  const Range moved{range.begin - shift, range.end - shift};
  if (moved.end <= n) return {moved};
  return {{moved.begin, n}, {0, moved.end - n}};
}

}  // namespace

/// A convex piece of a region: the points that `distance` accepts, in a box of points that contains them.
struct MeshGrid::Body {
  Vec3 centre{};                ///< bohr
  double radius = 0;            ///< bohr; 0: no condition
  int axis = -1;                ///< the radius is measured from the line along this lattice vector; -1: from the centre
  std::array<Range, 3> extent;  ///< of i, j and k, not folded

  [[nodiscard]] bool contains(const Vec3& position, const Vec3& axis_direction) const {
    if (radius == 0) return true;
    Vec3 away = position - centre;
    if (axis >= 0) away = away - dot(away, axis_direction) * axis_direction;
    return norm2(away) <= radius * radius;
  }
};

MeshRegion MeshRegion::spheres(std::vector<Vec3> centres, std::vector<double> radii) {
  MeshRegion region;
  region.kind = Kind::spheres;
  region.centres = std::move(centres);
  region.radii = std::move(radii);
  return region;
}

MeshRegion MeshRegion::spheres(std::vector<Vec3> centres, double radius) {
  std::vector<double> radii(centres.size(), radius);
  return spheres(std::move(centres), std::move(radii));
}

MeshRegion MeshRegion::cylinder(const Vec3& centre, int axis, double radius, double half_length) {
  MeshRegion region;
  region.kind = Kind::cylinder;
  region.centres = {centre};
  region.radii = {radius};
  region.axis = axis;
  region.half_length = half_length;
  return region;
}

MeshRegion MeshRegion::box(const Vec3& centre, const Vec3& half_lengths) {
  MeshRegion region;
  region.kind = Kind::box;
  region.centres = {centre};
  region.half_lengths = half_lengths;
  return region;
}

Int3 mesh_counts(const Lattice& lattice, const Vec3& spacing) {
  Int3 counts;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!(spacing[d] > 0))
      throw bad_input("mesh: the spacing is " + std::to_string(spacing[d]) + " bohr; it must be positive");
    const double points = std::ceil(norm(lattice.vectors()[d]) / spacing[d] - 1e-9);
    if (points > 1e6)
      throw bad_input("mesh: a spacing of " + std::to_string(spacing[d]) +
                      " bohr gives more than a million points along lattice vector " + std::to_string(d + 1));
    counts[d] = std::max(1, static_cast<int>(points));
  }
  return counts;
}

MeshGrid::MeshGrid(const Lattice& lattice, const Int3& counts, const Periodic& periodic, MeshRegion region)
    : lattice_(lattice), counts_(counts), periodic_(periodic), region_(std::move(region)) {
  check();
  for (std::size_t d = 0; d < 3; ++d) steps_[d] = (1.0 / counts_[d]) * lattice_.vectors()[d];
  point_volume_ = std::abs(determinant(steps_));
  std::array<Range, 3> box;
  bool first = true;
  for (const Body& body : bodies()) {
    for (std::size_t d = 0; d < 3; ++d) {
      box[d].begin = first ? body.extent[d].begin : std::min(box[d].begin, body.extent[d].begin);
      box[d].end = first ? body.extent[d].end : std::max(box[d].end, body.extent[d].end);
    }
    first = false;
  }
  double ids = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (periodic_[d]) box[d] = {0, counts_[d]};
    constexpr Index farthest = Index{1} << 30;
    if (box[d].begin < -farthest || box[d].end > farthest)
      throw bad_input("mesh: the region has more than 2^30 points along lattice vector " + std::to_string(d + 1) +
                      "; the spacing is too small or a length too large");
    lower_[d] = static_cast<int>(box[d].begin);
    upper_[d] = static_cast<int>(std::max(box[d].begin, box[d].end));
    ids *= upper_[d] - lower_[d];
  }
  if (ids > 0x1p62) throw bad_input("mesh: the box around the region has more than 2^62 points");
  num_ids_ = Index{upper_[0] - lower_[0]} * (upper_[1] - lower_[1]) * (upper_[2] - lower_[2]);
}

void MeshGrid::check() const {
  for (std::size_t d = 0; d < 3; ++d)
    if (counts_[d] < 1)
      throw bad_input("mesh: " + std::to_string(counts_[d]) + " points along lattice vector " + std::to_string(d + 1) +
                      "; at least 1 is needed");
  using Kind = MeshRegion::Kind;
  const auto require_positive = [](double length, const char* what) {
    if (!(length > 0) || !std::isfinite(length))
      throw bad_input(std::string("mesh region: the ") + what + " is " + std::to_string(length) +
                      " bohr; it must be positive");
  };
  if (region_.kind == Kind::cell) return;
  if (region_.centres.empty()) throw bad_input("mesh region: no centre is given");
  if (region_.kind != Kind::box) {
    if (region_.radii.size() != region_.centres.size())
      throw bad_input("mesh region: " + std::to_string(region_.radii.size()) + " radii for " +
                      std::to_string(region_.centres.size()) + " centres");
    for (const double radius : region_.radii) require_positive(radius, "radius");
  }
  if (region_.kind == Kind::cylinder) {
    if (region_.axis < 0 || region_.axis > 2)
      throw bad_input("mesh region: the axis of the cylinder is " + std::to_string(region_.axis) +
                      "; it must be 0, 1 or 2");
    if (!periodic_[static_cast<std::size_t>(region_.axis)]) require_positive(region_.half_length, "half length");
  }
  if (region_.kind == Kind::box)
    for (std::size_t d = 0; d < 3; ++d)
      if (!periodic_[d]) require_positive(region_.half_lengths[d], "half length");
}

std::vector<MeshGrid::Body> MeshGrid::bodies() const {
  using Kind = MeshRegion::Kind;
  const Mat3& vectors = lattice_.vectors();
  const Mat3& reciprocal = lattice_.reciprocal();
  constexpr double pi = 3.141592653589793238;
  std::vector<Body> bodies;
  const auto whole = [&](std::size_t d) { return Range{0, counts_[d]}; };
  // The indices within `half` (in points) of the index of the centre along direction d.
  const auto around = [&](const Vec3& centre, std::size_t d, double half) {
    const double middle = dot(centre, reciprocal[d]) / (2 * pi) * counts_[d];
    constexpr double round_off = 1e-9;
    const double low = std::ceil(middle - half - round_off), high = std::floor(middle + half + round_off);
    constexpr double farthest = 0x1p40;
    return Range{static_cast<Index>(std::clamp(low, -farthest, farthest)),
                 static_cast<Index>(std::clamp(high, -farthest, farthest)) + 1};
  };
  // The index along d of a point at distance r of the centre differs by at most this, in points.
  const auto points_in = [&](double r, std::size_t d) { return r * norm(reciprocal[d]) / (2 * pi) * counts_[d]; };
  if (region_.kind == Kind::cell) {
    Body body;
    for (std::size_t d = 0; d < 3; ++d) body.extent[d] = whole(d);
    return {body};
  }
  for (std::size_t n = 0; n < region_.centres.size(); ++n) {
    Body body;
    body.centre = region_.centres[n];
    if (region_.kind != Kind::box) body.radius = region_.radii[n];
    if (region_.kind == Kind::cylinder) body.axis = region_.axis;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool along_axis = static_cast<int>(d) == body.axis;
      if (region_.kind == Kind::box || along_axis) {
        const double half = along_axis ? region_.half_length : region_.half_lengths[d];
        body.extent[d] = periodic_[d] ? whole(d) : around(body.centre, d, half / norm(vectors[d]) * counts_[d]);
        continue;
      }
      body.extent[d] = around(body.centre, d, points_in(body.radius, d));  // the axis is normal to reciprocal[d]
    }
    bodies.push_back(body);
  }
  return bodies;
}

Vec3 MeshGrid::position(const Int3& point) const {
  return Vec3{static_cast<double>(point[0]), static_cast<double>(point[1]), static_cast<double>(point[2])} * steps_;
}

Index MeshGrid::id(const Int3& point) const {
  return (Index{point[0] - lower_[0]} * (upper_[1] - lower_[1]) + (point[1] - lower_[1])) * (upper_[2] - lower_[2]) +
         (point[2] - lower_[2]);
}

Int3 MeshGrid::point_of(Index id) const {
  const Index nk = upper_[2] - lower_[2], nj = upper_[1] - lower_[1];
  return {static_cast<int>(id / nk / nj) + lower_[0], static_cast<int>(id / nk % nj) + lower_[1],
          static_cast<int>(id % nk) + lower_[2]};
}

Int3 MeshGrid::shift_of(const Int3& point) const {
  Int3 shift{};
  for (std::size_t d = 0; d < 3; ++d)
    if (periodic_[d]) shift[d] = floor_div(point[d], counts_[d]);
  return shift;
}

std::vector<MeshLine> MeshGrid::lines() const {
  std::map<std::pair<int, int>, std::vector<Range>> columns;
  const Mat3& vectors = lattice_.vectors();
  for (const Body& body : bodies()) {
    const Vec3 direction = body.axis >= 0 ? (1 / norm(vectors[static_cast<std::size_t>(body.axis)])) *
                                                vectors[static_cast<std::size_t>(body.axis)]
                                          : Vec3{};
    for (Index i = body.extent[0].begin; i < body.extent[0].end; ++i)
      for (Index j = body.extent[1].begin; j < body.extent[1].end; ++j) {
        const auto inside = [&](Index k) {
          return body.contains(position({static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)}), direction);
        };
        Range k = body.extent[2];  // a body is convex: one piece of each line belongs to it
        while (k.begin < k.end && !inside(k.begin)) ++k.begin;
        while (k.begin < k.end && !inside(k.end - 1)) --k.end;
        if (k.empty()) continue;
        const int fi = static_cast<int>(periodic_[0] ? i - counts_[0] * floor_div(static_cast<int>(i), counts_[0]) : i);
        const int fj = static_cast<int>(periodic_[1] ? j - counts_[1] * floor_div(static_cast<int>(j), counts_[1]) : j);
        std::vector<Range>& column = columns[{fi, fj}];
        if (!periodic_[2])
          column.push_back(k);
        else
          for (const Range& piece : folded(k, counts_[2])) column.push_back(piece);
      }
  }
  std::vector<MeshLine> lines;
  for (auto& [column, ranges] : columns)
    for (const Range& k : united(std::move(ranges))) lines.push_back({column.first, column.second, k});
  if (lines.empty()) throw bad_input("mesh: the region contains no point; increase its size or reduce the spacing");
  return lines;
}

}  // namespace wavegrid
