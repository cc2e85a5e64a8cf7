#include "system.hpp"

#include <algorithm>
#include <cmath>

#include <wavegrid/base/random.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid::bench {

namespace {

/// The box of `size` points per edge around a point.
Box box_around(const std::array<double, 3>& centre, int size, Index number) {
  const auto begin = [&](std::size_t d) { return static_cast<int>(std::lround(centre[d])) - size / 2; };
  return {{begin(0), begin(1), begin(2)}, {size, size, size}, number};
}

double uniform(double length, std::initializer_list<std::int64_t> keys) { return (random_at(keys) + 1) / 2 * length; }

}  // namespace

BoxSystem::BoxSystem(const Comm& comm, const Options& options) {
  options.shape == BoxShape::uniform ? make_uniform(comm, options) : make_fibril(comm, options);
  for (std::size_t d = 0; d < 3; ++d)
    if (options.size > grid[d])
      throw bad_input("--size " + std::to_string(options.size) + ": the cell has " + std::to_string(grid[d]) +
                      " points per edge; valid: at most those, or more --boxes, or less --overlap");
  const Range x = BlockLayout(grid[0], comm.size()).range(comm.rank());
  points.append({x.begin * grid[1] * grid[2], x.end * grid[1] * grid[2]});
}

/// Anywhere in a cube in which `overlap` boxes contain a point in the mean.
void BoxSystem::make_uniform(const Comm& comm, const Options& options) {
  all_boxes = Index{options.boxes} * comm.size();
  const double points = static_cast<double>(all_boxes) * std::pow(options.size, 3) / options.overlap;
  const int edge = std::max(options.size, static_cast<int>(std::lround(std::cbrt(points))));
  grid = {edge, edge, edge};
  for (Index i = 0; i < options.boxes; ++i) {
    const Index number = Index{options.boxes} * comm.rank() + i;
    boxes.push_back(box_around({uniform(edge, {number, 0}), uniform(edge, {number, 1}), uniform(edge, {number, 2})},
                               options.size, number));
  }
}

/// The system of ONETEP's report in shape: a fibril of 540 grid points per atom in a long thin cell. The edge of a cell
/// across the fibril is 10 boxes, that is the radius of a box is a tenth of that of the cell; the fibril has half of
/// it.
void BoxSystem::make_fibril(const Comm& comm, const Options& options) {
  constexpr double points_per_atom = 540, pi = 3.141592653589793;
  all_boxes = options.boxes;
  const int across = 10 * options.size;
  const double radius = across / 4.0;
  const double length = static_cast<double>(all_boxes) * points_per_atom / (pi * radius * radius);
  grid = {std::max(options.size, static_cast<int>(std::lround(length))), across, across};
  std::vector<std::array<double, 3>> atoms;
  for (Index i = 0; i < all_boxes; ++i) {
    const double r = radius * std::sqrt(uniform(1, {i, 1})), angle = uniform(2 * pi, {i, 2});
    atoms.push_back({uniform(grid[0], {i, 0}), across / 2.0 + r * std::cos(angle), across / 2.0 + r * std::sin(angle)});
  }
  std::sort(atoms.begin(), atoms.end());
  const Range mine = BlockLayout(all_boxes, comm.size()).range(comm.rank());
  for (Index i = mine.begin; i < mine.end; ++i)
    boxes.push_back(box_around(atoms[static_cast<std::size_t>(i)], options.size, i));
}

}  // namespace wavegrid::bench
