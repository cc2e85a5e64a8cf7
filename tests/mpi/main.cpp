// Runs GoogleTest on every rank, one test after the other on all ranks. Rank 0 reports; other ranks report, with their
// number, only tests that fail on them, which then count as failed on all. If a rank leaves a test early (an exception,
// an ASSERT) while others wait for it in a collective call, the program ends after some time.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <wavegrid/mpi/environment.hpp>

#include "baselines/transports.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace {

// How long a rank that has finished a test waits for the others: less if it failed, because they may never finish.
constexpr std::chrono::seconds patience_failed{20}, patience_passed{100};

std::string to_string(const testing::TestInfo& test) { return std::string(test.test_suite_name()) + "." + test.name(); }

/// Prints each failure of this rank as it happens.
class Reporter : public testing::EmptyTestEventListener {
 public:
  explicit Reporter(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override { test_ = to_string(test); }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s\n%s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "unknown file", result.line_number(), result.message());
  }

 private:
  int rank_;
  std::string test_;  // UnitTest has it, but is locked while a result is reported
};

/// Synchronises the ranks after each test: failed on one is failed on all.
class Together : public testing::EmptyTestEventListener {
 public:
  Together() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const bool failed = test.result()->Failed();
    int here = failed ? 1 : 0, anywhere = 0;
    MPI_Request request;
    MPI_Iallreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, comm_, &request);
    wait(request, failed, test);
    if (anywhere && !failed && rank_ == 0) ADD_FAILURE() << "failed on another rank";
    any_failed_ = any_failed_ || anywhere;
  }

  void OnTestProgramEnd(const testing::UnitTest&) override { MPI_Comm_free(&comm_); }
  [[nodiscard]] bool any_failed() const { return any_failed_; }

 private:
  void wait(MPI_Request& request, bool failed, const testing::TestInfo& test) const {
    const auto start = std::chrono::steady_clock::now();
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done) return;
      const auto waited = std::chrono::steady_clock::now() - start;
      if (waited > (failed ? patience_failed : patience_passed)) {
        std::fprintf(stderr, "[rank %d] %s %s here, but other ranks do not finish it: giving up\n", rank_,
                     to_string(test).c_str(), failed ? "failed (see above)" : "passed");
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      if (waited > std::chrono::milliseconds(1)) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  bool any_failed_ = false;
};

// Leaks are checked around MPI: it loads plugins and unloads them again, after which the sanitizer can no longer
// distinguish its leaks from ours.
#ifdef __SANITIZE_ADDRESS__
void init_mpi(int& argc, char**& argv) {
  const __lsan::ScopedDisabler not_ours;
  wavegrid::initialise_mpi(&argc, &argv);
}
bool leaks() { return __lsan_do_recoverable_leak_check() != 0; }
#else
void init_mpi(int& argc, char**& argv) { wavegrid::initialise_mpi(&argc, &argv); }
bool leaks() { return false; }
#endif

}  // namespace

int main(int argc, char** argv) {
  init_mpi(argc, argv);
  wavegrid::bench::add_baseline_transports();  // they too have to give the bits of the library's
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());
    listeners.Append(new Reporter(rank));
  }
  auto* together = new Together;
  listeners.Append(together);  // the last one: its OnTestEnd runs before the printer's
  bool failed = RUN_ALL_TESTS() != 0 || together->any_failed();
  failed = leaks() || failed;
  MPI_Finalize();
  return failed ? 1 : 0;
}
