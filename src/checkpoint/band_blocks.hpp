// Bands of one k-point between the ranks that hold them and the blocks of the file.
//
// Of a set of as many bands as there are aggregators, each aggregator has the blocks of one: one exchange moves one
// block of all of them, or of several sets where blocks are small. The buffers of a rank are those of one exchange.
#pragma once

#include <span>
#include <vector>

#include "basis/g_sphere.hpp"
#include "basis/wave_rows.hpp"
#include "checkpoint/checkpoint_file.hpp"
#include "wavefunctions/wave_map.hpp"

namespace wavegrid {

/// The bands of one spin.
template <class S>
struct SpinBands {
  int spin = 0;
  BandView<S> bands;
};

/// One k-point's bands on this rank: plane waves that all spins share. Ranks that hold none leave `g` empty; spins and
/// numbers of bands are the same on all ranks.
template <class S>
struct RankBands {
  int k = 0;  ///< in the file
  std::span<const Int3> g{};
  Mode mode = Mode::complex;  ///< of the memory; in the file it is that of the header
  std::vector<SpinBands<S>> spins{};
};

/// Who takes part, and how much memory a rank may use.
struct BandExchange {
  const Comm& comm;
  Aggregators aggregators;
  Index buffer_bytes;
};

/// Writes all bands of the file, and with spin 0 the G-vectors of `sphere`. Collective; errors are deferred, G-vectors
/// that no rank has are one.
template <class S>
void write_bands(const BandExchange& traffic, CheckpointFile& file, const GSphere& sphere,
                 const RankBands<const S>& mine);

/// Reads as many bands as there are both here and in the file; all that the file lacks becomes 0. `mode` is that of the
/// file. Collective; errors are deferred, but for modes that do not fit, which throw on all ranks.
template <class S>
void read_bands(const BandExchange& traffic, CheckpointFile& file, Mode mode, const WaveMap& map,
                const RankBands<S>& mine);

}  // namespace wavegrid
