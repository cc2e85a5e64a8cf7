// Windows that an exception leaves: freed once all of their ranks have left them, and never before.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/window.hpp>

namespace {

int num_freed = 0;  // windows of this rank

}  // namespace

/// Counts the calls of the library.
extern "C" int MPI_Win_free(MPI_Win* window) {
  ++num_freed;
  return PMPI_Win_free(window);
}

namespace wavegrid::test_window {
namespace {

/// Leaves a window with an exception.
void leave(Window left) {
  try {
    const Window window = std::move(left);
    throw bad_input("on purpose");
  } catch (const Error&) {
  }
}

/// Makes a window of `comm` and leaves it with an exception on the ranks that say so; the others return it. Collective.
std::optional<Window> leave_window(const Comm& comm, bool with_exception) {
  Window window = Window::allocate(comm, 64);
  if (!with_exception) return window;
  leave(std::move(window));
  return std::nullopt;
}

TEST(Window, IsFreedWhereItIsDestroyed) {
  num_freed = 0;
  { const Window window = Window::allocate(Comm::world(), 64); }
  EXPECT_EQ(num_freed, 1);
}

TEST(Window, IsFreedLaterIfAllRanksHadTheException) {
  const Comm world = Comm::world();
  num_freed = 0;
  (void)leave_window(world, true);
  const Comm half = world.split(world.rank() % 2, 0);
  (void)leave_window(half, true);
  (void)leave_window(half, true);
  EXPECT_EQ(num_freed, world.size() > 1 ? 1 : 2) << "by the allocation of the third, of its own ranks only";
  Window::free_orphaned(world);
  EXPECT_EQ(num_freed, 3);
  Window::free_orphaned(world);
  EXPECT_EQ(num_freed, 3);
}

TEST(Window, StaysIfOneRankHadTheException) {
  const Comm world = Comm::world();
  if (world.size() == 1) GTEST_SKIP() << "one rank";
  num_freed = 0;
  std::optional<Window> kept = leave_window(world, world.rank() == 0);
  (void)leave_window(world, true);
  Window::free_orphaned(world);
  EXPECT_EQ(num_freed, 1);
  if (kept) leave(std::move(*kept));
  kept.reset();
  Window::free_orphaned(world);
  EXPECT_EQ(num_freed, 2) << "when all ranks have left it";
}

/// Every rank puts, gets and adds one part of an array (4, 5, 6) of rank 0.
void expect_accesses(const Comm& comm, const Window& window, double* data, WindowAccess access) {
  const bool locked = access == WindowAccess::locked;
  const auto at_target = [&](const auto& action) {
    if (locked) window.lock(0);
    action();
    locked ? window.unlock(0) : window.flush(0);
  };
  const int me = comm.rank();
  if (locked) window.lock(me, true);
  if (me == 0) std::fill_n(data, 121, 0.0);
  locked ? window.unlock(me) : window.sync();
  comm.barrier();
  const Datatype part = Datatype::subarray({4, 5, 6}, {2, 3, 2}, {1, 2, 3}, MPI_DOUBLE);
  const Datatype ends = Datatype::runs(std::vector<int>{2, 1}, std::vector<int>{118, 0}, MPI_DOUBLE);
  const std::vector<double> ones(12, 1.0), last(3, 2.0);
  at_target([&] { window.accumulate<double>({ones.data(), 12, 0, 0, &part}); });
  at_target([&] { window.accumulate<double>({last.data(), 3, 0, 0, &ends}); });
  if (me == comm.size() - 1) at_target([&] { window.put<double>({last.data(), 1, 0, 120 * 8}); });
  comm.barrier();
  std::vector<double> whole(121), found(12);
  at_target([&] { window.get<double>({whole.data(), 121, 0}); });
  at_target([&] { window.get<double>({found.data(), 12, 0, 0, &part}); });
  EXPECT_EQ(found, std::vector<double>(12, comm.size()));
  double sum = 0;
  for (std::size_t i = 0; i < 120; ++i) sum += whole[i];
  EXPECT_EQ(sum, 18.0 * comm.size());
  EXPECT_EQ(whole[0], 2.0 * comm.size());
  EXPECT_EQ(whole[119], 2.0 * comm.size());
  EXPECT_EQ(whole[120], 2.0);
  EXPECT_EQ(whole[(1 * 5 + 2) * 6 + 3], comm.size());
  comm.barrier();
}

TEST(Window, PutGetAndAccumulate) {
  const Comm world = Comm::world();
  constexpr Index bytes = 121 * sizeof(double);
  for (const WindowAccess access : {WindowAccess::always, WindowAccess::locked}) {
    const Window own = Window::allocate(world, world.rank() == 0 ? bytes : 0, access);
    expect_accesses(world, own, reinterpret_cast<double*>(own.data()), access);
  }
}

TEST(Window, ATargetThatComputesMakesProgress) {
  const Comm world = Comm::world();
  if (world.size() == 1) GTEST_SKIP() << "one rank";
#ifdef MPICH_VERSION
  GTEST_SKIP() << "MPICH makes progress only inside calls, unless MPICH_ASYNC_PROGRESS is set";
#endif
  const Window window = Window::allocate(world, sizeof(double));
  auto* const sum = reinterpret_cast<volatile double*>(window.data());
  *sum = 0;
  window.sync();
  world.barrier();
  if (world.rank() == 0) {  // no call of MPI until all have added
    const auto start = std::chrono::steady_clock::now();
    while (*sum < world.size() - 1 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
      std::this_thread::yield();
    EXPECT_EQ(*sum, world.size() - 1);
  } else {
    const double one = 1;
    window.accumulate<double>({&one, 1, 0});
    window.flush(0);
  }
  world.barrier();
}

TEST(Window, RefusedMemoryIsAnErrorOnAllRanks) {
  const Comm world = Comm::world();
  const Index bytes = world.rank() == world.size() - 1 ? Index{1} << 50 : 64;
  try {
    const Window window = Window::allocate(world, bytes);
    ADD_FAILURE() << "a window of a petabyte";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(error.what()).find("a window of 11258999068"), std::string::npos) << error.what();
  }
  const Window after = Window::allocate(world, 64);
}

}  // namespace
}  // namespace wavegrid::test_window
