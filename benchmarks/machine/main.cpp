// In the set because `auto` and `wavegrid plan` choose for a machine: its messages inside a node and between nodes, its
// memory, and how fast its cores compute.
// `wavegrid bench machine` calls it; on two nodes directly, with one rank or more on each:
//
//   srun --nodes 2 python/wavegrid/bin/bench_machine --repeats 20
//
// Prints one JSON object per line: "messages" for each kind of pair and for all pairs of a node together, then "rates".
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/calculation/machine_rates.hpp>
#include <wavegrid/mpi/node.hpp>

#include "common/program.hpp"
#include "common/statistics.hpp"
#include "common/words.hpp"
#include "messages.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;

int repeats_of(const std::vector<std::string>& words) {
  int repeats = 20;
  for_options(words, [&](const Word& word) {
    if (word.option != "--repeats") throw bad_input(word.option + ": unknown; valid: --repeats");
    repeats = count(word);
  });
  return repeats;
}

/// The first rank that shares rank 0's node, or the first that does not; none: -1. Collective.
int partner_of(const Comm& comm, bool on_node) {
  int node = comm.rank();
  node_comm(comm).broadcast(std::span<int>(&node, 1));  // its lowest rank
  const bool fits = comm.rank() > 0 && (node == 0) == on_node;
  const int found = comm.min(fits ? comm.rank() : comm.size());
  return found == comm.size() ? -1 : found;
}

void print_times(const char* pair, const std::vector<MessageTime>& times, const std::string& more) {
  const MessageModel model = fit_messages(times);
  const std::vector<MessagePiece> pieces = fit_message_pieces(times);
  std::printf(R"({"messages": "%s", "latency": %.4g, "bandwidth": %.4g, %s"pieces": [)", pair, model.latency,
              model.bandwidth, more.c_str());
  for (const MessagePiece& piece : pieces)
    std::printf("%s[%.0f, %.4g, %.4g]", &piece == pieces.data() ? "" : ", ", piece.from, piece.model.latency,
                piece.model.bandwidth);
  std::printf(R"(], "times": [)");
  for (const MessageTime& time : times) {
    const auto piece =
        std::find_if(pieces.rbegin(), pieces.rend(), [&](const auto& p) { return p.from <= time.bytes; });
    std::printf("%s[%.0f, %.4g, %.4g]", &time == times.data() ? "" : ", ", time.bytes, time.seconds,
                piece->model.seconds(time.bytes));
  }
  std::printf("]}\n");
}

void print_messages(const Comm& comm, const char* pair, const PairFigures& figures) {
  if (comm.rank() != 0) return;
  char more[80];
  std::snprintf(more, sizeof more, R"("overhead": %.4g, "gap": %.4g, )", figures.overhead, figures.gap);
  print_times(pair, figures.times, more);
}

/// Bytes per second of a rank in a triad, while all ranks run one.
double memory_rate(const Comm& comm, int repeats) {
  constexpr std::size_t length = std::size_t{1} << 22;
  AlignedVector<double> a(length, 0.0), b(length, 1.0), c(length, 2.0);
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    comm.barrier();
    const auto start = Clock::now();
    for (std::size_t n = 0; n < length; ++n) a[n] = b[n] + 1.5 * c[n];
    asm volatile("" : : "r"(a.data()) : "memory");
    seconds.push_back(seconds_since(start));
  }
  constexpr double moved = 3 * sizeof(double) * length;
  return moved / comm.max(*std::min_element(seconds.begin(), seconds.end()));
}

void run(const Comm& comm, const std::vector<std::string>& words) {
  const int repeats = repeats_of(words);
  for (const bool on_node : {true, false}) {
    const int partner = partner_of(comm, on_node);
    if (partner > 0) print_messages(comm, on_node ? "inside" : "between", measure_pair(comm, partner, repeats));
  }
  if (const Comm node = node_comm(comm); comm.max(node.size()) > 1) {
    const std::vector<MessageTime> times = measure_neighbours(node, repeats);
    if (comm.rank() == 0) print_times("together", times, "");
  }
  const double memory = memory_rate(comm, repeats);
  const MachineRates rates = measure_rates();
  if (comm.rank() == 0)
    std::printf(R"({"rates": {"fft": %.4g, "gemm": %.4g, "memory": %.4g}, "ranks": %d})"
                "\n",
                rates.fft, rates.gemm, memory, comm.size());
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
