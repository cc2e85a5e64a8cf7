// Windows that an exception leaves: freed once all of their ranks have left them, and never before.
#include <gtest/gtest.h>
#include <mpi.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "mpi/window.hpp"

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
  Window::free_abandoned(world);
  EXPECT_EQ(num_freed, 3);
  Window::free_abandoned(world);
  EXPECT_EQ(num_freed, 3);
}

TEST(Window, StaysIfOneRankHadTheException) {
  const Comm world = Comm::world();
  if (world.size() == 1) GTEST_SKIP() << "one rank";
  num_freed = 0;
  std::optional<Window> kept = leave_window(world, world.rank() == 0);
  (void)leave_window(world, true);
  Window::free_abandoned(world);
  EXPECT_EQ(num_freed, 1);
  if (kept) leave(std::move(*kept));
  kept.reset();
  Window::free_abandoned(world);
  EXPECT_EQ(num_freed, 2) << "when all ranks have left it";
}

}  // namespace
}  // namespace wavegrid::test_window
