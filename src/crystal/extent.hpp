// How far the electrons of a crystal, slab or molecule can move.
#pragma once

#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

/// The wave number of the longest wave of charge, 1/bohr: 2 pi over the height of the cell, or where there is vacuum
/// between the atoms and their images (10 bohr or more) pi over the extent of the atoms and their tails; the smallest
/// of the three directions. Pure.
[[nodiscard]] double smallest_wave_number(const Crystal& crystal);

}  // namespace wavegrid
