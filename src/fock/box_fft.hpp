// The transform of a whole box of points on one rank.
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
    AlignedVector<Complex> box, plane, batch;
  };

  /// The grid must be valid (require_valid_grid).
  BoxFft(const Int3& grid, PlanEffort effort);

  [[nodiscard]] Index points() const { return static_cast<Index>(grid_[0]) * grid_[1] * grid_[2]; }
  [[nodiscard]] const Int3& grid() const { return grid_; }
  [[nodiscard]] Workspace workspace() const;
  /// Bytes of a workspace. Pure.
  [[nodiscard]] static double bytes(const Int3& grid);

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
  void run(Complex* values, Workspace& work, const Lines& lines) const;

  Int3 grid_;
  Lines forward_, backward_;
};

}  // namespace wavegrid
