// The transposes of the compact FFT, for Tables 1 and 2 of Gao et al. (2016).
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/layout/message_statistics.hpp>
#include <wavegrid/mpi/process_grid.hpp>

#include "sphere_options.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

struct Options {
  SphereOptions waves;
  int bands = 1;  ///< in a message
  Transport transport = Transport::ring;
  int laps = 2;
};

Options options_of(const Words& words) {
  Options options;
  for_options(words, [&](const Word& word) {
    if (options.waves.take(word)) return;
    if (word.option == "--bands")
      options.bands = count(word);
    else if (word.option == "--transport")
      options.transport = transport_named(word.text);
    else if (word.option == "--laps")
      options.laps = count(word);
    else
      throw bad_input(word.option + ": unknown; valid: " + SphereOptions::names + ", --bands, --transport, --laps");
  });
  return options;
}

/// One transpose, with the arrays on both of its sides.
class Transpose {
 public:
  Transpose(const Comm& comm, TransposeRuns runs, const Options& options, Index from, Index to)
      : plan_(comm, std::move(runs.sends), std::move(runs.receives), options.transport),
        batch_{options.bands, from, to},
        from_(static_cast<std::size_t>(options.bands * from)),
        to_(static_cast<std::size_t>(options.bands * to)) {}

  [[nodiscard]] bool is_identity() const { return plan_.is_identity(); }

  void run(ExchangeDirection direction) {
    if (!plan_.is_identity()) plan_.start(direction, from_.data(), to_.data(), batch_).wait();
  }

 private:
  ExchangePlan plan_;
  Batch batch_;
  AlignedVector<Complex> from_, to_;
};

/// Simulated seconds of the slowest rank: set-up, and both transposes of one transform of one band.
struct Seconds {
  double set_up = 0, transform = 0;
};

Seconds measure(const Comm& comm, const GSphere& sphere, const Partition& partition, const Options& options) {
  comm.barrier();
  const double begin = now();
  const ProcessGrid ranks(comm, partition.shape.rows, partition.shape.columns);
  const FftLayout layout(sphere, partition, comm.rank(), sizeof(Complex));
  Transpose first(partition.rows_are_closed() ? ranks.row_group() : ranks.all(), sticks_to_planes(layout, partition),
                  options, layout.stick_size(), layout.arrived_size);
  Transpose second(ranks.column_group(), planes_to_sections(layout), options, layout.column_size(),
                   layout.section_size);
  const auto lap = [&] {  // a backward and a forward transform
    first.run(ExchangeDirection::forward);
    second.run(ExchangeDirection::forward);
    second.run(ExchangeDirection::backward);
    first.run(ExchangeDirection::backward);
  };
  lap();  // makes buffers
  comm.barrier();
  const double start = now();
  for (int i = 0; i < options.laps; ++i) lap();
  std::vector<double> seconds{start - begin, now() - start};
  comm.max(std::span<double>(seconds));
  return {seconds[0], seconds[1] / (2.0 * options.laps * options.bands)};
}

}  // namespace

void study_transforms(const Comm& comm, const Words& words) {
  const Options options = options_of(words);
  const GSphere sphere = options.waves.sphere();
  const Partition partition = options.waves.partition(sphere, comm.size());
  const MessageStatistics messages = message_statistics(partition, sphere.counts(), options.waves.grid);
  const Seconds seconds = measure(comm, sphere, partition, options);
  const bool one = messages.second.messages == 0 || messages.first.messages == 0;
  print_result(
      comm,
      text(R"({"ranks": %d, "rows": %d, "columns": %d, "transposes": %d, "plane_waves": %lld, )"
           R"("set_up_s": %.6g, "transform_us": %.6g, "messages": [%lld, %lld], "bytes": [%lld, %lld]})",
           comm.size(), partition.shape.rows, partition.shape.columns, one ? 1 : 2,
           static_cast<long long>(sphere.size()), seconds.set_up, 1e6 * seconds.transform,
           static_cast<long long>(messages.first.max_messages), static_cast<long long>(messages.second.max_messages),
           static_cast<long long>(messages.first.max_bytes), static_cast<long long>(messages.second.max_bytes)));
}

}  // namespace wavegrid::bench
