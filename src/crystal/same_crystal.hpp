// Whether two crystals are the same in parts.
#pragma once

#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

/// Whether the lattice vectors agree to 1e-9 bohr. Pure.
[[nodiscard]] bool same_cell(const Lattice& a, const Lattice& b);
/// Whether the fractional positions agree to 1e-9, up to lattice vectors; the cells may differ. Pure.
[[nodiscard]] bool same_positions(const Crystal& a, const Crystal& b);
/// Whether the elements are the same, in the same order. Pure.
[[nodiscard]] bool same_elements(const Crystal& a, const Crystal& b);

}  // namespace wavegrid
