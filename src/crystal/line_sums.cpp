#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/crystal/line_sums.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/fft/fftw_plan.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

constexpr int width = 16;               // points of the fine grid to which an atom adds
constexpr double decay = 2.30 * width;  // of the kernel, for a grid of twice the points
constexpr double two_pi = 2 * std::numbers::pi;

/// Bounds of |g| along each axis, the same on all ranks.
Int3 largest_indices(const PlaneWaves& waves) {
  Int3 reach{};
  for (std::size_t i = 0; i < 3; ++i)
    reach[i] = 1 + static_cast<int>(std::sqrt(2 * waves.kinetic_bound()) * norm(waves.lattice().vectors()[i]) / two_pi);
  return reach;
}

std::size_t longest_axis(const Int3& reach) {
  return static_cast<std::size_t>(std::max_element(reach.begin(), reach.end()) - reach.begin());
}

int fine_points(int reach) { return smooth_size_from(2 * (2 * reach + 1)); }

/// z from -1 to 1.
double kernel(double z) { return z * z < 1 ? std::exp(decay * (std::sqrt(1 - z * z) - 1)) : 0.0; }

/// What the transform of the kernel multiplies each g with, from 0 to reach; its ends are below rounding.
std::vector<double> kernel_transform(int reach, int points) {
  constexpr int steps = 64;
  std::vector<double> found(static_cast<std::size_t>(reach) + 1, 0.0);
  for (int step = -steps + 1; step < steps; ++step) {
    const double z = static_cast<double>(step) / steps, weight = kernel(z) * (0.5 * width) / steps;
    const double phase = two_pi * z * (0.5 * width) / points;
    for (std::size_t g = 0; g < found.size(); ++g) found[g] += weight * std::cos(phase * static_cast<double>(g));
  }
  return found;
}

/// An atom on the fine grid, with its phases along the other axes.
struct SpreadAtom {
  AtomPhases phases;
  double factor;
  int first;  ///< point, from 0 on
  std::array<double, width> values;
};

SpreadAtom spread(const Int3& reach, const Vec3& position, double factor, std::size_t axis, int points) {
  const double x = (position[axis] - std::floor(position[axis])) * points;
  const double first = std::ceil(x - 0.5 * width);
  Int3 others(reach);
  others[axis] = 0;
  SpreadAtom atom{AtomPhases(others, position), factor, static_cast<int>(first) + (first < 0 ? points : 0), {}};
  for (int i = 0; i < width; ++i) atom.values[static_cast<std::size_t>(i)] = kernel((first + i - x) / (0.5 * width));
  return atom;
}

/// The plane waves of this rank line by line.
std::vector<std::vector<Index>> lines(const PlaneWaves& waves, std::size_t axis) {
  std::map<std::pair<int, int>, std::vector<Index>> found;
  for (Index i = 0; i < waves.size(); ++i) {
    const Int3& g = waves.g()[static_cast<std::size_t>(i)];
    found[{g[(axis + 1) % 3], g[(axis + 2) % 3]}].push_back(i);
  }
  std::vector<std::vector<Index>> all;
  for (auto& [place, line] : found) all.push_back(std::move(line));
  return all;
}

}  // namespace

bool line_sums_pay(const PlaneWaves& waves, Index atoms) {
  constexpr Index least = 200;
  constexpr double operations = 10;  // of a point of a transform, over those of a factor
  const Int3 reach = largest_indices(waves);
  const double points = fine_points(reach[longest_axis(reach)]), sums = static_cast<double>(atoms);
  const double by_lines = 2 * width * sums + operations * points * std::log2(points);
  return atoms >= least && 2 * by_lines < 0.5 * points * sums;
}

std::vector<Complex> line_sums(const PlaneWaves& waves, std::span<const Vec3> positions,
                               std::span<const double> factors) {
  const Int3 reach = largest_indices(waves);
  const std::size_t axis = longest_axis(reach);
  const int points = fine_points(reach[axis]);
  const Int3 here = max_indices(waves);
  const std::vector<double> transform = kernel_transform(here[axis], points);
  std::vector<SpreadAtom> atoms;
  for (std::size_t a = 0; a < positions.size(); ++a)
    atoms.push_back(spread(here, positions[a], factors[a], axis, points));
  const FftwPlan<double> plan({points, 1, 1, points, 1, points}, FftDirection::forward, true, PlanEffort::fixed);
  const std::vector<std::vector<Index>> all = lines(waves, axis);
  std::vector<Complex> sum(static_cast<std::size_t>(waves.size()));
#pragma omp parallel
  {
    AlignedVector<Complex> fine(static_cast<std::size_t>(points + width));
#pragma omp for schedule(static)
    for (const std::vector<Index>& line : all) {
      Int3 g = waves.g()[static_cast<std::size_t>(line.front())];
      g[axis] = 0;
      std::fill(fine.begin(), fine.end(), Complex(0));
      for (const SpreadAtom& atom : atoms) {
        const Complex weight = atom.factor * atom.phases(g);
        Complex* const to = fine.data() + atom.first;
        for (std::size_t i = 0; i < width; ++i) to[i] += weight * atom.values[i];
      }
      for (std::size_t i = 0; i < width; ++i) fine[i] += fine[static_cast<std::size_t>(points) + i];
      plan.run(fine.data(), fine.data());
      for (const Index i : line) {
        const int at = waves.g()[static_cast<std::size_t>(i)][axis];
        sum[static_cast<std::size_t>(i)] = fine[static_cast<std::size_t>(at < 0 ? at + points : at)] /
                                           transform[static_cast<std::size_t>(std::abs(at))];
      }
    }
  }
  return sum;
}

}  // namespace wavegrid
