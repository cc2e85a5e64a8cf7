#include "system.hpp"

#include <algorithm>
#include <cmath>

#include <wavegrid/base/random.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/orbitals/common_points.hpp>

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
  if (options.shape == BoxShape::uniform) make_uniform(comm, options);
  if (options.shape == BoxShape::fibril) make_fibril(comm, options);
  if (options.shape == BoxShape::silicon) make_silicon(comm, options);
  if (options.shape == BoxShape::chain) make_chain(comm, options);
  for (std::size_t d = 0; d < 3; ++d)
    if (options.size > grid[d] && options.shape != BoxShape::chain)
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

void BoxSystem::make_silicon(const Comm& comm, const Options& options) {
  constexpr double edge = 10.26, reach = 6;  // bohr
  const int cells = static_cast<int>(std::lround(std::cbrt(options.boxes / 8.0)));
  if (8 * cells * cells * cells != options.boxes)
    throw bad_input("--boxes " + std::to_string(options.boxes) + ": atoms of silicon; valid: 8, 64, 216, 512");
  const int points_per_cell = static_cast<int>(std::lround(options.size * edge / (2 * reach)));
  grid = {cells * points_per_cell, cells * points_per_cell, cells * points_per_cell};
  all_boxes = options.boxes;
  functions = 4;
  std::vector<Box> all;
  for (int cell = 0; cell < cells * cells * cells; ++cell)
    for (int atom = 0; atom < 8; ++atom) {
      const std::array<int, 3> at{cell / (cells * cells), cell / cells % cells, cell % cells};
      std::array<double, 3> centre{};
      for (std::size_t d = 0; d < 3; ++d) {
        const bool is_shifted = atom % 4 != 0 && static_cast<int>(d) != atom % 4 - 1;  // of fcc
        centre[d] = (at[d] + (is_shifted ? 0.5 : 0.0) + (atom < 4 ? 0.0 : 0.25)) * points_per_cell;
      }
      all.push_back(box_around(centre, options.size, std::ssize(all)));
    }
  take_mine(comm, all);
}

void BoxSystem::make_chain(const Comm& comm, const Options& options) {
  constexpr double spacing = 3.2, across = 9, reach = 6;  // bohr
  const double points_per_bohr = options.size / (2 * reach);
  const int width = static_cast<int>(std::lround(across * points_per_bohr));
  all_boxes = options.boxes;
  functions = 1;
  grid = {
      std::max(options.size, static_cast<int>(std::lround(static_cast<double>(all_boxes) * spacing * points_per_bohr))),
      width, width};
  std::vector<Box> all;
  for (Index i = 0; i < all_boxes; ++i) {
    Box box = box_around({static_cast<double>(i) * spacing * points_per_bohr, 0, 0}, options.size, i);
    for (const std::size_t d : {1, 2}) box.begin[d] = 0, box.size[d] = width;
    all.push_back(box);
  }
  take_mine(comm, all);
}

void BoxSystem::take_mine(const Comm& comm, const std::vector<Box>& all) {
  const Range mine = BlockLayout(all_boxes, comm.size()).range(comm.rank());
  boxes.assign(all.begin() + mine.begin, all.begin() + mine.end);
  for (Index b = 0; b < all_boxes; ++b)
    if (std::any_of(boxes.begin(), boxes.end(),
                    [&](const Box& own) { return num_common_points(own, all[static_cast<std::size_t>(b)], grid) > 0; }))
      near.push_back(b);
}

}  // namespace wavegrid::bench
