// Moves the bands of one k-point between the ranks that own them and the blocks of the file.
//
// Bands are moved in sets of one band per aggregator: each aggregator has the blocks of its band. One exchange moves
// one block of all bands of a set, or of several sets if blocks are small. A rank needs the buffers of one exchange.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/checkpoint/checkpoint_file.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

namespace wavegrid {

/// The bands of one spin.
template <class S>
struct SpinBands {
  int spin = 0;
  BandView<S> bands;
};

/// The bands of one k-point on this rank; all spins have the same plane waves. Ranks without plane waves leave `g`
/// empty; spins and numbers of bands are the same on all ranks.
template <class S>
struct RankBands {
  int k = 0;  ///< in the file
  std::span<const Int3> g{};
  Mode mode = Mode::complex;  ///< of the memory; in the file it is that of the header
  std::vector<SpinBands<S>> spins{};
};

/// The ranks that take part, and the memory that a rank may use.
struct BandExchange {
  const Comm& comm;
  Aggregators aggregators;
  Index buffer_bytes;
};

/// Writes all bands of the file, and with spin 0 the G-vectors of `sphere`. Collective; errors are deferred; it is an
/// error if a G-vector is on no rank.
template <class S>
void write_bands(const BandExchange& traffic, CheckpointFile& file, const GSphere& sphere,
                 const RankBands<const S>& mine);

/// Reads the bands that are both in `mine` and in the file; bands and coefficients that are not in the file become 0.
/// `mode` is that of the file. Collective; errors are deferred, except that all ranks throw at once if the modes do not
/// fit.
template <class S>
void read_bands(const BandExchange& traffic, CheckpointFile& file, Mode mode, const WaveMap& map,
                const RankBands<S>& mine);

}  // namespace wavegrid
