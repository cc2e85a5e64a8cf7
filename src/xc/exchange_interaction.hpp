// The exact exchange that a hybrid functional contains besides its energy at points.
#pragma once

namespace wavegrid {

/// The interaction (full + short_range erfc(omega r)) / r of exact exchange: PBE0 {0.25, 0, 0}, HSE06 {0, 0.25, 0.11},
/// a long-range functional {1, -1, omega}.
struct ExchangeInteraction {
  double full = 0, short_range = 0;
  double omega = 0;  ///< 1/bohr

  [[nodiscard]] bool is_none() const { return full == 0 && short_range == 0; }
};

}  // namespace wavegrid
