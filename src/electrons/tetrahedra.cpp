#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <wavegrid/electrons/tetrahedra.hpp>

namespace wavegrid {
namespace {

using Corners = std::array<double, 4>;

/// Levels at the corners from those of 20 points, times 1260: the linear function in the tetrahedron that is nearest to
/// the polynomial of third order through them (Kawamura et al., Eq. 18 to 20).
constexpr int third_order[4][20] = {
    {1440, 0, 30, 0, -38, 7, 17, -28, -56, 9, -46, 9, -38, -28, 17, 7, -18, -18, 12, -18},
    {0, 1440, 0, 30, -28, -38, 7, 17, 9, -56, 9, -46, 7, -38, -28, 17, -18, -18, -18, 12},
    {30, 0, 1440, 0, 17, -28, -38, 7, -46, 9, -56, 9, 17, 7, -38, -28, 12, -18, -18, -18},
    {0, 30, 0, 1440, 7, 17, -28, -38, 9, -46, 9, -56, -28, 17, 7, -38, -18, 12, -18, -18}};
/// The points around a tetrahedron with corners p0 to p3: sums of corners with these factors.
constexpr int around[16][4] = {{2, -1, 0, 0}, {0, 2, -1, 0}, {0, 0, 2, -1}, {-1, 0, 0, 2}, {2, 0, -1, 0}, {0, 2, 0, -1},
                               {-1, 0, 2, 0}, {0, -1, 0, 2}, {2, 0, 0, -1}, {-1, 2, 0, 0}, {0, -1, 2, 0}, {0, 0, -1, 2},
                               {-1, 1, 0, 1}, {1, -1, 1, 0}, {0, 1, -1, 1}, {1, 0, 1, -1}};

double cube(double x) { return x * x * x; }

/// The share of a tetrahedron with levels below E; `e` ascending.
double share_below(const Corners& e, double energy) {
  const auto d = [&](int i, int j) { return e[static_cast<std::size_t>(i)] - e[static_cast<std::size_t>(j)]; };
  if (energy < e[0]) return 0;
  if (energy < e[1]) return cube(energy - e[0]) / (d(1, 0) * d(2, 0) * d(3, 0));
  if (energy < e[2]) {
    const double x = energy - e[1];
    return (d(1, 0) * d(1, 0) + 3 * d(1, 0) * x + 3 * x * x - (d(2, 0) + d(3, 1)) / (d(2, 1) * d(3, 1)) * cube(x)) /
           (d(2, 0) * d(3, 0));
  }
  if (energy < e[3]) return 1 - cube(e[3] - energy) / (d(3, 0) * d(3, 1) * d(3, 2));
  return 1;
}

/// Its derivative.
double density(const Corners& e, double energy) {
  const auto d = [&](int i, int j) { return e[static_cast<std::size_t>(i)] - e[static_cast<std::size_t>(j)]; };
  if (energy < e[0] || energy >= e[3]) return 0;
  if (energy < e[1]) return 3 * (energy - e[0]) * (energy - e[0]) / (d(1, 0) * d(2, 0) * d(3, 0));
  if (energy < e[2]) {
    const double x = energy - e[1];
    return (3 * d(1, 0) + 6 * x - 3 * (d(2, 0) + d(3, 1)) * x * x / (d(2, 1) * d(3, 1))) / (d(2, 0) * d(3, 0));
  }
  return 3 * (e[3] - energy) * (e[3] - energy) / (d(3, 0) * d(3, 1) * d(3, 2));
}

/// The shares of the corners in share_below (Bloechl et al., Appendix B); `e` ascending.
Corners corner_shares(const Corners& e, double energy) {
  const auto d = [&](int i, int j) { return e[static_cast<std::size_t>(i)] - e[static_cast<std::size_t>(j)]; };
  if (energy < e[0]) return {};
  if (energy >= e[3]) return {0.25, 0.25, 0.25, 0.25};
  if (energy < e[1]) {
    const double x = energy - e[0], c = 0.25 * share_below(e, energy);
    return {c * (4 - x * (1 / d(1, 0) + 1 / d(2, 0) + 1 / d(3, 0))), c * x / d(1, 0), c * x / d(2, 0), c * x / d(3, 0)};
  }
  if (energy >= e[2]) {
    const double x = e[3] - energy, c = 0.25 * (1 - share_below(e, energy));
    return {0.25 - c * x / d(3, 0), 0.25 - c * x / d(3, 1), 0.25 - c * x / d(3, 2),
            0.25 - c * (4 - x * (1 / d(3, 0) + 1 / d(3, 1) + 1 / d(3, 2)))};
  }
  const double x0 = energy - e[0], x1 = energy - e[1], x2 = e[2] - energy, x3 = e[3] - energy;
  const double c1 = 0.25 * x0 * x0 / (d(3, 0) * d(2, 0));
  const double c2 = 0.25 * x0 * x1 * x2 / (d(3, 0) * d(2, 1) * d(2, 0));
  const double c3 = 0.25 * x1 * x1 * x3 / (d(3, 1) * d(2, 1) * d(3, 0));
  return {c1 + (c1 + c2) * x2 / d(2, 0) + (c1 + c2 + c3) * x3 / d(3, 0),
          c1 + c2 + c3 + (c2 + c3) * x2 / d(2, 1) + c3 * x3 / d(3, 1),
          (c1 + c2) * x0 / d(2, 0) + (c2 + c3) * x1 / d(2, 1), (c1 + c2 + c3) * x0 / d(3, 0) + c3 * x1 / d(3, 1)};
}

/// Levels of one tetrahedron and band, ascending.
struct Entry {
  Corners levels;
  double share;
};

/// The energy at which the number of states passes `states`, to the last bit.
double energy_with(std::vector<Entry> entries, double states) {
  double low = entries.front().levels[0], high = entries.front().levels[3], full = 0;
  for (const Entry& entry : entries) {
    low = std::min(low, entry.levels[0]);
    high = std::max(high, entry.levels[3]);
  }
  high += 1;  // Ha: all bands are full below it
  while (true) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) return middle;
    double found = full;
    for (const Entry& entry : entries) found += entry.share * share_below(entry.levels, middle);
    (found > states ? high : low) = middle;
    std::erase_if(entries, [&](const Entry& entry) {
      const bool is_full = entry.levels[3] <= low;
      if (is_full) full += entry.share;
      return is_full || entry.levels[0] >= high;
    });
  }
}

/// Gives the mean to levels of a point that are equal: bands that cross there share their electrons.
void average_degenerate(std::span<const double> levels, Index bands, std::vector<double>& weights) {
  constexpr double equal = 1e-6;  // Ha
  const auto count = static_cast<std::size_t>(bands);
  std::vector<std::size_t> order(count);
  for (std::size_t first = 0; first < levels.size(); first += count) {
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return levels[a] < levels[b]; });
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      double sum = 0;
      for (end = begin; end < count && levels[order[end]] - levels[order[begin]] < equal; ++end)
        sum += weights[order[end]];
      for (std::size_t i = begin; i < end; ++i) weights[order[i]] = sum / static_cast<double>(end - begin);
    }
  }
}

/// Corners of the six tetrahedra of a cell, in steps of the mesh.
std::vector<std::array<Int3, 4>> tetrahedra_of_cell(const Int3& size, const Mat3& reciprocal) {
  int axis = 3;  // along which the diagonal runs backwards; 3: along none
  double shortest = 0;
  for (int candidate = 3; candidate >= 0; --candidate) {
    Vec3 diagonal{};
    for (int i = 0; i < 3; ++i) {
      const auto row = static_cast<std::size_t>(i);
      diagonal = diagonal + ((i == candidate ? -1.0 : 1.0) / size[row]) * reciprocal[row];
    }
    if (candidate == 3 || norm2(diagonal) < shortest * (1 - 1e-9)) {
      shortest = norm2(diagonal);
      axis = candidate;
    }
  }
  Int3 start{}, step{1, 1, 1};
  if (axis < 3) {
    start[static_cast<std::size_t>(axis)] = 1;
    step[static_cast<std::size_t>(axis)] = -1;
  }
  std::vector<std::array<Int3, 4>> found;
  std::array<std::size_t, 3> path{0, 1, 2};
  do {
    std::array<Int3, 4> corners{start, start, start, start};
    for (std::size_t c = 1; c < 4; ++c) {
      corners[c] = corners[c - 1];
      corners[c][path[c - 1]] += step[path[c - 1]];
    }
    found.push_back(corners);
  } while (std::ranges::next_permutation(path).found);
  return found;
}

}  // namespace

Tetrahedra::Tetrahedra(const Int3& size, const Mat3& reciprocal, std::span<const Index> numbers,
                       TetrahedronLevels levels)
    : levels_(levels), num_k_(numbers.empty() ? 0 : *std::ranges::max_element(numbers) + 1) {
  const auto number = [&](const Int3& cell, const Int3& offset) {
    Index flat = 0;
    for (std::size_t i = 0; i < 3; ++i) flat = flat * size[i] + ((cell[i] + offset[i]) % size[i] + size[i]) % size[i];
    return numbers[static_cast<std::size_t>(flat)];
  };
  std::map<Points, double> shares;
  const double share = 1 / (6 * static_cast<double>(numbers.size()));
  const auto kinds = tetrahedra_of_cell(size, reciprocal);
  Int3 cell;
  for (cell[0] = 0; cell[0] < size[0]; ++cell[0])
    for (cell[1] = 0; cell[1] < size[1]; ++cell[1])
      for (cell[2] = 0; cell[2] < size[2]; ++cell[2])
        for (const auto& corners : kinds) {
          Points points{};
          for (std::size_t c = 0; c < 4; ++c) points[c] = number(cell, corners[c]);
          if (levels == TetrahedronLevels::bloechl) std::sort(points.begin(), points.begin() + 4);
          if (levels == TetrahedronLevels::optimised)
            for (std::size_t p = 0; p < 16; ++p) {
              Int3 offset{};
              for (std::size_t c = 0; c < 4; ++c)
                for (std::size_t i = 0; i < 3; ++i) offset[i] += around[p][c] * corners[c][i];
              points[4 + p] = number(cell, offset);
            }
          shares[points] += share;
        }
  for (const auto& [points, sum] : shares) tetrahedra_.push_back({points, sum});
}

std::vector<double> Tetrahedra::corner_factors() const {
  std::vector<double> factors;
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t p = 0; p < (levels_ == TetrahedronLevels::bloechl ? 4 : num_points); ++p)
      factors.push_back(levels_ == TetrahedronLevels::bloechl ? (c == p ? 1.0 : 0.0) : third_order[c][p] / 1260.0);
  return factors;
}

Tetrahedra::Corners Tetrahedra::corner_levels(const Points& points, std::span<const double> levels, Index bands,
                                              Index band) const {
  const auto level = [&](std::size_t p) { return levels[static_cast<std::size_t>(points[p] * bands + band)]; };
  Corners found{};
  for (std::size_t c = 0; c < 4; ++c) {
    if (levels_ == TetrahedronLevels::bloechl) {
      found[c] = level(c);
      continue;
    }
    for (std::size_t p = 0; p < num_points; ++p) found[c] += third_order[c][p] / 1260.0 * level(p);
  }
  return found;
}

double Tetrahedra::fermi_level(std::span<const double> levels, double states, double tolerance) const {
  const Index bands = static_cast<Index>(levels.size()) / num_k_;
  std::vector<Entry> entries;
  for (const Tetrahedron& one : tetrahedra_)
    for (Index band = 0; band < bands; ++band) {
      Entry entry{corner_levels(one.points, levels, bands, band), one.share};
      std::ranges::sort(entry.levels);
      entries.push_back(entry);
    }
  const double low = energy_with(entries, states - tolerance);
  return 0.5 * (low + energy_with(std::move(entries), states + tolerance));
}

std::vector<double> Tetrahedra::weights(std::span<const double> levels, double energy) const {
  const Index bands = static_cast<Index>(levels.size()) / num_k_;
  std::vector<double> found(levels.size(), 0.0);
  for (const Tetrahedron& one : tetrahedra_)
    for (Index band = 0; band < bands; ++band) {
      const Corners unsorted = corner_levels(one.points, levels, bands, band);
      std::array<std::size_t, 4> order{0, 1, 2, 3};
      std::ranges::stable_sort(order, {}, [&](std::size_t c) { return unsorted[c]; });
      Corners e;
      for (std::size_t c = 0; c < 4; ++c) e[c] = unsorted[order[c]];
      if (energy < e[0]) continue;
      Corners shares = corner_shares(e, energy);
      const auto weight = [&](std::size_t p) -> double& {
        return found[static_cast<std::size_t>(one.points[p] * bands + band)];
      };
      if (levels_ == TetrahedronLevels::bloechl) {
        const double slope = density(e, energy) / 40, sum = e[0] + e[1] + e[2] + e[3];
        for (std::size_t c = 0; c < 4; ++c) weight(order[c]) += one.share * (shares[c] + slope * (sum - 4 * e[c]));
        continue;
      }
      for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t p = 0; p < num_points; ++p)
          weight(p) += one.share * shares[c] * third_order[order[c]][p] / 1260.0;
    }
  average_degenerate(levels, bands, found);
  return found;
}

}  // namespace wavegrid
