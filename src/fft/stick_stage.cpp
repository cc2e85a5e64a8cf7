#include "fft/stick_stage.hpp"

#include <algorithm>

namespace wavegrid {

template <class Real>
StickStage<Real>::StickStage(const GSphere& sphere, const FftLayout& layout, PlanEffort effort)
    : nx_(layout.grid[0]), row_(padded_row(nx_, sizeof(Complex))), stick_row_(layout.stick_row) {
  Index first = 0;
  for (const int address : layout.my_sticks) {
    const int count = sphere.counts().count[static_cast<std::size_t>(address)];
    const int lo = sphere.first_gx(address);
    Stick stick{};
    stick.first = first;
    stick.negative = std::clamp(-lo, 0, count);
    stick.positive = count - stick.negative;
    stick.start_negative = stick.negative > 0 ? lo + nx_ : 0;
    stick.start_positive = std::max(lo, 0);
    stick.mirrored = sphere.mode() == Mode::gamma && address == 0;
    sticks_.push_back(stick);
    first += count;
  }
  const int columns = static_cast<int>(stick_row_);
  const auto plan = [&](Direction direction, int count) {
    const int row = static_cast<int>(row_);
    const FftShape to_rows{nx_, count, 1, row, columns, 1}, from_rows{nx_, count, columns, 1, 1, row};
    return FftwPlan<Real>(direction == Direction::backward ? to_rows : from_rows, direction, false, effort);
  };
  const Index num_sticks = static_cast<Index>(sticks_.size());
  const int rest = static_cast<int>(num_sticks % block);
  if (num_sticks >= block) {
    backward_block_ = plan(Direction::backward, block);
    forward_block_ = plan(Direction::forward, block);
  }
  backward_rest_ = plan(Direction::backward, rest);
  forward_rest_ = plan(Direction::forward, rest);
}

template <class Real>
void StickStage<Real>::scatter(const Stick& s, const Complex* psi, Complex* line) const {
  std::fill_n(line, nx_, Complex(0));
  std::copy_n(psi + s.first, s.negative, line + s.start_negative);
  std::copy_n(psi + s.first + s.negative, s.positive, line + s.start_positive);
  if (s.mirrored)
    for (int g = 1; g < s.positive; ++g) line[nx_ - g] = std::conj(line[g]);
}

template <class Real>
void StickStage<Real>::gather(const Stick& s, const Complex* line, Complex* psi, Real scale) const {
  const auto scaled = [scale](const Complex& c) { return scale * c; };
  std::transform(line + s.start_negative, line + s.start_negative + s.negative, psi + s.first, scaled);
  std::transform(line + s.start_positive, line + s.start_positive + s.positive, psi + s.first + s.negative, scaled);
}

template <class Real>
void StickStage<Real>::backward(const Complex* psi, Complex* sticks, Complex* work) const {
  const Index num_sticks = static_cast<Index>(sticks_.size());
  for (Index begin = 0; begin < num_sticks; begin += block) {
    const Index count = std::min(block, num_sticks - begin);
    for (Index i = 0; i < count; ++i) scatter(sticks_[static_cast<std::size_t>(begin + i)], psi, work + i * row_);
    (count == block ? backward_block_ : backward_rest_).run(work, sticks + begin);
  }
}

template <class Real>
void StickStage<Real>::forward(Complex* sticks, Complex* psi, Complex* work, Real scale) const {
  const Index num_sticks = static_cast<Index>(sticks_.size());
  for (Index begin = 0; begin < num_sticks; begin += block) {
    const Index count = std::min(block, num_sticks - begin);
    (count == block ? forward_block_ : forward_rest_).run(sticks + begin, work);
    for (Index i = 0; i < count; ++i) gather(sticks_[static_cast<std::size_t>(begin + i)], work + i * row_, psi, scale);
  }
}

template class StickStage<float>;
template class StickStage<double>;

}  // namespace wavegrid
