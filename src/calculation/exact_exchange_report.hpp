// How the exact exchange of a calculation was computed.
#pragma once

namespace wavegrid {

struct ExactExchangeReport {
  int in_single = 0, in_double = 0;  ///< computations of V_x, by the precision of the transforms of pairs
  double error = 0;                  ///< Ha: estimate of what the outer loop leaves
  double seconds = 0;                ///< wall time of all these, of the first rank
  double communication_seconds = 0;  ///< of these: transfers of bands, not overlapped with transforms
};

}  // namespace wavegrid
