#include <algorithm>
#include <chrono>
#include <cstdio>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mesh/mesh_operator.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace wavegrid {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

constexpr std::array overlaps{HaloOverlap::off, HaloOverlap::polling, HaloOverlap::thread, HaloOverlap::automatic};

/// Applications of each kind that HaloOverlap::automatic compares; one more of each before them is not counted.
constexpr std::size_t rounds = 4;

}  // namespace

const char* to_string(HaloOverlap overlap) {
  constexpr std::array names{"off", "polling", "thread", "auto"};
  return names[static_cast<std::size_t>(overlap)];
}

HaloOverlap halo_overlap_named(const std::string& name) {
  for (const HaloOverlap overlap : overlaps)
    if (name == to_string(overlap)) return overlap;
  throw bad_input("unknown overlap \"" + name + "\"; valid: off, polling, thread, auto");
}

MeshOperator::MeshOperator(const Mesh& mesh, const HaloOptions& options, int threads)
    : num_points_(mesh.num_points()),
      num_ghosts_(mesh.num_ghosts()),
      threads_(threads),
      halo_(mesh, options.transport.value_or(Transport::pairwise), threads),
      stencil_(mesh, threads),
      trace_(mesh.comm().profile() ? mesh.comm().profile()->trace() : nullptr) {
  mesh.comm().collectively([&] { use(options.overlap); });
  if (!options.transport && mesh.comm().size() > 1) halo_.search_transport(sizeof(double));  // anew for wider blocks
}

void MeshOperator::use(HaloOverlap overlap) {
  if (overlap == HaloOverlap::thread) require_thread_level(threads_ + 1);
  overlap_ = overlap;
  under_way_ = hidden_ = 0;
  for (std::vector<double>& seconds : measured_) seconds.clear();
  reason_.clear();
}

template <class S>
void MeshOperator::apply(S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms,
                         const BlochPhases* phases) {
  const auto apply_with = [&](HaloOverlap overlap) { apply_overlapped(overlap, in, out, width, terms, phases); };
  const Index bytes = width * static_cast<Index>(sizeof(S));
  if (!is_timed(bytes)) return apply_with(overlap_ == HaloOverlap::automatic ? HaloOverlap::off : overlap_);
  const HaloOverlap overlap = timed_overlap();
  const double amount = static_cast<double>(bytes) / static_cast<double>(timed_bytes_);
  if (is_tuning()) return halo_.plan().step([&] { apply_with(overlap); }, amount);
  const auto begin = Clock::now();
  apply_with(overlap);
  measured_[overlap == HaloOverlap::polling ? 1 : 0].push_back(seconds_between(begin, Clock::now()) / amount);
  if (measured_[1].size() > rounds) choose_overlap();
}

bool MeshOperator::is_timed(Index bytes) {
  if (!is_tuning() && overlap_ != HaloOverlap::automatic) return false;
  if (bytes > timed_bytes_) {  // what much narrower blocks took says little
    timed_bytes_ = bytes;
    for (std::vector<double>& seconds : measured_) seconds.clear();
    if (is_tuning()) halo_.search_transport(bytes);
  }
  return 2 * bytes >= timed_bytes_;
}

HaloOverlap MeshOperator::timed_overlap() const {
  if (overlap_ != HaloOverlap::automatic) return overlap_;
  const bool with = !is_tuning() && measured_[0].size() > measured_[1].size();  // in turn
  return with ? HaloOverlap::polling : HaloOverlap::off;
}

void MeshOperator::choose_overlap() {
  std::array<double, 2> medians;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    std::vector<double>& values = measured_[kind];
    halo_.plan().comm().max(std::span(values));  // an application ends when its slowest rank has ended
    std::sort(values.begin() + 1, values.end());
    medians[kind] = values[1 + rounds / 2];
  }
  overlap_ = medians[1] < medians[0] ? HaloOverlap::polling : HaloOverlap::off;
  std::array<char, 96> text;
  std::snprintf(text.data(), text.size(), "an application took %.3g ms without overlap and %.3g ms with it",
                1e3 * medians[0], 1e3 * medians[1]);
  reason_ = text.data();
}

template <class S>
void MeshOperator::apply_overlapped(HaloOverlap overlap, S* in, S* out, Index width,
                                    const LaplacianTerms<RealOf<S>>& terms, const BlochPhases* phases) {
  HaloExchange<S> exchange = halo_.start(in, width, phases);
  if (overlap == HaloOverlap::off) {
    exchange.wait();
    const TraceSlice slice(trace_, EventKind::step, "mesh points");
    return stencil_.laplacian(in, out, width, terms);
  }
  const auto begin = Clock::now();
  auto arrived_at = begin;
  bool arrived = false;
  const auto poll = [&] {
    if (arrived || !exchange.test()) return;
    arrived = true;
    arrived_at = Clock::now();
  };
  {
    const TraceSlice slice(trace_, EventKind::step, "inner points");
    if (overlap == HaloOverlap::polling)
      stencil_.laplacian_in_tiles(in, out, width, terms, poll);
    else
      stencil_.laplacian_by_others(in, out, width, terms, poll);
  }
  const auto computed = Clock::now();
  exchange.wait();
  if (!arrived) arrived_at = Clock::now();
  under_way_ += seconds_between(begin, arrived_at);
  hidden_ += seconds_between(begin, std::min(arrived_at, computed));
  const TraceSlice slice(trace_, EventKind::step, "boundary points");
  stencil_.laplacian(in, out, width, terms, StencilPoints::boundary);
}

#define WAVEGRID_INSTANTIATE(S) \
  template void MeshOperator::apply<S>(S*, S*, Index, const LaplacianTerms<RealOf<S>>&, const BlochPhases*);
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
