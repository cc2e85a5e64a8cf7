// Block Davidson: Rayleigh-Ritz in a space to which the preconditioned residuals of all bands are added block by block;
// each round restarts from the bands alone. E. R. Davidson, J. Comput. Phys. 17, 87 (1975),
// 10.1016/0021-9991(75)90065-0; G. Kresse, J. Furthmueller, Phys. Rev. B 54, 11169 (1996), 10.1103/PhysRevB.54.11169.
#pragma once

#include <array>

#include <wavegrid/eigen/search_space.hpp>

namespace wavegrid {

/// Keeps its arrays, but no directions, between rounds.
template <class S>
class Davidson {
 public:
  static constexpr int max_blocks = 3;  ///< of new directions in addition to X

  /// Extends the space to [X, W_1, ..., W_blocks], with one application of H per block and band that is not locked, and
  /// takes the lowest Ritz vectors. X must be S-orthonormal. 1 <= blocks <= max_blocks. Collective.
  void round(BandOperator<S>& op, EigenState<S>& state, int blocks, const LockBounds& bounds = {});

  /// Frees all arrays.
  void restart() { w_ = {}; }

  /// Bytes of the arrays, and of what a round needs in addition. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands, int blocks);
  [[nodiscard]] static double round_bytes(Index rows, Index bands, int blocks);

 private:
  /// Writes the preconditioned residuals of the Ritz vectors of the first `filled` blocks, with HX and SX, to the next
  /// block.
  void next_directions(BandOperator<S>& op, const EigenState<S>& state, const SubspaceSolution<S>& ritz, int filled);

  std::array<Directions<S>, max_blocks> w_;
};

}  // namespace wavegrid
