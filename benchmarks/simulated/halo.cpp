// Halo exchanges of a mesh that METIS divides: dense collectives against messages to the real neighbours, with and
// without overlap, compared with the LogGP model (Hoefler, Lorenzen, Lumsdaine, EuroPVM/MPI 2008).
#include <wavegrid/costmodel/halo_cost.hpp>
#include <wavegrid/mesh/halo.hpp>
#include <wavegrid/mesh/stencil.hpp>

#include "common/words.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

struct Options {
  double points = 1e5;     ///< of the mesh, about: a cylinder
  double slenderness = 8;  ///< its length over its radius
  int order = 6;           ///< of finite differences: three neighbours on each side
  int width = 1;           ///< states in a message
  std::vector<Transport> transports{transport_named("alltoallv_blocking"), Transport::pairwise};
  double point_seconds = 2e-8;  ///< of computing for a point of one state
  LogGP network{4e-6, 1e-6, 1e-6, 1e-9};
};

Options options_of(const Words& words) {
  Options options;
  for_options(words, [&](const Word& word) {
    const auto positive = [&] { return number<double>(word, "a number above zero"); };
    if (word.option == "--points")
      options.points = positive();
    else if (word.option == "--slenderness")
      options.slenderness = positive();
    else if (word.option == "--order")
      options.order = count(word);
    else if (word.option == "--width")
      options.width = count(word);
    else if (word.option == "--transports")
      options.transports = list(word, [](const Word& one) { return transport_named(one.text); });
    else if (word.option == "--point-seconds")
      options.point_seconds = positive();
    else if (word.option == "--latency")
      options.network.latency = positive();
    else if (word.option == "--overhead")
      options.network.overhead = options.network.gap = positive();
    else if (word.option == "--gap-per-byte")
      options.network.gap_per_byte = positive();
    else
      throw bad_input(
          word.option +
          ": unknown; valid: --points, --slenderness, --order, --width, --transports, --point-seconds, --latency, "
          "--overhead, --gap-per-byte");
  });
  return options;
}

Mesh cylinder(const Comm& comm, const Options& options) {
  constexpr double pi = 3.141592653589793, step = 0.4;
  const double radius = step * std::cbrt(options.points / (options.slenderness * pi));
  const double length = options.slenderness * radius;
  const Lattice lattice(Mat3{{{2 * radius, 0, 0}, {0, 2 * radius, 0}, {0, 0, length}}});
  const MeshRegion region = MeshRegion::cylinder({0, 0, 0}, 2, radius, length / 2);
  return Mesh(comm, MeshGrid(lattice, mesh_counts(lattice, {step, step, step}), {false, false, false}, region),
              options.order);
}

/// One application of a Hamiltonian's Laplacian to a block of states, of which the computing only takes time.
class Application {
 public:
  Application(const Mesh& mesh, const Options& options)
      : comm_(mesh.comm()),
        options_(options),
        halo_(mesh, Transport::pairwise),
        values_(static_cast<std::size_t>((mesh.num_points() + mesh.num_ghosts()) * options.width), 1.0) {
    const Stencil stencil(mesh);
    const double each = options.point_seconds * options.width;
    inner_ = each * static_cast<double>(stencil.num_points(StencilPoints::inner));
    boundary_ = each * static_cast<double>(stencil.num_points(StencilPoints::boundary));
  }

  void use(Transport transport) {
    halo_.plan().use(transport);
    halo_.fill(values_.data(), options_.width);  // makes buffers
  }
  /// Seconds of the slowest rank, which repetitions would not change: of the exchange, and of the whole with the
  /// exchange before the computing or during it.
  [[nodiscard]] double exchange() {
    return slowest([&] { halo_.fill(values_.data(), options_.width); });
  }
  [[nodiscard]] double one_after_the_other() {
    return slowest([&] {
      halo_.fill(values_.data(), options_.width);
      compute(inner_ + boundary_);
    });
  }
  [[nodiscard]] double overlapped() {
    return slowest([&] {
      auto running = halo_.start(values_.data(), options_.width);
      compute(inner_);
      running.wait();
      compute(boundary_);
    });
  }
  [[nodiscard]] double computing() const { return comm_.max(inner_ + boundary_); }
  /// Eq. (4) with the messages that the slowest rank really sends.
  [[nodiscard]] double model(const Mesh& mesh) const {
    std::vector<Index> points;
    for (const PartnerRuns& one : mesh.halo_runs().sends)
      if (one.partner != comm_.rank()) points.push_back(total_length(one.runs));
    return comm_.max(halo_seconds(options_.network, points, 8.0 * options_.width));
  }

 private:
  template <class Work>
  double slowest(Work work) {
    comm_.barrier();
    const double start = now();
    work();
    return comm_.max(now() - start);
  }

  Comm comm_;
  Options options_;
  Halo halo_;
  std::vector<double> values_;
  double inner_ = 0, boundary_ = 0;  ///< seconds of this rank's points
};

}  // namespace

void study_halo(const Comm& comm, const Words& words) {
  const Options options = options_of(words);
  const Mesh mesh = cylinder(comm, options);
  Application application(mesh, options);
  std::string rows;
  for (const Transport transport : options.transports) {
    application.use(transport);
    rows += text(R"(%s{"transport": "%s", "exchange_us": %.6g, "off_us": %.6g, "overlap_us": %.6g})",
                 rows.empty() ? "" : ", ", to_string(transport), 1e6 * application.exchange(),
                 1e6 * application.one_after_the_other(), 1e6 * application.overlapped());
  }
  const double ranks = comm.size();
  const double neighbours = static_cast<double>(comm.sum(mesh.num_neighbours())) / ranks;
  const double ghosts = static_cast<double>(comm.sum(mesh.num_ghosts())) / ranks;
  const Index most = comm.max(mesh.num_neighbours());
  print_result(
      comm, text(R"({"ranks": %d, "points": %lld, "neighbours": %.4g, "most_neighbours": %lld, )"
                 R"("ghosts": %.6g, "computing_us": %.6g, "model_us": %.6g, "rows": [)",
                 comm.size(), static_cast<long long>(mesh.num_all_points()), neighbours, static_cast<long long>(most),
                 ghosts, 1e6 * application.computing(), 1e6 * application.model(mesh)) +
                rows + "]}");
}

}  // namespace wavegrid::bench
