// Numbers that tell the projectors of ultrasoft and PAW datasets apart.
#pragma once

#include <vector>

#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// Of each atom the FNV-1a hash of angular momenta and radial functions r p_i(r), to 1e-6 bohr^(-1/2), of its dataset's
/// projectors: the same for the same file on any machine; 0 without a dataset. Pure.
[[nodiscard]] std::vector<int> projector_hashes(const Crystal& crystal, const Pseudopotentials& potentials);

}  // namespace wavegrid
