#include <algorithm>

#include <wavegrid/fock/band_box.hpp>

namespace wavegrid {

namespace {

/// The place of a frequency in the box, periodically.
Index place_of(const Int3& g, const Int3& grid) {
  Index place = 0;
  for (std::size_t i = 0; i < 3; ++i) place = place * grid[i] + ((g[i] % grid[i]) + grid[i]) % grid[i];
  return place;
}

}  // namespace

template <class S>
BandBox<S>::BandBox(const BoxFft& fft, std::span<const Int3> g) : fft_(fft) {
  for (const Int3& one : g) {
    place_.push_back(place_of(one, fft.grid()));
    if constexpr (ScalarTraits<S>::is_real) opposite_.push_back(place_of({-one[0], -one[1], -one[2]}, fft.grid()));
  }
}

template <class S>
void BandBox<S>::pair_to_points(const Complex* a, const Complex* b, Complex* box, BoxFft::Workspace& work) const {
  constexpr Complex i{0, 1};
  std::fill_n(box, fft_.points(), Complex(0));
  for (std::size_t n = 0; n < place_.size(); ++n) {
    if constexpr (ScalarTraits<S>::is_real) {
      const Complex other = b != nullptr ? b[n] : Complex(0);
      box[opposite_[n]] = std::conj(a[n]) + i * std::conj(other);
      box[place_[n]] = a[n] + i * other;
    } else {
      box[place_[n]] = a[n];
    }
  }
  fft_.backward(box, work);
}

template <class S>
void BandBox<S>::pair_to_waves(const Complex* box, Complex* a, Complex* b) const {
  const double scale = 1.0 / static_cast<double>(fft_.points());
  for (std::size_t n = 0; n < place_.size(); ++n) {
    const Complex here = scale * box[place_[n]];
    if constexpr (ScalarTraits<S>::is_real) {
      const Complex there = scale * std::conj(box[opposite_[n]]);
      a[n] = 0.5 * (here + there);
      if (b != nullptr) b[n] = Complex(0, -0.5) * (here - there);
    } else {
      a[n] = here;
    }
  }
}

template <class S>
void BandBox<S>::to_points(const Complex* bands, Index count, S* values, BoxFft::Workspace& work) const {
  const Index points = fft_.points();
  if constexpr (ScalarTraits<S>::is_real) {
    AlignedVector<Complex> box(static_cast<std::size_t>(points));
    for (Index b = 0; b < count; b += 2) {
      const bool both = b + 1 < count;
      pair_to_points(bands + b * size(), both ? bands + (b + 1) * size() : nullptr, box.data(), work);
      for (Index i = 0; i < points; ++i) values[b * points + i] = box[static_cast<std::size_t>(i)].real();
      for (Index i = 0; both && i < points; ++i) values[(b + 1) * points + i] = box[static_cast<std::size_t>(i)].imag();
    }
  } else {
    for (Index b = 0; b < count; ++b) pair_to_points(bands + b * size(), nullptr, values + b * points, work);
  }
}

template <class S>
void BandBox<S>::to_waves(const S* values, Index count, Complex* bands, BoxFft::Workspace& work) const {
  const Index points = fft_.points(), pair = ScalarTraits<S>::is_real ? 2 : 1;
  AlignedVector<Complex> box(static_cast<std::size_t>(points));
  for (Index b = 0; b < count; b += pair) {
    const bool both = pair == 2 && b + 1 < count;
    for (Index i = 0; i < points; ++i) {
      Complex& value = box[static_cast<std::size_t>(i)];
      value = values[b * points + i];
      if (both) value += Complex(0, 1) * values[(b + 1) * points + i];
    }
    fft_.forward(box.data(), work);
    pair_to_waves(box.data(), bands + b * size(), both ? bands + (b + 1) * size() : nullptr);
  }
}

template class BandBox<double>;
template class BandBox<std::complex<double>>;

}  // namespace wavegrid
