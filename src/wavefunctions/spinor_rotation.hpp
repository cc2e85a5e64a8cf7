// How the components of spinors turn where bands come from an equivalent k-point.
//
//   (g psi)(r) = U(R) psi(g^-1 r),  U = exp(-i a n.sigma / 2),   T psi = i sigma_y conj(psi)
//
// for the proper part R of g, a turn by the angle a around n. U has a sign that no result depends on.
#pragma once

#include <array>
#include <complex>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

namespace wavegrid {

/// A matrix over the components up and down, row by row.
using SpinorMatrix = std::array<std::complex<double>, 4>;

/// U of an orthogonal matrix (rows) on Cartesian vectors; an improper one counts as its negative. Pure.
[[nodiscard]] SpinorMatrix spinor_rotation(const Mat3& rotation);

/// The matrix that follows a map between the coefficients of each component (wave_map.hpp), in a cell whose rows are
/// `vectors`. Pure.
[[nodiscard]] SpinorMatrix spinor_rotation(const WaveMap& map, const Mat3& vectors);

/// U of a rotation that turns the z axis to a unit vector; the unit matrix for 0. Pure.
[[nodiscard]] SpinorMatrix rotation_from_z(const Vec3& axis);

/// Multiplies the two components of each band by a matrix. Local.
template <class S>
void rotate_components(const SpinorMatrix& u, BandView<S> bands);

}  // namespace wavegrid
