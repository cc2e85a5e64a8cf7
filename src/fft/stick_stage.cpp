#include <algorithm>

#include <wavegrid/fft/stick_stage.hpp>

namespace wavegrid {

template <class Real>
StickStage<Real>::StickStage(const GSphere& sphere, const FftLayout& layout, PlanEffort effort)
    : nx_(layout.grid[0]), rows_(nx_, static_cast<Index>(layout.my_sticks.size()), layout.stick_row, effort) {
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
  rows_.backward(sticks, work,
                 [&](Index i, Complex* line) { scatter(sticks_[static_cast<std::size_t>(i)], psi, line); });
}

template <class Real>
void StickStage<Real>::forward(const Complex* sticks, Complex* psi, Complex* work, Real scale) const {
  rows_.forward(sticks, work,
                [&](Index i, const Complex* line) { gather(sticks_[static_cast<std::size_t>(i)], line, psi, scale); });
}

template class StickStage<float>;
template class StickStage<double>;

}  // namespace wavegrid
