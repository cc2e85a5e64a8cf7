// How real spherical harmonics turn.
#pragma once

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// D of Y_lm(R n) = sum_m' D_mm' Y_lm'(n) for an orthogonal matrix R (rows) that acts on Cartesian vectors n; m counts
/// from -l. D is orthogonal. Pure.
[[nodiscard]] Matrix<double> harmonic_rotation(const Mat3& r, int l);

}  // namespace wavegrid
