// Sums of phases over many atoms, sum_a w_a exp(-iG.tau_a), by a non-uniform fast Fourier transform along the longest
// axis: for each line of G along it the atoms' factors of the other axes are spread onto a fine grid, of which a
// transform gives all G of the line. The work is that of the transforms, and for each line that of some points for each
// atom, instead of that of each G for each atom.
//
// A. H. Barnett, J. Magland and L. af Klinteberg, SIAM J. Sci. Comput. 41, C479 (2019), 10.1137/18M120885X: kernel
// exp(beta (sqrt(1 - z^2) - 1)), relative error below 1e-13.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>

namespace wavegrid {

/// Whether line_sums() take less time than sums over the atoms for each G. The same on all ranks. Pure.
[[nodiscard]] bool line_sums_pay(const PlaneWaves& waves, Index atoms);

/// The sums at every plane wave of this rank, with the same bits on any number of ranks. `positions`: fractional;
/// `factors`: w of each. Local.
[[nodiscard]] std::vector<std::complex<double>> line_sums(const PlaneWaves& waves, std::span<const Vec3> positions,
                                                          std::span<const double> factors);

}  // namespace wavegrid
