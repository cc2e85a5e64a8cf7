#include "fft/line_stage.hpp"

#include <algorithm>

namespace wavegrid {

template <class Real>
LineStage<Real>::LineStage(const FftLayout& layout, PlanEffort effort)
    : num_lines_(layout.y.size()),
      section_row_(layout.section_row()),
      line_row_(layout.line_row),
      nz_(layout.grid[2]),
      planes_(layout.arrived_planes) {
  const int count = layout.x.empty() ? 0 : static_cast<int>(num_lines_);
  const int row = static_cast<int>(line_row_);
  const FftShape shape{nz_, count, 1, row, 1, row};
  backward_ = FftwPlan<Real>(shape, Direction::backward, true, effort);
  forward_ = FftwPlan<Real>(shape, Direction::forward, true, effort);
}

template <class Real>
void LineStage<Real>::backward(const Complex* section, Complex* lines) const {
  std::fill_n(lines, num_lines_ * line_row_, Complex(0));
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    const Complex* const column = section + static_cast<Index>(i) * section_row_;
    for (Index y = 0; y < num_lines_; ++y) lines[y * line_row_ + planes_[i]] = column[y];
  }
  backward_.run(lines, lines);
}

template <class Real>
void LineStage<Real>::forward(Complex* lines, Complex* section) const {
  forward_.run(lines, lines);
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    Complex* const column = section + static_cast<Index>(i) * section_row_;
    for (Index y = 0; y < num_lines_; ++y) column[y] = lines[y * line_row_ + planes_[i]];
  }
}

template <class Real>
void LineStage<Real>::backward_pair(const Complex* a, const Complex* b, Complex* lines) const {
  std::fill_n(lines, num_lines_ * line_row_, Complex(0));
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    const Index column = static_cast<Index>(i) * section_row_;
    const int up = planes_[i], down = up == 0 ? 0 : nz_ - up;
    for (Index y = 0; y < num_lines_; ++y) {
      const Complex p = a[column + y], q = b ? b[column + y] : Complex(0);
      // For gz = 0 both are real on the grid of x and y, and the second line repeats the first but for rounding.
      lines[y * line_row_ + down] = {p.real() + q.imag(), q.real() - p.imag()};
      lines[y * line_row_ + up] = {p.real() - q.imag(), p.imag() + q.real()};
    }
  }
  backward_.run(lines, lines);
}

template <class Real>
void LineStage<Real>::forward_pair(Complex* lines, Complex* a, Complex* b) const {
  forward_.run(lines, lines);
  const Real half = Real(0.5);
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    const Index column = static_cast<Index>(i) * section_row_;
    const int up = planes_[i], down = up == 0 ? 0 : nz_ - up;
    for (Index y = 0; y < num_lines_; ++y) {
      const Complex u = lines[y * line_row_ + up], d = lines[y * line_row_ + down];
      a[column + y] = {half * (u.real() + d.real()), half * (u.imag() - d.imag())};
      if (b) b[column + y] = {half * (u.imag() + d.imag()), half * (d.real() - u.real())};
    }
  }
}

template class LineStage<float>;
template class LineStage<double>;

}  // namespace wavegrid
