// Whether kept plans are still the fastest: one that was chosen while other programs disturbed the measurement would
// otherwise be used for ever.
#pragma once

namespace wavegrid {

/// Compares plans that FFTW's wisdom has provided with plans that are measured now, one after the other as long as this
/// takes `seconds` of the thread or less. Where one takes `contradiction` times as long as the new one, all wisdom of
/// this precision is forgotten but for what was measured here, and the answer is true. Local.
template <class Real>
[[nodiscard]] bool wisdom_is_contradicted(double seconds, double contradiction = 1.25);

}  // namespace wavegrid
