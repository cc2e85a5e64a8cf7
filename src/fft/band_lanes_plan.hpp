// What the kernels of band_lanes_fft.hpp know of a sphere, and their entry points: plain data, as they are compiled
// once for each instruction set.
#pragma once

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// A transform of length n = first * second in two passes of these radices (Cooley and Tukey): element
/// j = j2 + second j1 of the input, k = k1 + first k2 of the output.
template <class Real>
struct BandLanesAxis {
  int n = 0, first = 0, second = 0;
  const Real* factors = nullptr;  ///< exp(2 pi i j2 k1 / n), (second, first, 2)
};

/// A stick of coefficients: gx = start, ..., start + count - 1.
struct BandLanesStick {
  Index first;  ///< index of its first coefficient in a band
  int count;
  int start;
  int line;    ///< number of its line along x
  int mirror;  ///< Mode::gamma: number of the line of -G, the same for gy = gz = 0; else -1
};

/// Lines along x for all sticks, in Mode::gamma also for those that follow from the half sphere.
template <class Real>
struct BandLanesPlan {
  BandLanesAxis<Real> to_grid[3], to_sphere[3];  // NOLINT(modernize-avoid-c-arrays)
  bool pairs = false;                            ///< two bands share one transform: Mode::gamma
  Index size = 0;                                ///< coefficients of a band
  int num_lines = 0, num_planes = 0, num_sticks = 0;
  const BandLanesStick* sticks = nullptr;
  const int* plane_lines = nullptr;  ///< (num_planes, ny): line along x, or -1
  const int* planes = nullptr;       ///< (nz): populated plane, or -1
};

/// Bands of one call: at most as many as there are lanes, in Mode::gamma twice as many; half of it with Laplacians.
/// Spinors are pairs of consecutive bands (Mode::complex).
template <class Real>
struct BandLanesBlock {
  const Real* psi;  ///< (bands, size, 2)
  int bands;
  int lanes;               ///< for bands or pairs of bands: between BandLanesKernels::least and most
  void* work;              ///< aligned to 64 bytes
  const Real* laplacians;  ///< -|k+G|^2 (size): each band is transformed together with its Laplacian; null: alone
  bool spinors = false;    ///< whether the bands 2 i and 2 i + 1 are components of a spinor
};

/// What bands are multiplied by on the grid, (x, y, z).
template <class Real>
struct BandLanesFactors {
  const Real* potential;
  const Real* v_tau = nullptr;     ///< for bands with Laplacians
  const Real* magnetic = nullptr;  ///< for spinors: B_x, B_y and B_z, one after the other
};

/// Where densities are added on the grid, (x, y, z).
struct BandLanesSums {
  double* density;            ///< sum of weights[b] |psi_b|^2
  double* kinetic = nullptr;  ///< for bands with Laplacians: -1/2 sum of weights[b] Re(conj(psi_b) Lap psi_b)
  /// For spinors: sum of weights[b] psi_b^+ sigma psi_b, three fields, one after the other.
  double* magnetisation = nullptr;
};

/// The kernels of one instruction set.
template <class Real>
struct BandLanesKernels {
  int least, most;  ///< lanes for bands: powers of two between these
  Index (*work_bytes)(const BandLanesPlan<Real>& plan, int lanes);
  /// out = forward(potential * backward(psi)) / N, with Laplacians as LaplacianFft::apply(), of spinors as
  /// SphereFft::apply_to_spinors(); `out` may equal psi. Weights are those of bands, or of spinors.
  void (*apply)(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block,
                const BandLanesFactors<Real>& factors, Real* out);
  void (*accumulate)(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block, const double* weights,
                     const BandLanesSums& sums);
};

}  // namespace wavegrid
