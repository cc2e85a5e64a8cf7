// The cost of work and messages on a machine, in the units in which such numbers are usually given.
#pragma once

#include <vector>

#include <wavegrid/costmodel/fit_messages.hpp>
#include <wavegrid/layout/transform_load.hpp>

namespace wavegrid {

/// Per rank. The defaults describe one rank per core on a cluster node of the 2020s: InfiniBand with 2 us from call to
/// arrival of a small message inside an all-to-all, and an adapter of 200 Gbit/s shared by two dozen ranks. The work is
/// that of the machine of docs/lab/README.md: compact FFTs at 10 Gflop/s, and per plane wave and transform 0.05 us of
/// linear algebra and projectors at 217 bands, 0.2 us at 1000.
struct Machine {
  double latency = 2e-6;               ///< seconds per message: alpha of Gao et al. 2016, Eqs. (4) and (5)
  double bandwidth = 1e9;              ///< bytes per second: beta there
  double flops = 1e10;                 ///< operations per second of a 1-D FFT
  double plane_wave_work = 2e-7;       ///< seconds per plane wave and transform of a band, outside the FFT
  std::vector<MessagePiece> pieces{};  ///< by rising size from 0 on, instead of latency and bandwidth
  int bands_per_message = 1;  ///< bands that share the latency of a message; 1 as in the paper, the cautious choice

  /// Latency and bandwidth of messages of `bytes` bytes.
  [[nodiscard]] MessageModel message(double bytes) const;
  /// The same in integer picoseconds, for messages by the bytes of one band. Throws bad_input if a figure is not
  /// positive.
  [[nodiscard]] UnitCosts unit_costs() const;
};

}  // namespace wavegrid
