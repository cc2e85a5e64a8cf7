// How fast the core of this process computes: measured in some milliseconds, for an estimate of times.
#pragma once

namespace wavegrid {

/// Operations per second in double precision.
struct MachineRates {
  double fft = 0;   ///< one thread, of batched 1-D FFTs of 48 points, 5 n log2 n operations each
  double gemm = 0;  ///< of matrix products with the threads of the BLAS
};

/// The best of several short samples: other work on the machine makes single ones slower. Not collective, no MPI.
[[nodiscard]] MachineRates measure_rates();

}  // namespace wavegrid
