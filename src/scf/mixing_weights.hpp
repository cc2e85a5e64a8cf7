// How much of each earlier step a mixed density takes, from the products <F_i|F_j> of the steps' changes, latest first.
#pragma once

#include <deque>
#include <vector>

namespace wavegrid {

using MixingProducts = std::deque<std::deque<double>>;

/// P. Pulay: the weights c_i, adding up to 1, of least |sum_i c_i F_i|. Pure.
[[nodiscard]] std::vector<double> pulay_weights(const MixingProducts& products);

/// C. G. Broyden's second method: the latest F without its part along each difference of neighbouring steps, the latest
/// difference first. Pure.
[[nodiscard]] std::vector<double> broyden_weights(const MixingProducts& products);

}  // namespace wavegrid
