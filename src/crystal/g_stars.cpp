#include <algorithm>
#include <numeric>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/g_stars.hpp>
#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid {

namespace {

Index num_points(const Int3& grid) { return static_cast<Index>(grid[0]) * grid[1] * grid[2]; }

Int3 g_at(const Int3& grid, Index i) {
  const Index stick = i / grid[0];
  return {static_cast<int>(i % grid[0]), static_cast<int>(stick % grid[1]), static_cast<int>(stick / grid[1])};
}

/// The group as it acts on the G of one box.
class BoxAction {
 public:
  BoxAction(const Int3& grid, const SpaceGroup& group, StarField field)
      : grid_(grid),
        common_(std::lcm(std::lcm(Index{grid[0]}, Index{grid[1]}), Index{grid[2]})),
        is_scalar_(field == StarField::scalar) {
    for (const SymmetryOperation& operation : group.translations())
      translations_.push_back({phase_of(operation), !is_scalar_ && operation.time_reversed});
    for (int r = 0; r < group.num_rotations(); ++r) {
      rotations_.push_back(group.rotation_operation(r).rotation);
      phases_.push_back(phase_of(group.rotation_operation(r)));
    }
  }

  /// True where g is the lowest of its star, and the star is not extinct.
  [[nodiscard]] bool leads(Index i) const {
    const Int3 g = g_at(grid_, i);
    for (const auto& [phase, reversed] : translations_)
      if (reversed ? !is_minus_one(phase, g) : !is_one(phase, g)) return false;
    for (std::size_t r = 0; r < rotations_.size(); ++r) {
      const Index image = box_index(grid_, on_reciprocal(rotations_[r], g));
      if (image < i || (is_scalar_ && image == i && !is_one(phases_[r], g))) return false;
    }
    return true;
  }

  void append_star(Index i, GStars& stars) const {
    const Int3 g = g_at(grid_, i);
    stars.first.push_back(g);
    const auto begin = static_cast<std::ptrdiff_t>(stars.members.size());
    for (std::size_t r = 0; r < rotations_.size(); ++r) {
      const Index image = box_index(grid_, on_reciprocal(rotations_[r], g));
      if (std::find(stars.members.begin() + begin, stars.members.end(), image) != stars.members.end()) continue;
      stars.members.push_back(image);
      stars.rotation.push_back(static_cast<std::uint8_t>(r));
    }
    stars.begin.push_back(static_cast<Index>(stars.members.size()));
  }

 private:
  /// g.w in units of 1/common: whole numbers.
  using Phase = std::array<Index, 3>;

  [[nodiscard]] Phase phase_of(const SymmetryOperation& operation) const {
    if (!is_compatible(grid_, operation)) throw internal_error("the grid is not compatible with a symmetry operation");
    const GridOperation map = on_grid(grid_, operation);
    Phase phase{};
    for (std::size_t i = 0; i < 3; ++i) phase[i] = map.translation[i] * (common_ / grid_[i]);
    return phase;
  }

  [[nodiscard]] bool is_one(const Phase& phase, const Int3& g) const { return turns(phase, g) % common_ == 0; }
  [[nodiscard]] bool is_minus_one(const Phase& phase, const Int3& g) const {
    return !is_one(phase, g) && 2 * turns(phase, g) % common_ == 0;
  }
  static Index turns(const Phase& phase, const Int3& g) { return g[0] * phase[0] + g[1] * phase[1] + g[2] * phase[2]; }

  Int3 grid_;
  Index common_;
  bool is_scalar_;
  std::vector<std::pair<Phase, bool>> translations_;  // and whether a field changes its sign
  std::vector<Rotation> rotations_;
  std::vector<Phase> phases_;  // of the first operation of each rotation
};

/// A number coprime to n, near n times the golden ratio 0.618.
Index stride_through(Index n) {
  auto stride = static_cast<Index>(0.6180339887498949 * static_cast<double>(n)) + 1;
  while (std::gcd(stride, n) != 1) ++stride;
  return stride;
}

}  // namespace

Index box_index(const Int3& grid, const Int3& g) {
  Int3 i{};
  for (std::size_t d = 0; d < 3; ++d) i[d] = ((g[d] % grid[d]) + grid[d]) % grid[d];
  return (static_cast<Index>(i[2]) * grid[1] + i[1]) * grid[0] + i[0];
}

GStars make_g_stars(const Int3& grid, const SpaceGroup& group, int parts, int part, StarField field) {
  const BoxAction action(grid, group, field);
  const Index n = num_points(grid), stride = stride_through(n);
  // The first G of stars have low indices; the stride distributes every part's candidates evenly over the whole box.
  std::vector<Index> leaders;
  const Range mine = BlockLayout(n, parts).range(part);
  for (Index i = mine.begin; i < mine.end; ++i)
    if (const Index candidate = i * stride % n; action.leads(candidate)) leaders.push_back(candidate);
  std::sort(leaders.begin(), leaders.end());
  GStars stars;
  stars.begin.push_back(0);
  for (const Index leader : leaders) action.append_star(leader, stars);
  return stars;
}

}  // namespace wavegrid
