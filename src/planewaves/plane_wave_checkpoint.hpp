// Checkpoints of bands and densities in plane waves.
#pragma once

#include "discretisation/discretisation.hpp"
#include "planewaves/plane_wave_bands.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// Writes these bands and this density, with the potential of the density. The arguments must outlive the result.
template <class S>
[[nodiscard]] WriteState writing_plane_waves(const Problem& problem, const ProcessGroups& groups, GridFields& fields,
                                             const GridPotential& potential, const MyBands<S>& bands,
                                             const Density<GridFields>& density) {
  return [&](const CheckpointHeader& header) {
    const DensityValues values = values_of(fields, density);
    const SpinFields of_density = potential.potential({density, values}).v;
    std::vector<CheckpointBands<S>> mine;
    for (const auto& one : bands)
      mine.push_back({one->k, one->spin, one->h.waves(), std::as_const(one->state.x).view()});
    return write_checkpoint<S>(problem.checkpoint->file, header, groups, mine,
                               {fields.grid().layout(), values.n, of_density, values.tau},
                               {.keep = problem.checkpoint->keep});
  };
}

}  // namespace wavegrid
