// Bands in blocks with states fastest, the order of stencils and projectors.
#pragma once

#include <algorithm>

#include <wavegrid/realspace/transpose.hpp>

namespace wavegrid {

/// Bands of a block: those whose ghost points are exchanged together.
inline constexpr Index bands_per_block = 8;

/// A number of bands in blocks of bands_per_block, the last one narrower: each is an array (points and ghost points,
/// width) in memory that somebody else owns.
template <class S>
class MeshBlocks {
 public:
  /// `memory`: (rows_with_ghosts, bands) numbers.
  MeshBlocks(Index rows_with_ghosts, Index bands, S* memory)
      : rows_(rows_with_ghosts), bands_(bands), memory_(memory) {}

  [[nodiscard]] Index bands() const { return bands_; }
  /// The bands of the block that begins with band `first`.
  [[nodiscard]] Index width(Index first) const { return std::min(bands_per_block, bands_ - first); }
  [[nodiscard]] S* at(Index first) const { return memory_ + first * rows_; }

  /// Calls work(first, width) for each block.
  template <class Work>
  void for_each(const Work& work) const {
    for (Index first = 0; first < bands_; first += bands_per_block) work(first, width(first));
  }
  void take(BandView<const S> bands) const {
    for_each([&](Index first, Index count) { to_states_fastest<S>(bands.slice(first, count), at(first)); });
  }
  void give(BandView<S> bands) const {
    for_each([&](Index first, Index count) { to_points_fastest<S>(at(first), bands.slice(first, count)); });
  }

 private:
  Index rows_, bands_;
  S* memory_;
};

}  // namespace wavegrid
