// Weights of earlier steps in the mixed density, from the products <F_i|F_j> of the steps' changes, latest first.
#pragma once

#include <deque>
#include <vector>

namespace wavegrid {

using MixingProducts = std::deque<std::deque<double>>;

/// P. Pulay: the weights c_i, adding up to 1, that minimise |sum_i c_i F_i|^2 + sum_i c_i^2 noise_i. Pure.
[[nodiscard]] std::vector<double> pulay_weights(const MixingProducts& products, const std::deque<double>& noise);

/// C. G. Broyden's second method: the latest F without its component along each difference of consecutive steps, the
/// latest difference first. Pure.
[[nodiscard]] std::vector<double> broyden_weights(const MixingProducts& products);

}  // namespace wavegrid
