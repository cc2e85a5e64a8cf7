#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/thread_clock.hpp>

#include "common/statistics.hpp"

namespace wavegrid::bench {

namespace {

constexpr Index most_calls = 32;

/// Seconds since its construction.
class Stopwatch {
 public:
  explicit Stopwatch(bool one_thread) : one_thread_(one_thread), start_(now()) {}
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  [[nodiscard]] double now() const {
    return one_thread_ ? thread_seconds() : std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  }
  bool one_thread_;
  double start_;
};

double dense_sample(DensePair& dense, Index calls) {
  const Stopwatch watch(true);
  for (Index call = 0; call < calls; ++call) dense.run();
  return watch.seconds() / static_cast<double>(calls);
}

/// One library in one series of samples: takes one band after the other, so that they are read from memory as in a
/// calculation.
struct Series {
  Application* application;
  Index bands;
  bool one_thread;
  Index calls = 1;
  Index band = 0;
  std::vector<double> seconds = {};  ///< per band

  struct Sample {
    double seconds;
    Index bands;
  };
  Sample sample(const Comm& comm) {
    Index done = 0;
    comm.barrier();
    const Stopwatch watch(one_thread);
    for (Index call = 0; call < calls; ++call) {
      const Index count = application->apply(band, bands);
      band = (band + count) % bands;
      done += count;
    }
    comm.barrier();
    return {watch.seconds(), done};
  }

  /// Applies the `seen` bands once and returns them, and sets the number of calls of a sample from the time it took.
  std::vector<Shadow> warm_up(const Comm& comm, const std::set<Index>& seen) {
    std::vector<Shadow> shadows;
    Index block = 0;
    double last = 0;
    for (const Index one : seen) {
      const Stopwatch watch(one_thread);
      if (block < bands) block = application->apply(one, bands), last = watch.seconds();
      shadows.push_back(application->result(one));
    }
    // A short call was slower the first time: once more, warm.
    if (calls_for(comm, last, most_calls) > 1) last = sample(comm).seconds;
    calls = calls_for(comm, last, most_calls);
    return shadows;
  }

  void take(const Comm& comm) {
    const Sample taken = sample(comm);
    seconds.push_back(taken.seconds / static_cast<double>(taken.bands));
  }
};

/// Throws where a band differs from the first library's by more than rounding.
void compare(const Application& one, const std::vector<Shadow>& ones, const Application& other,
             const std::vector<Shadow>& others) {
  for (std::size_t i = 0; i < ones.size(); ++i) {
    const double difference = std::abs(others[i].sum - ones[i].sum) / ones[i].norm;
    if (difference < std::max(one.rounding(), other.rounding())) continue;
    char text[100];
    std::snprintf(text, sizeof text, "%s and %s disagree by %.1e of a band's norm", one.name(), other.name(),
                  difference);
    throw internal_error(text);
  }
}

/// Warms everything up on the first two bands (a pair in Gamma mode) and the last one, and compares these.
void warm_up(const Comm& comm, std::vector<Series>& series, Index bands) {
  const std::set<Index> seen{0, std::min<Index>(1, bands - 1), bands - 1};
  const std::vector<Shadow> first = series[0].warm_up(comm, seen);
  for (std::size_t i = 1; i < series.size(); ++i)
    compare(*series[0].application, first, *series[i].application, series[i].warm_up(comm, seen));
}

}  // namespace

void sleeping_barrier(const Comm& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm.handle(), &request);
  int done = 0;
  for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Times measure(const Comm& comm, DensePair* dense, const std::vector<Application*>& applications, Index bands,
              int threads, int repeats) {
  std::vector<Series> series;
  const bool one_thread = comm.size() == 1 && threads == 1;
  for (Application* const application : applications) series.push_back({application, bands, one_thread});
  warm_up(comm, series, bands);
  const Index dense_calls = calls_for(comm, dense ? dense_sample(*dense, 1) : 0, most_calls);
  std::vector<double> dense_seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    if (dense) dense_seconds.push_back(dense_sample(*dense, dense_calls));
    sleeping_barrier(comm);
    for (Series& one : series) one.take(comm);
  }
  Times times;
  if (dense) times.dense = *std::min_element(dense_seconds.begin(), dense_seconds.end());
  for (Series& one : series) times.applications.push_back(*std::min_element(one.seconds.begin(), one.seconds.end()));
  return times;
}

}  // namespace wavegrid::bench
