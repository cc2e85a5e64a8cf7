// Bands moved onto another basis (another cell, cutoff or layout), and sets of bands made whole: no disk.
#pragma once

#include "basis/plane_waves.hpp"
#include "basis/wave_rows.hpp"
#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

/// Plane waves with their inner product, as Hamiltonian::waves() and product() give them. Refers to both.
struct WaveBasis {
  const PlaneWaves& waves;
  const InnerProduct& product;
};

/// Makes bands orthonormal of which the first `loaded` (0 to bands.count) are there, in whatever state, and the others
/// are not. Returns how many had to be made up.
///
/// Loaded bands keep their order and their span; those that are orthonormal already stay bit for bit
/// (linalg/orthonormalise.hpp). Those that depend linearly on bands before them are dropped, the others close up, and
/// random vectors, orthogonal to all, fill the end. These do not depend on the layout; nothing depends on the number of
/// ranks where the inner product does not. Collective over the product's ranks. Throws bad_input on all of them where
/// the basis does not hold that many bands.
template <class S>
Index complete_bands(const WaveBasis& basis, BandView<S> bands, Index loaded);

/// What became of bands on another basis. The same on all ranks.
struct ReassignReport {
  Index moved = 0;   ///< bands taken from the source: the lowest ones where fewer are wanted than there are
  Index random = 0;  ///< bands made up in the end: more wanted than there are, or linearly dependent
  /// The share of its squared norm that a moved band kept, before all were made orthonormal: 1 where the new basis
  /// holds every G of the old one. The least and the mean of all; 1 without bands.
  double least_kept = 1, mean_kept = 1;
};

/// The bands of one k-point by their Miller indices on another basis: out(G) = source(G), 0 where the source has no
/// such G, then made orthonormal and filled up as complete_bands() does.
///
/// Both bases have the same mode, and their products the same ranks, over which this is collective. `out` must not
/// overlap `source`. Throws bad_input as complete_bands() does.
template <class S>
ReassignReport reassign(const WaveBasis& from, BandView<const S> source, const WaveBasis& to, BandView<S> out,
                        Transport transport = Transport::alltoallv);

}  // namespace wavegrid
