// Numbers that tell the projectors of ultrasoft and PAW datasets, and shells of DFT+U, apart.
#pragma once

#include <vector>

#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// Of each atom the FNV-1a hash of angular momenta and radial functions r p_i(r), to 1e-6 bohr^(-1/2), of its dataset's
/// projectors, and of its shell of DFT+U: the same for the same file on any machine; 0 without both. Pure.
[[nodiscard]] std::vector<int> projector_hashes(const Crystal& crystal, const Pseudopotentials& potentials);

}  // namespace wavegrid
