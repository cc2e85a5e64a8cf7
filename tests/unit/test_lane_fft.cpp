// LaneFft compared with sums from the definition: lengths, batches, rows and columns, both directions and precisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numbers>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/fft/lane_fft.hpp>

namespace wavegrid::test_lane_fft {
namespace {

constexpr double untouched = 7.5;

template <class Real>
class LaneFftOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LaneFftOf, Reals);

/// Rows or columns, with gaps between them.
void set_side(bool rows, int n, int count, int& stride, int& distance) {
  stride = rows ? 1 : count + 3;
  distance = rows ? n + 2 : 1;
}

std::complex<double> value(int transform, int j) {
  return {random_at({transform, j, 0}), random_at({transform, j, 1})};
}

std::complex<double> expected(int n, int transform, int k, FftDirection direction) {
  std::complex<double> sum = 0;
  for (int j = 0; j < n; ++j)
    sum += value(transform, j) * std::polar(1.0, static_cast<int>(direction) * 2 * std::numbers::pi * (j * k % n) / n);
  return sum;
}

template <class Real>
void compare(int n, int count, bool rows_in, bool rows_out, FftDirection direction) {
  using Complex = std::complex<Real>;
  FftShape s{n, count};
  set_side(rows_in, n, count, s.in_stride, s.in_distance);
  set_side(rows_out, n, count, s.out_stride, s.out_distance);
  ASSERT_TRUE(LaneFft<Real>::handles(s));
  const LaneFft<Real> fft(s, direction);
  const auto in_at = [&](int t, int j) { return static_cast<std::size_t>(t * s.in_distance + j * s.in_stride); };
  const auto out_at = [&](int t, int j) { return static_cast<std::size_t>(t * s.out_distance + j * s.out_stride); };
  AlignedVector<Complex> in(s.in_size()), out(s.out_size(), Complex(Real(untouched)));
  AlignedVector<Complex> work(static_cast<std::size_t>(fft.workspace()));
  for (int t = 0; t < count; ++t)
    for (int j = 0; j < n; ++j) in[in_at(t, j)] = Complex(value(t, j));
  fft.run(in.data(), out.data(), work.data());
  const double tolerance = 4 * n * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (int t = 0; t < count; ++t)
    for (int k = 0; k < n; ++k)
      ASSERT_LT(std::abs(std::complex<double>(out[out_at(t, k)]) - expected(n, t, k, direction)), tolerance)
          << "length " << n << " of " << count << ", transform " << t << ", element " << k;
  const auto changed = std::count_if(out.begin(), out.end(), [](Complex c) { return c != Complex(Real(untouched)); });
  ASSERT_EQ(changed, n * count) << "length " << n << ": elements between rows or columns have changed";
}

TYPED_TEST(LaneFftOf, IsTheDefinition) {
  for (const int n : {2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 14, 15, 16, 18, 20,
                      21, 24, 25, 27, 28, 30, 32, 35, 36, 48, 49, 64, 70, 96, 105})
    for (const FftDirection direction : {FftDirection::backward, FftDirection::forward})
      for (const auto& [rows_in, rows_out] : {std::pair(true, true), {true, false}, {false, true}, {false, false}})
        compare<TypeParam>(n, n % 5 + 8, rows_in, rows_out, direction);
}

TYPED_TEST(LaneFftOf, TakesBatchesOfAnySize) {
  for (int count = 1; count <= 17; ++count)
    for (const auto& [rows_in, rows_out] : {std::pair(true, true), {true, false}, {false, true}, {false, false}})
      compare<TypeParam>(21, count, rows_in, rows_out, FftDirection::backward);
}

TYPED_TEST(LaneFftOf, RefusesOtherLengthsAndStrides) {
  const auto handles = [](const FftShape& shape) { return LaneFft<TypeParam>::handles(shape); };
  EXPECT_TRUE(handles({12, 8, 1, 16, 1, 16}));
  for (const int n : {1, 11, 13, 22, 39}) EXPECT_FALSE(handles({n, 8, 1, 64, 1, 64})) << n;
  EXPECT_FALSE(handles({12, 8, 1, 11, 1, 16})) << "rows that overlap";
  EXPECT_FALSE(handles({12, 8, 2, 24, 1, 16})) << "neither rows nor columns";
}

}  // namespace
}  // namespace wavegrid::test_lane_fft
