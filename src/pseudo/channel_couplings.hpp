// Channels of a separable pseudopotential with diagonal couplings: one strength for each projector.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

/// The projectors of a channel in linear combinations that make h_ij diagonal: p_n = sum_i mixing[n][i] p_i with the
/// strength D_n, Ha. Those of an augmented dataset, or with spin-orbit coupling, stay as they are, with strengths 0:
/// matrices couple them.
struct ChannelCouplings {
  std::vector<double> strengths;
  std::vector<std::vector<double>> mixing;
};
[[nodiscard]] ChannelCouplings diagonal_couplings(const Pseudopotential& atom, int channel);

/// sum_i mixing[n][i] f(i, |q|), [n][plane wave]; f are the projectors of a channel or their derivatives.
[[nodiscard]] std::vector<std::vector<double>> radial_parts(const PlaneWaves& waves, const ChannelCouplings& couplings,
                                                            const std::function<double(int i, double q)>& f);

}  // namespace wavegrid
