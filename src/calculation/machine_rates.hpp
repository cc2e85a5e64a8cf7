// How fast the core of this process computes: measured in some milliseconds, for an estimate of times.
#pragma once

#include <optional>

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Operations per second in double precision.
struct MachineRates {
  double fft = 0;   ///< one thread, of batched 1-D FFTs of 48 points, 5 n log2 n operations each
  double gemm = 0;  ///< of matrix products with the threads of the BLAS
};

/// The best of several short samples: other work on the machine makes single ones slower. Not collective, no MPI.
[[nodiscard]] MachineRates measure_rates();

/// Seconds of one transform of a band, in one direction and in single precision, on one rank and one thread, where
/// bands go through the box in lanes (fft/band_lanes_fft.hpp); measured in some milliseconds with the sphere of the
/// first k-point. None for other boxes, deterministic runs and meshes.
[[nodiscard]] std::optional<double> measure_band_transform(const Problem& problem);

}  // namespace wavegrid
