#include <gtest/gtest.h>

#include <cmath>

#include <wavegrid/calculation/plane_average.hpp>

namespace wavegrid::test_plane_average {
namespace {

constexpr Int3 grid{5, 7, 3};

double value(const Int3& p) { return 100.0 * p[0] + p[1] + 1e-3 * p[2] - 1e5; }

/// Every third point of a rank, beginning with another one on each; the first rank has none if there are several.
std::vector<Int3> points_of(const Comm& comm, int lower) {
  std::vector<Int3> points;
  const int owners = comm.size() == 1 ? 1 : comm.size() - 1;
  int number = 0;
  for (int x = 0; x < grid[0]; ++x)
    for (int y = 0; y < grid[1]; ++y)
      for (int z = 0; z < grid[2]; ++z)
        if (number++ % owners == comm.rank() - (comm.size() == 1 ? 0 : 1)) points.push_back({x, y + lower, z});
  return points;
}

TEST(PlaneAverage, IsTheMeanOfEachPlane) {
  const Comm comm = Comm::world();
  for (const int lower : {0, -4}) {
    const std::vector<Int3> points = points_of(comm, lower);
    FieldValues field;
    for (const Int3& p : points) field.push_back(value(p));
    const PlaneAverage found = plane_average(comm, points, field, 1);
    EXPECT_EQ(found.first, lower);
    ASSERT_EQ(found.values.size(), static_cast<std::size_t>(grid[1]));
    for (int y = 0; y < grid[1]; ++y)
      EXPECT_NEAR(found.values[static_cast<std::size_t>(y)], value({2, y + lower, 1}), 1e-7);
  }
}

TEST(PlaneAverage, HasTheSameBitsOnAllRanksAndForEveryDistribution) {
  const Comm comm = Comm::world();
  const auto average = [&](const std::vector<Int3>& points) {
    FieldValues field;
    for (const Int3& p : points) field.push_back(std::sin(1.0 + p[0] + 10 * p[1] + 100 * p[2]));
    return plane_average(comm, points, field, 2).values;
  };
  std::vector<Int3> all;
  if (comm.rank() == 0)
    for (int x = 0; x < grid[0]; ++x)
      for (int y = 0; y < grid[1]; ++y)
        for (int z = 0; z < grid[2]; ++z) all.push_back({x, y, z});
  EXPECT_EQ(average(points_of(comm, 0)), average(all));
}

TEST(PlaneAverage, OfZeroIsZeroAndOfNothingIsNothing) {
  const Comm comm = Comm::world();
  const std::vector<Int3> one{{0, 1, 2}};
  EXPECT_EQ(plane_average(comm, one, {0.0}, 0).values, FieldValues{0.0});
  EXPECT_TRUE(plane_average(comm, {}, {}, 0).values.empty());
}

}  // namespace
}  // namespace wavegrid::test_plane_average
