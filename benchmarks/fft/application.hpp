// One H application of the local potential (backward, product, forward) as each library does it, on the same problem.
#pragma once

#include <memory>

#include <wavegrid/mpi/comm.hpp>

#include "common/waves.hpp"

namespace wavegrid::bench {

/// What is transformed: a sphere of radius `radius` (grid steps) in n^3 points, and how many bands at most.
struct Problem {
  GSphere sphere;
  Index bands;
  int threads;

  Problem(int n, double radius, Mode mode, Index max_bands, int num_threads);
  [[nodiscard]] int n() const { return sphere.grid()[0]; }
  /// The 1-D transforms of a band that the sphere needs over those of the dense grid: the ratio of times where both
  /// take as long for each. In Gamma mode half the sticks and planes, and lines along z that two bands share.
  [[nodiscard]] double work_to_dense() const;
};

/// A band summed with weights that depend on G: equal for equal bands, whichever rank has which plane wave.
struct Shadow {
  Complex sum;  ///< sum_G w(G) c(G); bands that differ by e differ here by about |e|
  double norm;  ///< sqrt(sum_G |c(G)|^2)
};
/// The shadow of a band of which each rank holds its `waves`. Collective.
[[nodiscard]] Shadow shadow_of(const Comm& comm, const PlaneWaves& waves, const Complex* band);

/// One library at work on one problem. All members are collective.
class Application {
 public:
  virtual ~Application() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// Applies the potential to the first `bands` bands as one block, or, in libraries without blocks, to band
  /// `band` of them. Returns the number of bands done.
  virtual Index apply(Index band, Index bands) = 0;
  /// The error of a result by rounding, relative to the norm of a band.
  [[nodiscard]] virtual double rounding() const { return 1e-12; }
  /// The result of a band after it was applied.
  [[nodiscard]] virtual Shadow result(Index band) const = 0;
};

/// In double precision, or in single precision as in the first steps of a self-consistent loop.
[[nodiscard]] std::unique_ptr<Application> make_wavegrid(const Comm& comm, const Problem& problem, Scheme scheme);
[[nodiscard]] std::unique_ptr<Application> make_wavegrid_single(const Comm& comm, const Problem& problem,
                                                                Scheme scheme);

/// SpFFT with sticks distributed greedily and planes evenly; null where this program was built without it.
[[nodiscard]] std::unique_ptr<Application> make_spfft(const Comm& comm, const Problem& problem);
/// Empty without SpFFT.
[[nodiscard]] const char* spfft_version();

}  // namespace wavegrid::bench
