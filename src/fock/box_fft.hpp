// The transform of a whole box of points on one rank, as products of bands need it.
#pragma once

#include <complex>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/fft/batch_fft.hpp>

namespace wavegrid {

/// Complex values at the points of a box, z fastest, to and from its frequencies, in place. Neither direction has a
/// factor. Several threads may use one object, each with its own workspace.
class BoxFft {
 public:
  using Complex = std::complex<double>;
  /// Work arrays of one thread.
  struct Workspace {
    AlignedVector<Complex> box, plane, other_plane, lines, batch;
  };

  /// The grid must be valid (require_valid_grid).
  BoxFft(const Int3& grid, PlanEffort effort);

  [[nodiscard]] Index points() const { return static_cast<Index>(grid_[0]) * grid_[1] * grid_[2]; }
  [[nodiscard]] const Int3& grid() const { return grid_; }
  [[nodiscard]] Workspace workspace() const;
  /// Bytes of a workspace. Pure.
  [[nodiscard]] static double bytes(const Int3& grid);

  /// The convolution of a function with `kernel` (values at the frequencies), plane by plane so that it stays in cache:
  /// fill(first point, points, values) sets a plane, take(first point, points, values) is given one of the result,
  /// see(first place, places, values) some frequencies before the kernel.
  template <class Fill, class See, class Take>
  void convolve(const double* kernel, const Fill& fill, const See& see, const Take& take, Workspace& work) const;

  /// exp(-i G.r).
  void forward(Complex* values, Workspace& work) const { run(values, work, forward_); }
  /// exp(+i G.r).
  void backward(Complex* values, Workspace& work) const { run(values, work, backward_); }

 private:
  /// Along each axis.
  struct Lines {
    BatchFft<double> x, y, z;
  };
  [[nodiscard]] Lines lines(FftDirection direction, PlanEffort effort) const;
  /// Along x, of all z of one y: from the box to consecutive lines, or back.
  [[nodiscard]] BatchFft<double> block(FftDirection direction, PlanEffort effort) const;
  void run(Complex* values, Workspace& work, const Lines& lines) const;

  Int3 grid_;
  Lines forward_, backward_;
  BatchFft<double> block_forward_, block_backward_;
};

template <class Fill, class See, class Take>
void BoxFft::convolve(const double* kernel, const Fill& fill, const See& see, const Take& take, Workspace& work) const {
  const auto [nx, ny, nz] = grid_;
  const Index plane = static_cast<Index>(ny) * nz;
  Complex *const a = work.plane.data(), *const b = work.other_plane.data(), *const lines = work.lines.data();
  for (Index x = 0; x < nx; ++x) {
    fill(x * plane, plane, a);
    forward_.z.run(a, b, work.batch.data());
    forward_.y.run(b, work.box.data() + x * plane, work.batch.data());
  }
  for (Index y = 0; y < ny; ++y) {
    block_forward_.run(work.box.data() + y * nz, lines, work.batch.data());
    for (Index x = 0; x < nx; ++x) {
      Complex* const line = lines + x * nz;
      const double* const factor = kernel + x * plane + y * nz;
      see(x * plane + y * nz, nz, line);
      for (Index z = 0; z < nz; ++z) line[z] *= factor[z];
    }
    block_backward_.run(lines, work.box.data() + y * nz, work.batch.data());
  }
  for (Index x = 0; x < nx; ++x) {
    backward_.y.run(work.box.data() + x * plane, a, work.batch.data());
    backward_.z.run(a, b, work.batch.data());
    take(x * plane, plane, b);
  }
}

}  // namespace wavegrid
