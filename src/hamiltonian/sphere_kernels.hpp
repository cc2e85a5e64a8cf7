// Products of projectors with bands at the points of a sphere that lie in one plane of the grid, for the interleaved
// arrays of a group (interleaved_plane.hpp).
#pragma once

#include <complex>
#include <span>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Consecutive points of one sphere on one line of this rank's block of the grid.
struct SphereRun {
  Index at;      ///< its first point in the plane (my y, nz)
  Index length;  ///< points
  Index point;   ///< number of its first point among this rank's points of all spheres
};

/// Runs of one sphere with consecutive points.
template <class Real>
struct SphereSlice {
  std::span<const SphereRun> runs;
  const Real* values;                ///< (points, projectors), projectors fastest
  Index projectors;                  ///< of the sphere
  const std::complex<Real>* phases;  ///< exp(i k.r), (points); null: 1
};

/// sums (projectors, lanes) = sum over points of values x phase x psi. `plane`: psi (my y, nz, lanes).
template <class Real>
void project_slice(const SphereSlice<Real>& slice, const Real* plane, Real* sums);
/// plane += conj(phase) sum over projectors of values x weights; weights (projectors, lanes).
template <class Real>
void expand_slice(const SphereSlice<Real>& slice, const Real* weights, Real* plane);
/// out (points, projectors) += sum over lanes of weights x phase x psi.
template <class Real>
void contract_slice(const SphereSlice<Real>& slice, const Real* weights, const Real* plane, Real* out);

}  // namespace wavegrid
