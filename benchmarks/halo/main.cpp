// In the set because Octopus spends a quarter of its time in communication, most of it halo exchanges (Hoefler et al.
// 2008): exchanges with 10 neighbours by every transport; the finite differences compared with the bandwidth of memory;
// both together, with and without overlap.
// `wavegrid bench halo` calls it; directly:
//
//   mpirun -n 4 python/wavegrid/bin/bench_halo --context stencil,overlap --order 8 --width 16 --edge 48
//
// Prints one JSON object per line; "context" says which kind.
#include <algorithm>
#include <array>
#include <cstdio>

#include "common/program.hpp"
#include "neighbours.hpp"
#include "options.hpp"
#include "overlap.hpp"
#include "stencil_speed.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;

constexpr int wanted_neighbours = 10;
constexpr std::array<Index, 7> message_bytes{8, 64, 512, 4096, 32768, 262144, 1048576};

void run_neighbours(const Comm& comm, const Options& options) {
  NeighbourExchange exchange(comm, wanted_neighbours, message_bytes.back());
  if (exchange.neighbours() == 0) return;
  for (const Transport transport : options.transports)
    for (const Index bytes : message_bytes) {
      const NeighbourTimes times = exchange.measure(transport, bytes, options.repeats);
      if (comm.rank() != 0) continue;
      std::printf(R"({"context": "neighbours", "transport": "%s", "neighbours": %d, "bytes": %lld, )"
                  R"("latency_us": %.6g, "overhead_us": %.6g})"
                  "\n",
                  to_string(transport), exchange.neighbours(), static_cast<long long>(bytes), 1e6 * times.latency,
                  1e6 * times.overhead);
    }
}

/// A cube without periodic directions: the mesh of a molecule in a box.
Mesh cube(const Comm& comm, const Options& options, int order) {
  const double length = 0.4 * options.edge;
  const Lattice lattice(Mat3{{{length, 0, 0}, {0, length, 0}, {0, 0, length}}});
  const MeshGrid grid(lattice, {options.edge, options.edge, options.edge}, {false, false, false}, MeshRegion::cell());
  return Mesh(comm, grid, order);
}

void run_stencil(const Comm& comm, const Options& options) {
  for (const int order : options.orders) {
    const StencilSpeed speed = measure_stencil(cube(comm, options, order), options.width, options.repeats);
    if (comm.rank() != 0) continue;
    const auto values = static_cast<double>(speed.values) / comm.size();
    std::printf(R"({"context": "stencil", "order": %d, "width": %d, "edge": %d, "ns_per_value": %.5g, )"
                R"("triad_ns_per_value": %.5g, "share_of_bound": %.4g})"
                "\n",
                order, options.width, options.edge, 1e9 * speed.seconds / values, 1e9 * speed.triad_seconds / values,
                speed.bound() / speed.seconds);
  }
}

void run_overlap(const Comm& comm, const Options& options) {
  for (const int order : options.orders) {
    const Mesh mesh = cube(comm, options, order);
    const Index ghosts = comm.sum(mesh.num_ghosts());
    for (const Transport transport : options.transports) {
      const OverlapTimes times = measure_overlap(mesh, transport, options.width, options.repeats);
      if (comm.rank() != 0) continue;
      std::printf(R"({"context": "overlap", "order": %d, "width": %d, "edge": %d, "transport": "%s", "ghosts": %.6g, )"
                  R"("computing_us": %.6g, "halo_us": %.6g, "off_us": %.6g, "polling_us": %.6g, "thread_us": %.6g, )"
                  R"("one_by_one_us": %.6g, "hidden": %.4g})"
                  "\n",
                  order, options.width, options.edge, to_string(transport), static_cast<double>(ghosts) / comm.size(),
                  1e6 * times.computing, 1e6 * times.halo, 1e6 * times.off, 1e6 * times.polling, 1e6 * times.thread,
                  1e6 * times.one_by_one, times.hidden);
    }
  }
}

void run(const Comm& comm, const std::vector<std::string>& words) {
  const Options options = parse_options(words);
  const auto wants = [&](const char* context) {
    return std::find(options.contexts.begin(), options.contexts.end(), context) != options.contexts.end();
  };
  if (wants("neighbours")) run_neighbours(comm, options);
  if (wants("stencil")) run_stencil(comm, options);
  if (wants("overlap")) run_overlap(comm, options);
}

}  // namespace

int main(int argc, char** argv) { return wavegrid::bench::run_program(argc, argv, run); }
