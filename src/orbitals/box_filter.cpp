#include <algorithm>
#include <complex>

#include <wavegrid/orbitals/box_filter.hpp>

namespace wavegrid {

template <class S>
std::vector<double> BoxFilter<S>::kernel(std::vector<double> factors) const {
  for (double& factor : factors) factor /= static_cast<double>(points());
  return factors;
}

template <class S>
void BoxFilter<S>::apply(std::span<const double> kernel, const std::vector<CommonRun>& place, Index inside,
                         std::span<const S> from, std::span<S> to) {
  constexpr Index together = ScalarTraits<S>::is_real ? 2 : 1;
  constexpr Complex i{0, 1};
  const Index functions = std::ssize(from) / inside;
  values_.resize(static_cast<std::size_t>(points()));
  for (Index f = 0; f < functions; f += together) {
    const S* const first = from.data() + f * inside;
    const S* const second = f + 1 < functions && together == 2 ? first + inside : nullptr;
    std::fill(values_.begin(), values_.end(), Complex(0));
    for (const CommonRun& run : place)
      for (Index p = 0; p < run.length; ++p) {
        Complex& value = values_[static_cast<std::size_t>(run.a + p)];
        value = first[run.b + p];
        if (second != nullptr) value += i * second[run.b + p];
      }
    fft_.convolve(
        kernel.data(), [&](Index at, Index count, Complex* plane) { std::copy_n(values_.data() + at, count, plane); },
        [](Index /*at*/, Index /*count*/, const Complex* /*waves*/) {},
        [&](Index at, Index count, const Complex* plane) {
          S* const here = to.data() + f * points() + at;
          if constexpr (ScalarTraits<S>::is_real) {
            for (Index p = 0; p < count; ++p) here[p] = plane[p].real();
            for (Index p = 0; second != nullptr && p < count; ++p) here[points() + p] = plane[p].imag();
          } else {
            std::copy_n(plane, count, here);
          }
        },
        work_);
  }
}

template class BoxFilter<double>;
template class BoxFilter<std::complex<double>>;

}  // namespace wavegrid
