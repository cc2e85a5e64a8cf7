// Checkpoints of bands and densities in plane waves.
#pragma once

#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>

namespace wavegrid {

/// Writes these bands and this density, with the potential of the density. The arguments must outlive the result.
template <class S>
[[nodiscard]] WriteState writing_plane_waves(const Problem& problem, const ProcessGroups& groups, GridFields& fields,
                                             const GridPotential& potential, const MyBands<S>& bands,
                                             const Density<GridFields>& density) {
  return [&](const CheckpointHeader& header) {
    const DensityValues values = density_values(fields, density);
    const SpinFields effective_potential = potential.potential({density, values}).v;
    std::vector<CheckpointBands<S>> mine;
    for (const auto& one : bands)
      mine.push_back({one->k, one->spin, one->h.waves(), std::as_const(one->state.x).view()});
    return write_checkpoint<S>(problem.checkpoint->file, header, groups, mine,
                               {fields.grid().layout(), values.n, effective_potential, values.tau},
                               {.keep = problem.checkpoint->keep});
  };
}

}  // namespace wavegrid
