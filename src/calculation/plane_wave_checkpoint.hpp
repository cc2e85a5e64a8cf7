// Checkpoints of bands and densities in plane waves.
#pragma once

#include "calculation/checkpoint_writer.hpp"
#include "calculation/plane_wave_scf.hpp"

namespace wavegrid {

/// Writes these bands and this density, with the potential of the density. The arguments must outlive the result.
template <class S>
[[nodiscard]] WriteState writing_plane_waves(const Problem& problem, const ProcessGroups& groups, GridFields& fields,
                                             const GridPotential& potential, const MyBands<S>& bands,
                                             const SpinCoefficients& density) {
  return [&](const CheckpointHeader& header) {
    SpinFields values;
    for (const auto& component : density) values.push_back(fields.to_values(component));
    const SpinFields of_density = potential.potential({{density, {}}, {values, {}}}).v;
    std::vector<CheckpointBands<S>> mine;
    for (const auto& one : bands)
      mine.push_back({one->k, one->spin, one->h.waves(), std::as_const(one->state.x).view()});
    return write_checkpoint<S>(problem.checkpoint->file, header, groups, mine,
                               {fields.grid().layout(), values, of_density}, {.keep = problem.checkpoint->keep});
  };
}

}  // namespace wavegrid
