// Transfers bands to another basis (another cell, cutoff or layout) and completes incomplete sets of bands, in memory.
#pragma once

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

/// Plane waves with their inner product, as Hamiltonian::waves() and product() give them. Refers to both.
struct WaveBasis {
  const PlaneWaves& waves;
  const InnerProduct& product;
  int components = 1;  ///< of a band, one after the other in its rows: 2 for spinors
};

/// Completes a set of bands and makes it orthonormal: the first `loaded` bands (0 to bands.count) are given and need
/// not be orthonormal, the others are missing. Returns the number of bands that were made from random vectors.
///
/// Loaded bands keep their order and their span; those that are already orthonormal are not changed, bit for bit
/// (eigen/orthonormalise.hpp). Bands that depend linearly on earlier ones are removed, the others move up, and random
/// vectors, orthogonal to all bands, are put at the end. The random vectors do not depend on the layout, and no result
/// depends on the number of ranks if the inner product does not. Collective over the ranks of the product. Throws
/// bad_input on all of them if the basis has fewer dimensions than bands.
///
/// `overlap`: an operator on the same basis, where its S is not the unit matrix: bands become X^H S X = 1. Null: S = 1.
template <class S>
Index complete_bands(const WaveBasis& basis, BandView<S> bands, Index loaded, BandOperator<S>* overlap = nullptr);

/// How bands were transferred to another basis. The same on all ranks.
struct ReassignReport {
  Index moved = 0;   ///< bands taken from the source; the lowest ones if the target has fewer
  Index random = 0;  ///< bands made from random vectors: missing in the source, or linearly dependent
  /// The share of its squared norm that a moved band kept, before all were made orthonormal: 1 if the new basis
  /// contains every G of the old one. The least and the mean of all; 1 without bands.
  double least_kept = 1, mean_kept = 1;
};

/// The bands of one k-point in another basis, by their Miller indices: out(G) = source(G), 0 if the source has no such
/// G, then made orthonormal, with the S of `overlap` where one is given, and completed as in complete_bands().
///
/// Both bases have the same mode, and their products the same ranks, over which this is collective. `out` must not
/// overlap `source`. `search`: of the fastest transport; null: alltoallv. Throws bad_input as complete_bands() does.
template <class S>
ReassignReport reassign(const WaveBasis& from, BandView<const S> source, const WaveBasis& to, BandView<S> out,
                        TransportSearch* search = nullptr, BandOperator<S>* overlap = nullptr);

}  // namespace wavegrid
