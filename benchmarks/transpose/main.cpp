// In the set because a transport that is fastest in isolation may not be in the application (CP2K: 43% faster in
// isolation, 2% inside): the transposes of a block of bands by every transport, in isolation and inside H applications,
// and what the tuner chose.
// `wavegrid bench transpose` calls it; directly:
//
//   mpirun -n 4 python/wavegrid/bin/bench_transpose --case 48:15.37 --context isolated,scf --repeats 5
//
// Prints one JSON object per line: "auto" once, then one per context and transport, then "overlap" for two of them.
#include <algorithm>
#include <cstdio>
#include <deque>

#include <wavegrid/mpi/node.hpp>

#include "common/program.hpp"
#include "isolated.hpp"
#include "running.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;

constexpr Index blocks_per_call = 2;
constexpr Index blocks_to_overlap = 6;  // one for each step of the pipeline, and one more
constexpr int overlap_repeats = 3;      // it is a footnote, and should not take longer than the table

double microseconds(double seconds) { return 1e6 * seconds; }

/// What the program does, in order; only rank 0 prints.
class Bench {
 public:
  Bench(const Comm& comm, const Options& options)
      : comm_(comm), options_(options), problem_(comm, options), overlaps_(spans_nodes(comm)) {
    applications_.emplace_back(problem_, std::nullopt, overlaps_);
    // The row that auto took is always there.
    chosen_ = applications_[0].transport();
    auto& names = options_.transports;
    if (std::find(names.begin(), names.end(), chosen_) == names.end()) names.push_back(chosen_);
  }

  void run() {
    find_traffic();
    std::vector<Running> running;
    if (options_.scf) running = run_applications();
    print_auto(running);
    for (std::size_t i = 0; i < alone_.size(); ++i) print_row(i, "isolated", alone_[i], 0);
    for (std::size_t i = 0; options_.scf && i < options_.transports.size(); ++i)
      print_row(i, "scf", running[1 + i].exchange, running[1 + i].whole.median);
  }

 private:
  void find_traffic() {
    Transposes transposes(problem_);
    for (const Transport transport : options_.transports) traffic_.push_back(transposes.traffic(transport));
    if (options_.isolated) alone_ = transposes.measure(options_.transports, options_.repeats);
  }

  /// Times of auto, then of each transport.
  std::vector<Running> run_applications() {
    for (const Transport transport : options_.transports) applications_.emplace_back(problem_, transport, overlaps_);
    return measure(problem_, applications_, blocks_per_call, options_.repeats);
  }

  void print_auto(const std::vector<Running>& running) const {
    if (comm_.rank() != 0) return;
    const Running own = running.empty() ? Running{} : running[0];
    const Partition& partition = problem_.choice.partition;
    const auto scheme = std::find_if(schemes.begin(), schemes.end(),
                                     [&](const auto& known) { return known.second == partition.scheme; });
    std::printf(R"({"auto": "%s", "reason": "%s", "median_us": %.6g, "spread_us": %.6g, "step_us": %.6g, )"
                R"("partition": "%s", "rows": %d, "columns": %d, "block": %d})"
                "\n",
                to_string(chosen_), applications_[0].reason().c_str(), microseconds(own.exchange.median),
                microseconds(own.exchange.spread), microseconds(own.whole.median), scheme->first.c_str(),
                partition.shape.rows, partition.shape.columns, static_cast<int>(problem_.block));
  }

  void print_row(std::size_t i, const char* context, const Figure& figure, double step) const {
    if (comm_.rank() != 0) return;
    const BlockTraffic& traffic = traffic_[i];
    std::printf(R"({"transport": "%s", "context": "%s", "median_us": %.6g, "spread_us": %.6g, "step_us": %.6g, )"
                R"("bytes": %lld, "messages": %lld, "padding": %.6g, "chosen": %s})"
                "\n",
                to_string(options_.transports[i]), context, microseconds(figure.median), microseconds(figure.spread),
                microseconds(step), static_cast<long long>(traffic.bytes), static_cast<long long>(traffic.messages),
                traffic.padding, options_.transports[i] == chosen_ ? "true" : "false");
  }

  Comm comm_;
  Options options_;
  Problem problem_;
  bool overlaps_;
  std::deque<Application> applications_;  ///< auto, then each transport
  Transport chosen_ = Transport::alltoallv;
  std::vector<BlockTraffic> traffic_;  ///< of each transport
  std::vector<Figure> alone_;          ///< of each transport, empty where not asked for
};

/// How much of the shorter of exchange and computing vanishes behind the other where blocks are pipelined.
void print_overlap(const Comm& comm, const Problem& problem, Transport transport, int repeats) {
  std::deque<Application> pair;
  for (const bool overlap : {false, true}) pair.emplace_back(problem, transport, overlap);
  const std::vector<Running> times = measure(problem, pair, blocks_to_overlap, repeats);
  const double exchange = times[0].mean_exchange, computing = times[0].mean_whole - exchange;
  const double gained = exchange + computing - times[1].mean_whole;
  if (comm.rank() != 0) return;
  std::printf(R"({"overlap": %.4g, "transport": "%s", "exchange_us": %.6g, "computing_us": %.6g, "together_us": %.6g})"
              "\n",
              gained / std::min(exchange, computing), to_string(transport), microseconds(exchange),
              microseconds(computing), microseconds(times[1].mean_whole));
}

void run(const Comm& comm, const std::vector<std::string>& words) {
  const Options options = parse_options(words);
  if (comm.size() < 2) throw bad_input("on one rank nothing is transposed; valid: 2, 3, 4, ... ranks");
  Bench(comm, options).run();
  if (!options.scf || !options.overlap) return;
  const Problem problem(comm, options);
  for (const Transport transport : {Transport::pairwise, Transport::shared})
    print_overlap(comm, problem, transport, std::min(options.repeats, overlap_repeats));
}

}  // namespace

int main(int argc, char** argv) { return wavegrid::bench::run_program(argc, argv, run); }
