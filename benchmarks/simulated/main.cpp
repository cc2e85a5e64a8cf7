// In the set because the papers' machines are not here: the transposes of the compact FFT on a simulated cluster.
// SimGrid runs this program, the library's own code, on as many ranks as are asked for, and counts the time of messages
// only. run.py starts it; directly:
//
//   smpirun -np 24 ... bench_simulated --grid 48 --radius 15.346 --scheme cyclic --bands 1 --transport ring
//
// Prints one JSON object and then "finished": a simulated program that has stopped for any other reason ends with 0,
// too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/error.hpp"
#include "common/program.hpp"
#include "common/waves.hpp"
#include "costmodel/choose_partition.hpp"
#include "exchange/exchange_plan.hpp"
#include "fft/fft_layout.hpp"
#include "layout/message_statistics.hpp"
#include "mpi/process_grid.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;
using Complex = std::complex<double>;

struct Options {
  int grid = 48;
  double radius = 15.346;  ///< of the sphere, in reciprocal lattice vectors
  Scheme scheme = Scheme::optimized;
  Index bands = 1;  ///< in a message
  Transport transport = Transport::ring;
  int laps = 2;
};

Scheme scheme_named(const std::string& name) {
  const std::map<std::string, Scheme> all{{"greedy", Scheme::greedy},
                                          {"cyclic", Scheme::cyclic},
                                          {"balanced", Scheme::balanced},
                                          {"optimized", Scheme::optimized}};
  const auto found = all.find(name);
  if (found == all.end())
    throw bad_input("--scheme: unknown \"" + name + "\"; valid: greedy, cyclic, balanced, optimized");
  return found->second;
}

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& name = words[i];
    if (i + 1 == words.size()) throw bad_input(name + ": a value is missing");
    const std::string& value = words[i + 1];
    if (name == "--grid")
      options.grid = std::stoi(value);
    else if (name == "--radius")
      options.radius = std::stod(value);
    else if (name == "--scheme")
      options.scheme = scheme_named(value);
    else if (name == "--bands")
      options.bands = std::stoi(value);
    else if (name == "--transport")
      options.transport = transport_named(value);
    else if (name == "--laps")
      options.laps = std::stoi(value);
    else
      throw bad_input("unknown option " + name + "; valid: --grid, --radius, --scheme, --bands, --transport, --laps");
  }
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
  const double begin = MPI_Wtime();
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
  const double start = MPI_Wtime();
  for (int i = 0; i < options.laps; ++i) lap();
  std::vector<double> seconds{start - begin, MPI_Wtime() - start};
  comm.max(std::span<double>(seconds));
  return {seconds[0], seconds[1] / static_cast<double>(2 * options.laps * options.bands)};
}

void run(const Comm& comm, const std::vector<std::string>& words) {
  const Options options = options_of(words);
  const GSphere sphere = sphere_of(options.grid, options.radius, Mode::gamma);
  const Partition partition = choose_partition(options.scheme, sphere.counts(), options.grid, comm.size()).partition;
  const MessageStatistics messages = message_statistics(partition, sphere.counts(), options.grid);
  const Seconds seconds = measure(comm, sphere, partition, options);
  if (comm.rank() != 0) return;
  const bool one = messages.second.messages == 0 || messages.first.messages == 0;
  std::printf(R"({"ranks": %d, "rows": %d, "columns": %d, "transposes": %d, "plane_waves": %lld, "set_up_s": %.6g, )"
              R"("transform_us": %.6g, "messages": [%lld, %lld], "bytes": [%lld, %lld]})"
              "\nfinished\n",
              comm.size(), partition.shape.rows, partition.shape.columns, one ? 1 : 2,
              static_cast<long long>(sphere.size()), seconds.set_up, 1e6 * seconds.transform,
              static_cast<long long>(messages.first.max_messages), static_cast<long long>(messages.second.max_messages),
              static_cast<long long>(messages.first.max_bytes), static_cast<long long>(messages.second.max_bytes));
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
