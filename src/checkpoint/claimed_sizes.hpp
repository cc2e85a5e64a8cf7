// The sizes that a file claims. It may claim more than it holds, or consist of holes: a count that no basis has would
// fill the memory.
#pragma once

#include <wavegrid/checkpoint/hdf5_file.hpp>

namespace wavegrid {

/// Compares the counts of k-points, bands, G-vectors, atoms, symmetry operations, Fermi levels and elements of matrices
/// with each other and with the basis before anything of their size is read. Throws bad_input that names the file.
void require_claims(const Hdf5Reader& file);

}  // namespace wavegrid
