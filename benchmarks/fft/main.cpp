// In the set because the H application's pair of transforms is what the package is built around: milliseconds per band
// of backward, product and forward for wavegrid in both precisions, for SpFFT where installed, and for FFTW's dense
// in-place complex pair, side by side in one run. `wavegrid bench fft` calls it; directly:
//
//   mpirun -n 2 python/wavegrid/bin/bench_fft --case 48:15.37 --mode gamma,complex --bands 1,32 --repeats 7
//
// Prints one JSON object per line: the version of SpFFT (empty without it), then one per mode, bands and library.
#include <algorithm>
#include <cstdio>

#include "application.hpp"
#include "common/program.hpp"
#include "dense_pair.hpp"
#include "measure.hpp"
#include "options.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;

/// The libraries at work on one mode; spfft may be null.
struct Bench {
  Mode mode;
  double work;  ///< Problem::work_to_dense()
  std::unique_ptr<Application> spfft, wavegrid, wavegrid_single;
};

void print(const Bench& bench, Index bands, const char* library, double seconds, double dense) {
  std::printf(R"({"mode": "%s", "bands": %d, "library": "%s", "ms_per_band": %.6g, "ratio_to_dense": %.6g, )"
              R"("work_to_dense": %.4g})"
              "\n",
              to_string(bench.mode), static_cast<int>(bands), library, 1e3 * seconds, seconds / dense, bench.work);
  std::fflush(stdout);
}

void compare(const Comm& comm, DensePair* dense, const Bench& bench, Index bands, const Options& options) {
  std::vector<Application*> applications{bench.wavegrid.get(), bench.wavegrid_single.get()};
  if (bench.spfft) applications.push_back(bench.spfft.get());
  const Times times = measure(comm, dense, applications, bands, options.threads, options.repeats);
  if (comm.rank() != 0) return;
  for (std::size_t i = 0; i < applications.size(); ++i)
    print(bench, bands, applications[i]->name(), times.applications[i], times.dense);
  print(bench, bands, "fftw", times.dense, times.dense);
}

/// FFTW keeps its measurements, and later plans of the same process use them. So SpFFT plans first, as in a program of
/// its own (it estimates), then the dense pair, which forgets what it measured, and wavegrid last.
void run(const Comm& comm, const std::vector<std::string>& words) {
  const Options options = parse_options(words);
  const Index most = *std::max_element(options.bands.begin(), options.bands.end());
  std::vector<Problem> problems;
  for (const Mode mode : options.modes)
    problems.emplace_back(options.cube.n, options.cube.radius, mode, most, options.threads);
  std::vector<Bench> benches;
  for (const Problem& problem : problems)
    benches.push_back({problem.sphere.mode(), problem.work_to_dense(), make_spfft(comm, problem), nullptr, nullptr});
  const auto dense = comm.rank() == 0 ? std::make_unique<DensePair>(options.cube.n) : nullptr;
  sleeping_barrier(comm);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    benches[i].wavegrid = make_wavegrid(comm, problems[i], options.scheme);
    benches[i].wavegrid_single = make_wavegrid_single(comm, problems[i], options.scheme);
  }
  if (comm.rank() == 0) std::printf("{\"spfft\": \"%s\"}\n", spfft_version());
  for (const Bench& bench : benches)
    for (const int bands : options.bands) compare(comm, dense.get(), bench, bands, options);
}

}  // namespace

int main(int argc, char** argv) { return wavegrid::bench::run_program(argc, argv, run); }
