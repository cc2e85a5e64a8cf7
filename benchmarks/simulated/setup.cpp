// What a calculation sets up before its first transform, step by step: time and memory of a rank, and how they grow
// with the number of ranks.
#include <malloc.h>

#include <chrono>

#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mpi/process_grid.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

#include "sphere_options.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

SphereOptions options_of(const Words& words) {
  SphereOptions options{.grid = 80, .radius = 25.58, .scheme = Scheme::balanced};
  for_options(words, [&](const Word& word) {
    if (!options.take(word)) throw bad_input(word.option + ": unknown; valid: " + SphereOptions::names);
  });
  return options;
}

/// Steps one after the other. The ranks of a simulation run in turn in one process, so that real time and memory are
/// sums over all ranks. Rank 0 alone asks for the memory, which takes as long as there are pieces of it.
class Steps {
 public:
  explicit Steps(const Comm& comm) : comm_(comm) {}

  template <class Work>
  auto step(const char* name, Work work) {
    comm_.barrier();
    const double simulated = now();
    const auto real = std::chrono::system_clock::now();
    const double heap = comm_.rank() == 0 ? allocated() : 0;
    comm_.barrier();
    auto made = work();
    const double seconds = comm_.max(now() - simulated);
    comm_.barrier();
    const std::chrono::duration<double> taken = std::chrono::system_clock::now() - real;
    const double bytes = comm_.rank() == 0 ? allocated() - heap : 0;
    comm_.barrier();
    json_ +=
        text(R"(%s{"step": "%s", "rank_ms": %.4g, "simulated_ms": %.4g, "rank_kb": %.4g})", json_.empty() ? "" : ", ",
             name, 1e3 * taken.count() / comm_.size(), 1e3 * seconds, 1e-3 * bytes / comm_.size());
    return made;
  }
  [[nodiscard]] const std::string& json() const { return json_; }

 private:
  static double allocated() {
    const struct mallinfo2 heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
  }
  Comm comm_;
  std::string json_;
};

}  // namespace

void study_setup(const Comm& comm, const Words& words) {
  const SphereOptions options = options_of(words);
  Steps steps(comm);
  (void)steps.step("barriers", [] { return 0; });
  const GSphere sphere = steps.step("sphere", [&] { return options.sphere(); });
  const Partition partition = steps.step("partition", [&] { return options.partition(sphere, comm.size()); });
  const ProcessGrid ranks =
      steps.step("groups", [&] { return ProcessGrid(comm, partition.shape.rows, partition.shape.columns); });
  const FftLayout layout =
      steps.step("layout", [&] { return FftLayout(sphere, partition, comm.rank(), sizeof(Complex)); });
  TransposeRuns first = steps.step("runs 1", [&] { return sticks_to_planes(layout, partition); });
  TransposeRuns second = steps.step("runs 2", [&] { return planes_to_sections(layout); });
  const Comm& of_first = partition.rows_are_closed() ? ranks.row_group() : ranks.all();
  const ExchangePlan plan1 = steps.step("plan 1", [&] {
    return ExchangePlan(of_first, std::move(first.sends), std::move(first.receives), Transport::ring);
  });
  const ExchangePlan plan2 = steps.step("plan 2", [&] {
    return ExchangePlan(ranks.column_group(), std::move(second.sends), std::move(second.receives), Transport::ring);
  });
  const PlaneWaves waves = steps.step("waves", [&] { return PlaneWaves(sphere, partition, comm.rank()); });
  const PlaneWaves other =
      steps.step("waves 2", [&] { return PlaneWaves(sphere, partition, comm.size() - 1 - comm.rank()); });
  // A directory finds the new owner of each plane wave, as when bands go to other ranks.
  const WaveTransfer transfer = steps.step("directory", [&] {
    return WaveTransfer(comm, {.g = waves.g(), .mode = Mode::gamma}, {.g = other.g(), .mode = Mode::gamma}, {},
                        Transport::ring);
  });
  print_result(comm, text(R"({"ranks": %d, "missing": %lld, "steps": [)", comm.size(),
                          static_cast<long long>(transfer.missing())) +
                         steps.json() + "]}");
}

}  // namespace wavegrid::bench
