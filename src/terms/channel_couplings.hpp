// Channels of a separable pseudopotential with their couplings diagonalised: one strength for each projector.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "atoms/pseudopotential.hpp"
#include "basis/plane_waves.hpp"

namespace wavegrid {

/// A channel's projectors, mixed so that h_ij is diagonal: p_n = sum_i mixing[n][i] p_i with the strength D_n, Ha.
struct ChannelCouplings {
  std::vector<double> strengths;
  std::vector<std::vector<double>> mixing;
};
[[nodiscard]] ChannelCouplings diagonal_couplings(const Pseudopotential& atom, int channel);

/// sum_i mixing[n][i] f(i, |q|) for every n, then plane wave by plane wave; f a channel's projectors or their slopes.
[[nodiscard]] std::vector<std::vector<double>> radial_parts(const PlaneWaves& waves, const ChannelCouplings& couplings,
                                                            const std::function<double(int i, double q)>& f);

}  // namespace wavegrid
