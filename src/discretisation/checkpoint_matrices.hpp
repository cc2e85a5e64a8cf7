// The matrices rho_ij of a density (fields/density.hpp) in the header of a checkpoint.
#pragma once

#include <wavegrid/checkpoint/checkpoint_header.hpp>
#include <wavegrid/fields/atom_matrices.hpp>

namespace wavegrid {

/// Puts matrices, real or of spinors Hermitian, by components, into a header; none: no effect. Pure.
void set_matrices(const SpinMatrices& matrices, CheckpointHeader& header);

/// The matrices of a valid header by its spin components; empty if it has none. Pure.
[[nodiscard]] SpinMatrices matrices_from(const CheckpointHeader& header);

}  // namespace wavegrid
