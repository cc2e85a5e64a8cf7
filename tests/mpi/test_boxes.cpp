// Boxes and grid against a serial reference that every rank computes for itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/boxes/box_exchange.hpp>
#include <wavegrid/layout/block_layout.hpp>

#include "baselines/compared_boxes.hpp"

namespace wavegrid::test_boxes {
namespace {

using bench::box_methods;
using bench::BoxMethod;
using bench::ComparedBoxes;
using bench::ComparedBoxOptions;
using Complex = std::complex<double>;

enum class Layout { planes, pencils, scattered };
constexpr Layout layouts[] = {Layout::planes, Layout::pencils, Layout::scattered};

Index points_of(const Int3& grid) { return Index{1} * grid[0] * grid[1] * grid[2]; }

/// The points of a rank: planes of fixed x, as the compact FFT has them on one column; lines along z of a part of x and
/// y; or single points far from each other, none on rank 1.
IndexList layout_of(Layout layout, const Int3& grid, int ranks, int rank) {
  const auto [nx, ny, nz] = std::array<Index, 3>{grid[0], grid[1], grid[2]};
  IndexList list;
  if (layout == Layout::planes) {
    const Range x = BlockLayout(nx, ranks).range(rank);
    list.append({x.begin * ny * nz, x.end * ny * nz});
  } else if (layout == Layout::pencils) {
    const int columns = ranks % 2 == 0 ? 2 : 1;
    const Range x = BlockLayout(nx, ranks / columns).range(rank / columns);
    const Range y = BlockLayout(ny, columns).range(rank % columns);
    for (Index i = x.begin; i < x.end; ++i) list.append({(i * ny + y.begin) * nz, (i * ny + y.end) * nz});
  } else {
    const int owners = ranks == 1 ? 1 : ranks - 1;
    const int mine = ranks > 1 && rank > 1 ? rank - 1 : rank;
    for (Index i = points_of(grid) - 1; i >= 0; --i)
      if ((ranks == 1 || rank != 1) && i % owners == mine) list.append({i, i + 1});
  }
  return list;
}

/// Calls an action with the grid index of each point of a box, in the order of its values.
template <class Action>
void for_points(const Box& box, const Int3& grid, Action action) {
  for (int x = 0; x < box.size[0]; ++x)
    for (int y = 0; y < box.size[1]; ++y)
      for (int z = 0; z < box.size[2]; ++z) {
        const auto at = [&](std::size_t d, int i) { return ((box.begin[d] + i) % grid[d] + grid[d]) % grid[d]; };
        action((Index{1} * at(0, x) * grid[1] + at(1, y)) * grid[2] + at(2, z));
      }
}

int random_int(int below, std::initializer_list<std::int64_t> keys) {
  return static_cast<int>((random_at(keys) + 1) / 2 * below);
}

struct Case {
  Int3 grid;
  std::vector<Box> boxes;   ///< of all ranks, by number
  std::vector<int> owners;  ///< of the boxes

  [[nodiscard]] std::vector<Box> of(int rank) const {
    std::vector<Box> mine;
    for (std::size_t b = 0; b < boxes.size(); ++b)
      if (owners[b] == rank) mine.push_back(boxes[b]);
    return mine;
  }
};

/// Boxes anywhere in and around the cell, of random sizes up to `largest`, some without points; rank 0 has none of
/// them.
Case random_case(const Int3& grid, int boxes, const Int3& largest, int ranks, int seed) {
  Case made{grid, {}, {}};
  for (int b = 0; b < boxes; ++b) {
    Box box{.begin = {}, .size = {}, .number = b};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto key = static_cast<std::int64_t>(d);
      box.size[d] = random_int(largest[d] + 1, {seed, b, key, 1});
      box.begin[d] = random_int(4 * grid[d], {seed, b, key, 2}) - 2 * grid[d];
    }
    made.boxes.push_back(box);
    made.owners.push_back(ranks == 1 ? 0 : 1 + random_int(ranks - 1, {seed, b, 3}));
  }
  return made;
}

template <class T>
T value_at(std::initializer_list<std::int64_t> keys) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(random_at(keys));
  else
    return {static_cast<typename T::value_type>(random_at(keys)), static_cast<typename T::value_type>(keys.size())};
}

/// The value of a box at the i-th of its (field, point), and that of the grid.
template <class T>
T box_value(Index number, Index i) {
  return value_at<T>({number, i, 77});
}
template <class T>
T grid_value(Index field, Index point) {
  return value_at<T>({field, point});
}

template <class T>
std::vector<T> values_of(const std::vector<Box>& boxes, Index fields) {
  std::vector<T> values;
  for (const Box& box : boxes)
    for (Index i = 0; i < box.points() * fields; ++i) values.push_back(box_value<T>(box.number, i));
  return values;
}

std::vector<Index> expanded(const IndexList& list) {
  std::vector<Index> points;
  for (const Range& range : list.ranges())
    for (Index i = range.begin; i < range.end; ++i) points.push_back(i);
  return points;
}

template <class T>
std::vector<T> my_grid(const IndexList& list, Index fields) {
  std::vector<T> values;
  for (Index f = 0; f < fields; ++f)
    for (const Index point : expanded(list)) values.push_back(grid_value<T>(f, point));
  return values;
}

template <class T>
std::vector<T> reference_extract(const Case& all, const std::vector<Box>& boxes, Index fields) {
  std::vector<T> values;
  for (const Box& box : boxes)
    for (Index f = 0; f < fields; ++f)
      for_points(box, all.grid, [&](Index point) { values.push_back(grid_value<T>(f, point)); });
  return values;
}

/// The deposit of all boxes, box after box, on this rank's points.
template <class T>
std::vector<T> reference_deposit(const Case& all, const IndexList& mine, Index fields) {
  std::vector<T> result;
  for (Index f = 0; f < fields; ++f) {
    std::vector<T> grid;
    for (Index point = 0; point < points_of(all.grid); ++point) grid.push_back(grid_value<T>(f, point));
    for (const Box& box : all.boxes) {
      Index i = f * box.points();
      for_points(box, all.grid, [&](Index p) { grid[static_cast<std::size_t>(p)] += box_value<T>(box.number, i++); });
    }
    for (const Index point : expanded(mine)) result.push_back(grid[static_cast<std::size_t>(point)]);
  }
  return result;
}

template <class T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, static_cast<double>(std::abs(a[i] - b[i])));
  return worst;
}

/// All operations of one exchange against the reference, with arrays and with functions.
template <class T>
void expect_right(const Comm& comm, const Case& all, Layout layout, const ComparedBoxOptions& options, Index fields) {
  SCOPED_TRACE(std::string(to_string(options.method)) + ", layout " + std::to_string(static_cast<int>(layout)) + ", " +
               std::to_string(options.threads) + " threads, ranks " + std::to_string(comm.size()));
  const IndexList points = layout_of(layout, all.grid, comm.size(), comm.rank());
  const std::vector<Box> boxes = all.of(comm.rank());
  ComparedBoxes exchange(comm, all.grid, points, boxes, options);
  const std::vector<T> grid = my_grid<T>(points, fields), expected = reference_extract<T>(all, boxes, fields);
  const std::vector<T> mine = values_of<T>(boxes, fields);
  const auto at = [&](Index b) { return exchange.offset(static_cast<std::size_t>(b)) * fields; };

  std::vector<T> extracted(expected.size()), read(expected.size());
  exchange.extract(grid.data(), extracted.data(), fields);
  EXPECT_EQ(extracted, expected);
  const ReadBox<T> reader = [&](Index b, std::span<const T> v) { std::copy(v.begin(), v.end(), read.begin() + at(b)); };
  exchange.extract(grid.data(), reader, fields);
  EXPECT_EQ(read, expected);

  const std::vector<T> sums = reference_deposit<T>(all, points, fields);
  const double rounding = 20 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  std::vector<T> deposited(grid), filled(grid);
  exchange.deposit(mine.data(), deposited.data(), fields);
  const FillBox<T> fill = [&](Index b, std::span<T> v) { std::copy_n(mine.begin() + at(b), v.size(), v.begin()); };
  exchange.deposit(fill, filled.data(), fields);
  EXPECT_LE(difference(deposited, sums), rounding);
  EXPECT_LE(difference(filled, sums), rounding);
  if (options.deterministic) {
    EXPECT_EQ(deposited, sums);
  }
  if (options.method == BoxMethod::planned_union) {
    EXPECT_EQ(deposited, filled);
  }

  if (fields > 1 || options.method != BoxMethod::planned_union) return;
  std::vector<T> integrals(boxes.size());
  BoxExchange(comm, all.grid, points, boxes, {.threads = options.threads})
      .integrate(grid.data(), mine.data(), integrals.data());
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    T sum(0);
    for (Index i = exchange.offset(b); i < exchange.offset(b + 1); ++i)
      sum += conjugate(mine[static_cast<std::size_t>(i)]) * expected[static_cast<std::size_t>(i)];
    EXPECT_LE(std::abs(integrals[b] - sum), 100 * rounding);
  }
}

TEST(Boxes, EveryMethodEqualsTheSerialReference) {
  const Comm world = Comm::world();
  const Case all = random_case({7, 8, 9}, 12, {7, 8, 9}, world.size(), 1);
  for (const Layout layout : layouts) {
    for (const BoxMethod method : box_methods()) expect_right<double>(world, all, layout, {.method = method}, 1);
    expect_right<double>(world, all, layout, {.threads = 3}, 2);
    expect_right<double>(world, all, layout, {.deterministic = true, .threads = 2}, 2);
  }
  for (const BoxMethod method : box_methods()) {
    expect_right<Complex>(world, all, Layout::pencils, {.method = method}, 2);
    expect_right<float>(world, all, Layout::pencils, {.method = method}, 1);
  }
  expect_right<std::complex<float>>(world, all, Layout::pencils, {}, 1);
}

TEST(Boxes, OnSubCommunicatorsAndWithoutBoxes) {
  const Comm world = Comm::world();
  const Comm part = world.split(world.rank() % 2, -world.rank());
  const Case all = random_case({5, 4, 6}, 9, {5, 4, 6}, part.size(), 2);
  const Case none = random_case({5, 4, 6}, 0, {5, 4, 6}, part.size(), 2);
  for (const BoxMethod method : box_methods())
    for (const Case& one : {all, none}) expect_right<double>(part, one, Layout::planes, {.method = method}, 1);
}

TEST(Boxes, ADeltaPassesEveryFaceAndReturns) {
  const Comm world = Comm::world();
  const Int3 grid{6, 5, 7}, size{3, 3, 3};
  const IndexList points = layout_of(Layout::pencils, grid, world.size(), world.rank());
  const std::vector<Index> mine = expanded(points);
  const int last = world.size() - 1;
  for (std::size_t face = 0; face < 6; ++face) {
    Int3 begin{1, 1, 1};
    begin[face / 2] = face % 2 == 0 ? -2 : grid[face / 2] - 1;
    std::vector<Box> boxes;
    if (world.rank() == last) boxes = {{begin, size, 0}};
    BoxExchange exchange(world, grid, points, boxes);
    Int3 inside{1, 1, 1};
    inside[face / 2] = face % 2 == 0 ? 0 : 2;  // beyond the face
    const std::size_t peak = static_cast<std::size_t>((inside[0] * 3 + inside[1]) * 3 + inside[2]);
    std::vector<double> values(boxes.empty() ? 0 : 27, 0.0), on_grid(mine.size(), 0.0);
    if (!values.empty()) values[peak] = 1;
    exchange.deposit(values.data(), on_grid.data());
    Int3 at{};
    for (std::size_t d = 0; d < 3; ++d) at[d] = wrapped(begin[d] + inside[d], grid[d]);
    const Index expected = (Index{1} * at[0] * grid[1] + at[1]) * grid[2] + at[2];
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(on_grid[i], mine[i] == expected ? 1 : 0);
    std::vector<double> back(values.size(), -1);
    exchange.extract(on_grid.data(), back.data());
    EXPECT_EQ(back, values);
  }
}

/// With integers every order of additions gives the same number.
TEST(Boxes, ManySmallBoxesGiveTheirSum) {
  const Comm world = Comm::world();
  const Int3 grid{32, 30, 28};
  constexpr int boxes_per_rank = 4000;
  for (const BoxMethod method : {BoxMethod::planned_union, BoxMethod::flush_local}) {
    const IndexList points = layout_of(Layout::pencils, grid, world.size(), world.rank());
    std::vector<Box> boxes;
    for (int b = 0; b < boxes_per_rank / (method == BoxMethod::planned_union ? 1 : 20); ++b) {
      Box box{.begin = {}, .size = {}, .number = Index{boxes_per_rank} * world.rank() + b};
      for (std::size_t d = 0; d < 3; ++d) {
        box.size[d] = random_int(5, {box.number, static_cast<std::int64_t>(d), 8});
        box.begin[d] = random_int(3 * grid[d], {box.number, static_cast<std::int64_t>(d), 9}) - grid[d];
      }
      boxes.push_back(box);
    }
    ComparedBoxes exchange(world, grid, points, boxes, {.method = method});
    std::vector<double> values(static_cast<std::size_t>(exchange.offset(boxes.size())));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 17);
    std::vector<double> sums(static_cast<std::size_t>(points_of(grid)), 0), mine;
    std::size_t i = 0;
    for (const Box& box : boxes)
      for_points(box, grid, [&](Index point) { sums[static_cast<std::size_t>(point)] += values[i++]; });
    world.sum(std::span<double>(sums));
    for (const Index point : expanded(points)) mine.push_back(sums[static_cast<std::size_t>(point)]);
    std::vector<double> on_grid(mine.size(), 0), back(values.size());
    exchange.deposit(values.data(), on_grid.data());
    EXPECT_EQ(on_grid, mine) << to_string(method);
    exchange.extract(on_grid.data(), back.data());
    i = 0;
    Index wrong = 0;
    for (const Box& box : boxes)
      for_points(box, grid, [&](Index point) { wrong += back[i++] != sums[static_cast<std::size_t>(point)] ? 1 : 0; });
    EXPECT_EQ(wrong, 0) << to_string(method);
  }
}

/// The message of the error on this rank.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Boxes, InvalidArgumentsAreNamedOnAllRanks) {
  const Comm world = Comm::world();
  const Int3 grid{6, 5, 4};
  const int last = world.size() - 1;
  const IndexList points = layout_of(Layout::planes, grid, world.size(), world.rank());
  const auto with_box = [&](Int3 size, ComparedBoxOptions options = {}) {
    return error_of([&] {
      std::vector<Box> boxes{{{0, 0, 0}, {1, 1, 1}, 2 * world.rank()}};
      if (world.rank() == last) boxes.push_back({{0, 0, 0}, size, 2 * world.rank() + 1});
      const ComparedBoxes exchange(world, grid, points, boxes, options);
    });
  };
  const std::string box = "box 1 of rank " + std::to_string(last) + " has ";
  EXPECT_EQ(with_box({2, 6, 2}),
            box + "2 x 6 x 2 points, but the cell has 6 x 5 x 4; valid: at most those of the cell");
  EXPECT_EQ(with_box({2, -1, 2}), box + "2 x -1 x 2 points, a negative size; valid: 0 or more");
  EXPECT_THAT(with_box({1, 1, 1}, {.method = BoxMethod::lock, .calls = MpiCalls::at_once}),
              testing::HasSubstr("one lock of a target at a time"));
  EXPECT_THAT(with_box({1, 1, 1}, {.method = BoxMethod::flush, .threads = 2, .calls = MpiCalls::at_once}),
              testing::HasSubstr("MPI_THREAD_MULTIPLE"))
      << "the tests run at the level funneled";
  EXPECT_THAT(with_box({1, 1, 1}, {.threads = 0}), testing::HasSubstr("on 0 threads"));
  for (const BoxMethod method : {BoxMethod::planned_union, BoxMethod::flush}) {
    const IndexList missing = world.rank() == 0 ? IndexList{{1, 2}} : IndexList{};
    EXPECT_THAT(error_of([&] {
                  const ComparedBoxes exchange(world, grid, missing, {{{0, 0, 0}, {1, 1, 1}, 0}}, {.method = method});
                }),
                testing::AllOf(testing::HasSubstr(" 0 is "), testing::HasSubstr("no rank")));
  }
  EXPECT_THAT(error_of([&] {
                const BoxExchange exchange(world, grid, points, {{{}, {1, 1, 1}, 3}, {{}, {1, 1, 1}, 3}},
                                           {.deterministic = true});
              }),
              testing::HasSubstr("numbers of boxes, which must differ"));
  if (world.size() == 1) return;
  const BoxOptions options{.transport = world.rank() == last ? Transport::ring : Transport::shared};
  EXPECT_THAT(error_of([&] { const BoxExchange exchange(world, grid, points, {}, options); }),
              testing::HasSubstr("the transport is"));
}

TEST(Boxes, ValuesThatAreNotNumbersAreNamedOnAllRanks) {
  const Comm world = Comm::world();
  const Int3 grid{6, 5, 4};
  const int last = world.size() - 1;
  const IndexList points = layout_of(Layout::planes, grid, world.size(), world.rank());
  for (const BoxMethod method : box_methods())
    for (const bool deterministic : {false, true}) {
      if (deterministic && method != BoxMethod::planned_union) continue;
      const std::vector<Box> boxes{{{}, {2, 2, 2}, 2 * world.rank()}, {{}, {1, 2, 3}, 2 * world.rank() + 1}};
      ComparedBoxes exchange(world, grid, points, boxes, {.method = method, .deterministic = deterministic});
      std::vector<double> values(14, 1.0), on_grid(static_cast<std::size_t>(points.size()), 1.0), integrals(2);
      if (world.rank() == last) values[10] = std::numeric_limits<double>::quiet_NaN();
      const std::string message = "box 1 of rank " + std::to_string(last) + ": value 2 of 6 is not a number";
      EXPECT_EQ(error_of([&] { exchange.deposit(values.data(), on_grid.data()); }), message);
      if (method != BoxMethod::planned_union) continue;
      BoxExchange planned(world, grid, points, boxes, {.deterministic = deterministic});
      EXPECT_EQ(error_of([&] { planned.deposit(values.data(), on_grid.data()); }), message);
      EXPECT_THAT(error_of([&] { planned.integrate(on_grid.data(), values.data(), integrals.data()); }),
                  testing::HasSubstr("is not a number"));
    }
}

}  // namespace
}  // namespace wavegrid::test_boxes
