// Matrices over the projectors of each atom: couplings D and overlaps q.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// For each atom of the crystal a Hermitian matrix over its projectors, in the order of their channels, then of the
/// projectors of a channel, then of m. Real where bands are real.
using AtomMatrices = std::vector<Matrix<std::complex<double>>>;

}  // namespace wavegrid
