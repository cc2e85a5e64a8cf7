// The convolution of a product of bands with the interaction, on one rank.
#pragma once

#include <algorithm>
#include <complex>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/fft/batch_fft.hpp>

namespace wavegrid {

/// Functions are zero outside the first points of the box along each axis, and are wanted there only: transforms of the
/// other lines are left out. Several threads may use one object, each with its own workspace.
template <class Real>
class PairFft {
 public:
  using Complex = std::complex<Real>;
  /// Work arrays of one thread.
  struct Workspace {
    AlignedVector<Complex> box, plane, other_plane, lines, batch;
  };

  /// `grid`: points of the box, a valid grid (require_valid_grid); `inner`: those of functions, at most as many.
  PairFft(const Int3& grid, const Int3& inner, PlanEffort effort);

  /// Of the box.
  [[nodiscard]] Index points() const { return count(grid_); }
  [[nodiscard]] const Int3& grid() const { return grid_; }
  /// Of functions, z fastest.
  [[nodiscard]] Index inner_points() const { return count(inner_); }
  [[nodiscard]] const Int3& inner() const { return inner_; }
  [[nodiscard]] Workspace workspace() const;
  /// Bytes of a workspace. Pure.
  [[nodiscard]] static double bytes(const Int3& grid) {
    return sizeof(Complex) * (static_cast<double>(grid[0]) + 3) * grid[1] * grid[2];
  }

  /// The convolution of a function with `kernel` (values at the frequencies of the box), plane by plane so that it
  /// stays in cache: fill(first point, points, values) sets some consecutive points of the function, take(first point,
  /// points, values) is given some of the result, see(first place, places, values) some frequencies before the kernel.
  /// The transforms have no factor.
  template <class Fill, class See, class Take>
  void convolve(const Real* kernel, const Fill& fill, const See& see, const Take& take, Workspace& work) const;

 private:
  /// Along each axis: z of the lines with functions, y of a plane, x of all z of one y, to consecutive lines or back.
  struct Lines {
    BatchFft<Real> z, y, x;
  };
  [[nodiscard]] static Index count(const Int3& counts) { return static_cast<Index>(counts[0]) * counts[1] * counts[2]; }
  [[nodiscard]] Lines lines(FftDirection direction, PlanEffort effort) const;
  /// Calls action(first point of functions, points, values) for the parts of plane x, which is in `values`.
  template <class Action>
  void for_inner_lines(Index x, Complex* values, const Action& action) const;

  Int3 grid_, inner_;
  Lines forward_, backward_;
};

template <class Real>
template <class Action>
void PairFft<Real>::for_inner_lines(Index x, Complex* values, const Action& action) const {
  const Index inside = static_cast<Index>(inner_[1]) * inner_[2];
  if (inner_[2] == grid_[2]) return action(x * inside, inside, values);
  for (Index y = 0; y < inner_[1]; ++y) action(x * inside + y * inner_[2], Index{inner_[2]}, values + y * grid_[2]);
}

template <class Real>
template <class Fill, class See, class Take>
void PairFft<Real>::convolve(const Real* kernel, const Fill& fill, const See& see, const Take& take,
                             Workspace& work) const {
  const auto [nx, ny, nz] = grid_;
  const Index plane = static_cast<Index>(ny) * nz, used = static_cast<Index>(inner_[1]) * nz, inside = inner_[2];
  Complex *const a = work.plane.data(), *const b = work.other_plane.data(), *const lines = work.lines.data();
  std::fill(b + used, b + plane, Complex(0));
  for (Index x = 0; x < inner_[0]; ++x) {
    for_inner_lines(x, a, [&](Index first, Index count, Complex* values) {
      fill(first, count, values);
      if (inside < nz) std::fill(values + inside, values + nz, Complex(0));
    });
    forward_.z.run(a, b, work.batch.data());
    forward_.y.run(b, work.box.data() + x * plane, work.batch.data());
  }
  std::fill(work.box.data() + inner_[0] * plane, work.box.data() + nx * plane, Complex(0));
  for (Index y = 0; y < ny; ++y) {
    forward_.x.run(work.box.data() + y * nz, lines, work.batch.data());
    for (Index x = 0; x < nx; ++x) {
      Complex* const line = lines + x * nz;
      const Real* const factor = kernel + x * plane + y * nz;
      see(x * plane + y * nz, Index{nz}, line);
      for (Index z = 0; z < nz; ++z) line[z] *= factor[z];
    }
    backward_.x.run(lines, work.box.data() + y * nz, work.batch.data());
  }
  for (Index x = 0; x < inner_[0]; ++x) {
    backward_.y.run(work.box.data() + x * plane, a, work.batch.data());
    backward_.z.run(a, b, work.batch.data());
    for_inner_lines(x, b, take);
  }
}

}  // namespace wavegrid
