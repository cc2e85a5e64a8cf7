// An operator on a mesh in the three steps of Octopus before Hoefler, Lorenzen and Lumsdaine (2008): exchange and wait,
// Laplacian, potential; one state after the other.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/mesh/mesh_operator.hpp>

namespace wavegrid::bench {

/// out = scale Laplacian(in) + potential in, with the halo and the stencil of `h`.
///
///     in         (points and ghost points, width); ghost points are not read
///     out        (points, width)
///     potential  of this rank's points
///
/// Collective.
template <class S>
void apply_one_by_one(MeshOperator& h, std::span<const S> in, std::span<S> out, Index width, double scale,
                      std::span<const RealOf<S>> potential, const BlochPhases* phases = nullptr) {
  const auto step = static_cast<std::size_t>(width);
  std::vector<S> state(in.size() / step), result(potential.size());
  for (std::size_t s = 0; s < step; ++s) {
    for (std::size_t p = 0; p < potential.size(); ++p) state[p] = in[p * step + s];
    h.halo().fill(state.data(), 1, phases);
    h.stencil().laplacian(state.data(), result.data(), 1, {.scale = scale});
    for (std::size_t p = 0; p < potential.size(); ++p) {
      result[p] += potential[p] * state[p];
      out[p * step + s] = result[p];
    }
  }
}

}  // namespace wavegrid::bench
