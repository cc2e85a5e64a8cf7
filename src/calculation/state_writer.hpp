// What a checkpoint writer calls for a state of any discretisation.
#pragma once

#include <utility>

#include <wavegrid/discretisation/checkpoint_matrices.hpp>
#include <wavegrid/discretisation/discretisation.hpp>

namespace wavegrid {

/// Writes these bands of S and this density, with the density's matrices in the header. The arguments must outlive the
/// result.
template <class S, class D, class Bands>
[[nodiscard]] WriteState state_writer(D& discretisation, const Problem& problem,
                                      const EnergyTerms<typename D::Space>& potential, const Bands& bands,
                                      const Density<typename D::Space>& density) {
  return [&density, write = discretisation.template writing<S>(problem, potential, bands, density)](
             const CheckpointHeader& state) {
    CheckpointHeader header = state;
    set_matrices(density.matrices, header);
    return write(header);
  };
}

}  // namespace wavegrid
