#include <algorithm>
#include <cmath>
#include <numeric>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/crystal/symmetric_grid.hpp>

namespace wavegrid {

namespace {

constexpr double same_grid_point = 1e-3;  // grid steps; much larger than the tolerance of find_space_group
constexpr double same_fraction = 1e-5;
constexpr int largest_denominator = 24;

std::string as_text(const Int3& n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

bool is_invariant_under_rotation(const Int3& grid, const Rotation& rotation) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (grid[i] * rotation[i][j] % grid[j] != 0) return false;
  return true;
}

bool is_invariant_under_translation(int n, double w) { return std::abs(n * w - std::round(n * w)) <= same_grid_point; }

/// The smallest denominator of w that a grid can have; 1 where there is none.
int denominator_of(double w) {
  for (int q = 1; q <= largest_denominator; ++q)
    if (std::abs(q * w - std::round(q * w)) <= q * same_fraction) return smooth_size_from(q) == q ? q : 1;
  return 1;
}

/// The divisors that the translations require of each size.
Int3 divisors_of(const SpaceGroup& group) {
  Int3 divisors{1, 1, 1};
  for (const SymmetryOperation& operation : group.operations())
    for (std::size_t i = 0; i < 3; ++i) divisors[i] = std::lcm(divisors[i], denominator_of(operation.translation[i]));
  return divisors;
}

/// The smallest size from n on with no prime factor above 7 that is a multiple of `divisor`.
int next_size(int n, int divisor) {
  for (n = (n + divisor - 1) / divisor * divisor; smooth_size_from(n) != n;) n += divisor;
  return n;
}

/// Searches all grids in ascending sizes that have fewer points than the best so far.
class Search {
 public:
  Search(const Int3& minimum, const SpaceGroup& group) : divisors_(divisors_of(group)) {
    for (int r = 0; r < group.num_rotations(); ++r) rotations_.push_back(group.rotation_operation(r).rotation);
    const int common = std::lcm(std::lcm(divisors_[0], divisors_[1]), divisors_[2]);
    const int equal = next_size(std::max({minimum[0], minimum[1], minimum[2]}), common);
    best_ = {equal, equal, equal};  // equal sizes are compatible with every rotation
    for (std::size_t i = 0; i < 3; ++i) first_[i] = next_size(minimum[i], divisors_[i]);
  }

  Int3 run() {
    for (Int3 n = first_; points({n[0], first_[1], first_[2]}) < points(best_); n[0] = after(n, 0))
      for (n[1] = first_[1]; points({n[0], n[1], first_[2]}) < points(best_); n[1] = after(n, 1))
        for (n[2] = first_[2]; points(n) < points(best_); n[2] = after(n, 2))
          if (is_compatible_with_all(n)) best_ = n;
    return best_;
  }

 private:
  static Index points(const Int3& n) { return static_cast<Index>(n[0]) * n[1] * n[2]; }
  [[nodiscard]] int after(const Int3& n, std::size_t i) const { return next_size(n[i] + 1, divisors_[i]); }
  [[nodiscard]] bool is_compatible_with_all(const Int3& n) const {
    return std::all_of(rotations_.begin(), rotations_.end(),
                       [&](const auto& w) { return is_invariant_under_rotation(n, w); });
  }

  Int3 divisors_;
  std::vector<Rotation> rotations_;
  Int3 first_{}, best_{};
};

}  // namespace

bool is_compatible(const Int3& grid, const SymmetryOperation& operation) {
  if (!is_invariant_under_rotation(grid, operation.rotation)) return false;
  for (std::size_t i = 0; i < 3; ++i)
    if (!is_invariant_under_translation(grid[i], operation.translation[i])) return false;
  return true;
}

GridOperation on_grid(const Int3& grid, const SymmetryOperation& operation) {
  GridOperation map;
  for (std::size_t i = 0; i < 3; ++i) {
    map.translation[i] = static_cast<int>(std::lround(grid[i] * operation.translation[i])) % grid[i];
    for (std::size_t j = 0; j < 3; ++j) map.matrix[i][j] = grid[i] * operation.rotation[i][j] / grid[j];
  }
  return map;
}

CompatibleSubgroup compatible_subgroup(const Int3& grid, const SpaceGroup& group) {
  CompatibleSubgroup compatible{group.subgroup([&](const auto& operation) { return is_compatible(grid, operation); }),
                                ""};
  if (compatible.group.size() < group.size())
    compatible.message = "the grid " + as_text(grid) + " is compatible with " +
                         std::to_string(compatible.group.size()) + " of " + std::to_string(group.size()) +
                         " symmetry operations of " + group.symbol() +
                         "; the others are left out (a grid chosen by the program, or another origin, may keep more)";
  return compatible;
}

Int3 symmetric_grid(const Int3& minimum, const SpaceGroup& group) {
  for (const int n : minimum)
    if (n < 1) throw bad_input("the grid " + as_text(minimum) + " has a size below 1");
  return Search(minimum, group).run();
}

}  // namespace wavegrid
