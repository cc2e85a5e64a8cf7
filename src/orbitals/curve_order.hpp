// Atoms along a curve that fills space: atoms that follow each other are near each other, so that ranks with a part of
// the curve each need few functions of others.
//
// Hilbert's curve: J. Skilling, AIP Conf. Proc. 707, 381 (2004), 10.1063/1.1751381.
#pragma once

#include <vector>

#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

/// The atoms of a crystal in the order in which Hilbert's curve of a cube as long as the longest vector of the cell
/// meets them, the longest vector first; those at the same place of the curve in the order of the crystal. Pure.
[[nodiscard]] std::vector<Index> curve_order(const Crystal& crystal);

/// The same crystal with the atoms in this order. Pure.
[[nodiscard]] Crystal reordered(Crystal crystal, const std::vector<Index>& order);

}  // namespace wavegrid
