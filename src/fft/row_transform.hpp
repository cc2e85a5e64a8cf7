// 1-D transforms of many rows whose transposition FFTW does by its strides: the x and the y stage of the compact FFT.
#pragma once

#include <algorithm>
#include <complex>

#include "fft/fft_layout.hpp"
#include "fft/fftw_plan.hpp"

namespace wavegrid {

/// Transforms `count` rows of length n between a caller's data and an array (n, stride) in which row i is column i.
///
/// Rows go in blocks that stay in the first-level cache: the caller fills them, FFTW transforms and transposes them
/// on the way out. Out of place with rows on one side is the fastest way FFTW has: a quarter faster than in place.
template <class Real>
class RowTransform {
 public:
  using Complex = std::complex<Real>;

  RowTransform() = default;
  /// `stride` is at least `count`: elements from one point of the transform to the next in the array.
  RowTransform(int n, Index count, Index stride, PlanEffort effort)
      : count_(n > 0 ? count : 0), row_(padded_row(n, sizeof(Complex))) {
    const int row = static_cast<int>(row_), columns = static_cast<int>(stride);
    const auto plan = [&](Index rows, FftwPlan<Real>& to_columns, FftwPlan<Real>& to_rows) {
      if (rows == 0) return;
      const int howmany = static_cast<int>(rows);
      to_columns = FftwPlan<Real>({n, howmany, 1, row, columns, 1}, Direction::backward, false, effort);
      to_rows = FftwPlan<Real>({n, howmany, columns, 1, 1, row}, Direction::forward, false, effort);
    };
    if (count_ >= block) plan(block, backward_block_, forward_block_);
    plan(count_ % block, backward_rest_, forward_rest_);
  }

  /// Elements of workspace that one call needs.
  [[nodiscard]] Index workspace() const { return block * row_; }

  /// Calls fill(i, row) for every row i and transforms it backward to column i of `out`.
  template <class Fill>
  void backward(Complex* out, Complex* work, Fill fill) const {
    for (Index begin = 0; begin < count_; begin += block) {
      const Index rows = std::min(block, count_ - begin);
      for (Index i = 0; i < rows; ++i) fill(begin + i, work + i * row_);
      (rows == block ? backward_block_ : backward_rest_).run(work, out + begin);
    }
  }
  /// Transforms every column i of `in` forward and calls drain(i, row). `in` is not changed.
  template <class Drain>
  void forward(const Complex* in, Complex* work, Drain drain) const {
    for (Index begin = 0; begin < count_; begin += block) {
      const Index rows = std::min(block, count_ - begin);
      (rows == block ? forward_block_ : forward_rest_).run(const_cast<Complex*>(in) + begin, work);
      for (Index i = 0; i < rows; ++i) drain(begin + i, work + i * row_);
    }
  }

 private:
  static constexpr Index block = 8;  ///< rows per transform call
  Index count_ = 0, row_ = 0;
  FftwPlan<Real> backward_block_, forward_block_, backward_rest_, forward_rest_;
};

}  // namespace wavegrid
