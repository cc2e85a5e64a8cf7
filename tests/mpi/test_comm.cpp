// Communicators: the same bits on every rank, errors shared by all, splits and process grids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/profile.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/mpi/process_grid.hpp>

namespace wavegrid::test_comm {
namespace {

using Complex = std::complex<double>;

TEST(Comm, SumsAndExtremes) {
  const Comm world = Comm::world();
  const Index p = world.size(), r = world.rank();
  EXPECT_EQ(world.sum(r + 1), p * (p + 1) / 2);
  EXPECT_EQ(world.sum(static_cast<int>(r)), static_cast<int>(p * (p - 1) / 2));
  EXPECT_EQ(world.sum(0.5), 0.5 * static_cast<double>(p));
  EXPECT_EQ(world.sum(1.0f), static_cast<float>(p));
  EXPECT_EQ(world.sum(Complex(1, static_cast<double>(r))),
            Complex(static_cast<double>(p), static_cast<double>(p * (p - 1) / 2)));
  EXPECT_EQ(world.max(-r), 0);
  EXPECT_EQ(world.min(-r), 1 - p);
  EXPECT_EQ(world.max((Index{1} << 40) + r), (Index{1} << 40) + p - 1);
  EXPECT_EQ(world.max(-0.25 - static_cast<double>(r)), -0.25);  // also negative numbers
  EXPECT_EQ(world.min(-0.25 - static_cast<double>(r)), -0.25 - static_cast<double>(p - 1));
  std::vector<double> both{static_cast<double>(r), -static_cast<double>(r)};
  world.max(std::span<double>(both));
  EXPECT_EQ(both, (std::vector<double>{static_cast<double>(p - 1), 0}));
  std::vector<double> own(static_cast<std::size_t>(p));
  own[static_cast<std::size_t>(r)] = 1.0 / static_cast<double>(r + 3);
  world.merge(std::span<double>(own));
  for (Index i = 0; i < p; ++i) EXPECT_EQ(own[static_cast<std::size_t>(i)], 1.0 / static_cast<double>(i + 3));
  std::vector<double> values{static_cast<double>(r), 10.0 + static_cast<double>(r)};
  world.sum(std::span<double>(values));
  EXPECT_EQ(values[1] - values[0], 10.0 * static_cast<double>(p));
  world.sum(std::span<double>());
}

TEST(Comm, SumsAreTheSameBitsOnEveryRank) {
  const Comm world = Comm::world();
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> values;
    for (int i = 0; i < 1 + 37 * repeat; ++i) values.push_back(random_at({world.rank(), i}) * std::pow(10.0, i % 17));
    world.sum(std::span<double>(values));
    std::vector<double> of_root(values);
    world.broadcast(std::span<double>(of_root));
    EXPECT_EQ(values, of_root);
  }
}

TEST(Comm, BroadcastsFromAnyRoot) {
  const Comm world = Comm::world();
  for (int root = 0; root < world.size(); ++root) {
    std::vector<Index> values(3, world.rank() == root ? 100 + root : -1);
    world.broadcast(std::span<Index>(values), root);
    EXPECT_EQ(values, std::vector<Index>(3, 100 + root));
  }
}

/// Kind and message of what collectively() threw; kind -1 if nothing was thrown.
std::pair<int, std::string> outcome(const Comm& comm, const std::function<void()>& work) {
  try {
    comm.collectively(work);
    return {-1, ""};
  } catch (const Error& error) {
    return {static_cast<int>(error.kind()), error.what()};
  }
}

TEST(Comm, TogetherThrowsTheErrorOfTheLowestRankOnAll) {
  const Comm world = Comm::world();
  const ErrorKind kinds[] = {ErrorKind::bad_input, ErrorKind::environment, ErrorKind::internal};
  for (int first = 0; first < world.size(); ++first)
    for (int step = 1; step <= world.size(); ++step) {
      const auto result = outcome(world, [&] {
        if (world.rank() >= first && (world.rank() - first) % step == 0)
          throw Error(kinds[world.rank() % 3], "rank " + std::to_string(world.rank()) + std::string(50, '!'));
      });
      EXPECT_EQ(result.first, static_cast<int>(kinds[first % 3]));
      EXPECT_EQ(result.second, "rank " + std::to_string(first) + std::string(50, '!'));
    }
}

TEST(Comm, TogetherPassesSuccessAndMakesOtherExceptionsInternal) {
  const Comm world = Comm::world();
  int ran = 0;
  EXPECT_EQ(outcome(world, [&] { ++ran; }).first, -1);
  EXPECT_EQ(ran, 1);
  const auto result = outcome(world, [&] {
    if (world.rank() == world.size() - 1) throw std::out_of_range("too far");
  });
  EXPECT_EQ(result.first, static_cast<int>(ErrorKind::internal));
  EXPECT_EQ(result.second, "too far");
  EXPECT_EQ(outcome(world, [] { throw bad_input(""); }),
            (std::pair{static_cast<int>(ErrorKind::bad_input), std::string()}));
}

TEST(Comm, SplitsByColourInTheOrderOfTheKey) {
  const Comm world = Comm::world();
  for (const int colours : {1, 2, 3, 10}) {
    const int mine = world.rank() % colours;
    const Comm part = world.split(mine, -world.rank());
    int members = 0, after = 0;
    for (int r = mine; r < world.size(); r += colours) ++members, after += r > world.rank();
    EXPECT_EQ(part.size(), members);
    EXPECT_EQ(part.rank(), after);
    const Comm copy = part;
    EXPECT_EQ(copy.sum(1), members);
  }
  EXPECT_EQ(Comm::self().size(), 1);
  EXPECT_EQ(Comm::self().sum(7), 7);
}

TEST(Comm, ThePrivateCopyIsMadeOnceAndKeptWhileInUse) {
  const Comm world = Comm::world();
  const Comm copy = Comm::private_copy(MPI_COMM_WORLD);
  EXPECT_EQ(copy.rank(), world.rank());
  EXPECT_NE(copy.handle(), world.handle());
  EXPECT_EQ(Comm::private_copy(MPI_COMM_WORLD).handle(), copy.handle());
  EXPECT_EQ(Comm::private_copy(copy.handle()).handle(), copy.handle());
  for (int cycle = 0; cycle < 3000; ++cycle) {  // a leak would use up the context ids
    const Comm part = world.split(0, -world.rank());
    const Comm first = Comm::private_copy(part.handle()), second = Comm::private_copy(part.handle());
    ASSERT_EQ(first.handle(), second.handle());
  }
  std::optional<Comm> part = world.split(0, world.rank());
  const Comm longer = Comm::private_copy(part->handle());
  part.reset();
  EXPECT_EQ(longer.sum(1), world.size());
}

TEST(Comm, TimedCollectivesAreASeparatePhase) {
  Profile profile;
  const Comm world = Comm::world().timed(&profile), part = world.split(0, world.rank());
  {
    const Profile::Guard guard(&profile, Phase::linear_algebra);
    for (int i = 0; i < 10; ++i) (void)part.sum(1.0);
    part.barrier();
  }
  EXPECT_GT(profile.seconds(Phase::reductions), 0);
  const double before = profile.seconds(Phase::reductions);
  (void)Comm::private_copy(world.handle()).sum(1.0);
  EXPECT_EQ(profile.seconds(Phase::reductions), before);
}

TEST(Comm, AttachedObjectsAreSharedByCopies) {
  const Comm world = Comm::world(), copy = world;
  struct Counter {
    int value = 0;
  };
  const Comm part = world.split(0, 0), same = part;
  part.attached<Counter>().value = 7;
  EXPECT_EQ(same.attached<Counter>().value, 7);
  EXPECT_EQ(world.split(0, 0).attached<Counter>().value, 0);
}

/// The message of private_copy() about a communicator that it refuses.
std::string refusal(MPI_Comm comm) {
  try {
    const Comm accepted = Comm::private_copy(comm);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::bad_input ? error.what() : "";
  }
  return "";
}

TEST(Comm, RefusesNullAndInterCommunicators) {
  const Comm world = Comm::world();
  EXPECT_THAT(refusal(MPI_COMM_NULL), testing::HasSubstr("MPI_COMM_NULL"));
  if (world.size() == 1) return;  // needs two groups
  const bool first = world.rank() == 0;
  const Comm group = world.split(first ? 0 : 1, world.rank());
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(group.handle(), 0, world.handle(), first ? 1 : 0, 0, &between);
  EXPECT_THAT(refusal(between), testing::HasSubstr("inter-communicator"));
  MPI_Comm_free(&between);
}

/// The world ranks of a group, in its order.
std::vector<int> members(const Comm& group) {
  std::vector<int> ranks(static_cast<std::size_t>(group.size()));
  ranks[static_cast<std::size_t>(group.rank())] = Comm::world().rank();
  group.sum(std::span<int>(ranks));
  return ranks;
}

TEST(ProcessGrid, RowsAndColumnsAlsoWithRanksOutside) {
  const Comm world = Comm::world();
  const int me = world.rank();
  for (int rows = 1; rows <= world.size(); ++rows)
    for (int columns = 1; rows * columns <= world.size(); ++columns) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      const ProcessGrid grid(world, rows, columns);
      EXPECT_EQ(grid.rows(), rows);
      EXPECT_EQ(grid.columns(), columns);
      EXPECT_EQ(grid.all().size(), world.size());
      std::vector<int> row{me}, column{me};
      if (me < rows * columns) {
        EXPECT_EQ(grid.row(), me / columns);
        EXPECT_EQ(grid.column(), me % columns);
        row.clear(), column.clear();
        for (int c = 0; c < columns; ++c) row.push_back(me / columns * columns + c);
        for (int r = 0; r < rows; ++r) column.push_back(r * columns + me % columns);
      } else {
        EXPECT_EQ(grid.row(), -1);
        EXPECT_EQ(grid.column(), -1);
      }
      EXPECT_EQ(members(grid.row_group()), row);
      EXPECT_EQ(members(grid.column_group()), column);
    }
}

TEST(ProcessGrid, RefusesShapesThatDoNotFit) {
  const Comm world = Comm::world();
  EXPECT_THROW(ProcessGrid(world, world.size() + 1, 1), Error);
  EXPECT_THROW(ProcessGrid(world, 1, world.size() + 1), Error);
  EXPECT_THROW(ProcessGrid(world, 0, 1), Error);
  EXPECT_THROW(ProcessGrid(world, 1, -1), Error);
  world.barrier();
}

}  // namespace
}  // namespace wavegrid::test_comm
