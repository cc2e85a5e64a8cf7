// The FFT of a whole grid with plain and with padded messages: its transposes alone, all of it, and inside a loop whose
// ranks arrive at different times.
#include <wavegrid/base/random.hpp>
#include <wavegrid/costmodel/choose_partition.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mpi/process_grid.hpp>

#include "common/waves.hpp"
#include "common/words.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

struct Options {
  int grid = 125;
  std::vector<Transport> transports{transport_named("alltoallv_blocking"), transport_named("alltoall_padded_blocking")};
  double flops = 1e9;              ///< operations per second of a rank
  double work = 3;                 ///< of the loop between two FFTs, in FFT computing times
  std::vector<double> skews{0.1};  ///< by which the work of a rank differs at most from the mean
  int laps = 4;                    ///< of the loop
};

Options options_of(const Words& words) {
  Options options;
  for_options(words, [&](const Word& word) {
    const auto positive = [](const Word& one) { return number<double>(one, "a number above zero"); };
    if (word.option == "--grid")
      options.grid = count(word);
    else if (word.option == "--transports")
      options.transports = list(word, [](const Word& one) { return transport_named(one.text); });
    else if (word.option == "--flops")
      options.flops = positive(word);
    else if (word.option == "--work")
      options.work = positive(word);
    else if (word.option == "--skews")
      options.skews = list(word, positive);
    else if (word.option == "--laps")
      options.laps = count(word);
    else
      throw bad_input(word.option + ": unknown; valid: --grid, --transports, --flops, --work, --skews, --laps");
  });
  return options;
}

/// The steps of a transform of the whole grid: three sets of 1-D transforms, which take computing time, and the
/// transposes between them.
class GridTransform {
 public:
  GridTransform(const Comm& comm, const GSphere& box, const Partition& partition, double flops)
      : ranks_(comm, partition.shape.rows, partition.shape.columns),
        layout_(box, partition, comm.rank(), sizeof(Complex)),
        first_(make(partition.rows_are_closed() ? ranks_.row_group() : ranks_.all(),
                    sticks_to_planes(layout_, partition))),
        second_(make(ranks_.column_group(), planes_to_sections(layout_))),
        sticks_(static_cast<std::size_t>(layout_.stick_size())),
        arrived_(static_cast<std::size_t>(layout_.arrived_size)),
        columns_(static_cast<std::size_t>(layout_.column_size())),
        section_(static_cast<std::size_t>(layout_.section_size)) {
    const double n = layout_.grid[0], line = 5 * n * std::log2(n) / flops;
    seconds_[0] = line * static_cast<double>(layout_.my_sticks.size());
    seconds_[1] = line * static_cast<double>(layout_.x.size()) * static_cast<double>(layout_.my_planes.size());
    seconds_[2] = line * static_cast<double>(layout_.x.size() * layout_.y.size());
  }

  void use(Transport transport) {
    first_.use(transport);
    second_.use(transport);
  }
  /// The transposes of one transform, with the computing between them or without.
  void run(bool computes) {
    if (computes) compute(seconds_[0]);
    if (!first_.is_identity())
      first_.forward(sticks_.data(), arrived_.data(), Batch{1, layout_.stick_size(), layout_.arrived_size});
    if (computes) compute(seconds_[1]);
    if (!second_.is_identity())
      second_.forward(columns_.data(), section_.data(), Batch{1, layout_.column_size(), layout_.section_size});
    if (computes) compute(seconds_[2]);
  }
  [[nodiscard]] double computing() const { return seconds_[0] + seconds_[1] + seconds_[2]; }
  /// Bytes of the longest message of the larger transpose.
  [[nodiscard]] Index longest() const {
    return std::max(first_.longest_message(), second_.longest_message()) * static_cast<Index>(sizeof(Complex));
  }

 private:
  static ExchangePlan make(const Comm& comm, TransposeRuns runs) {
    return {comm, std::move(runs.sends), std::move(runs.receives), Transport::ring};
  }
  ProcessGrid ranks_;
  FftLayout layout_;
  ExchangePlan first_, second_;
  AlignedVector<Complex> sticks_, arrived_, columns_, section_;
  std::array<double, 3> seconds_{};
};

/// Simulated seconds per transform.
struct Times {
  double transposes = 0;              ///< all ranks start together, nothing is computed
  double transform = 0;               ///< the same with the computing
  std::vector<double> in_loop, loop;  ///< of each skew: the mean rank's in the transform; of a lap of the loop
};

class Measurement {
 public:
  Measurement(const Comm& comm, GridTransform& transform, const Options& options)
      : comm_(comm), transform_(transform), options_(options), work_(options.work * comm.max(transform.computing())) {}

  [[nodiscard]] Times of(Transport transport) {
    transform_.use(transport);
    transform_.run(false);  // makes buffers
    Times times{together(false), together(true), {}, {}};
    for (const double skew : options_.skews) loop(skew, times);
    return times;
  }

 private:
  /// The slowest rank, all starting together.
  [[nodiscard]] double together(bool computes) {
    comm_.barrier();
    const double start = now();
    transform_.run(computes);
    return comm_.max(now() - start);
  }
  /// Work of different length on each rank, then a transform; no barriers.
  void loop(double skew, Times& times) {
    comm_.barrier();
    const double begin = now();
    double inside = 0;
    for (int lap = 0; lap < options_.laps; ++lap) {
      compute(work_ * (1 + skew * random_at({comm_.rank(), lap})));
      const double start = now();
      transform_.run(true);
      inside += now() - start;
    }
    times.loop.push_back(comm_.max(now() - begin) / options_.laps);
    times.in_loop.push_back(comm_.sum(inside) / comm_.size() / options_.laps);
  }

  const Comm& comm_;
  GridTransform& transform_;
  const Options& options_;
  double work_;
};

std::string list_of(const std::vector<double>& seconds) {
  std::string all;
  for (const double one : seconds) all += text("%s%.6g", all.empty() ? "" : ", ", 1e6 * one);
  return "[" + all + "]";
}

}  // namespace

void study_padding(const Comm& comm, const Words& words) {
  const Options options = options_of(words);
  const GSphere box = GSphere::box(cubic_lattice(), {options.grid, options.grid, options.grid});
  const Scheme scheme = comm.size() <= options.grid ? Scheme::greedy : Scheme::balanced;  // whole planes, or parts
  const Partition partition = choose_partition(scheme, box.counts(), options.grid, comm.size()).partition;
  GridTransform transform(comm, box, partition, options.flops);
  Measurement measurement(comm, transform, options);
  std::string rows;
  for (const Transport transport : options.transports) {
    const Times times = measurement.of(transport);
    rows += text(R"(%s{"transport": "%s", "transposes_us": %.6g, "transform_us": %.6g, )", rows.empty() ? "" : ", ",
                 to_string(transport), 1e6 * times.transposes, 1e6 * times.transform);
    rows += R"("in_loop_us": )" + list_of(times.in_loop) + R"(, "loop_us": )" + list_of(times.loop) + "}";
  }
  print_result(comm, text(R"({"ranks": %d, "shape": [%d, %d], "longest_bytes": %lld, "rows": [)", comm.size(),
                          partition.shape.rows, partition.shape.columns, static_cast<long long>(transform.longest())) +
                         rows + "]}");
}

}  // namespace wavegrid::bench
