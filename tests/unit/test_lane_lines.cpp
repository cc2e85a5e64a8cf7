// LaneLines compared with sums from the definition: complex lines and pairs of bands, whole and incomplete tiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numbers>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/fft/lane_lines.hpp>

namespace wavegrid::test_lane_lines {
namespace {

constexpr double untouched = 7.5;
constexpr Index first_line = 3, unused = 2;  ///< lines before the tile; elements between lines

template <class Real>
class LaneLinesOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LaneLinesOf, Reals);

using Complex = std::complex<double>;

/// A set of lines: populated z, as two segments of senders, and the values of bands.
struct Lines {
  int nz;
  bool pairs;
  std::vector<int> z;  ///< rising

  [[nodiscard]] Index row() const { return static_cast<Index>(z.size()) + unused; }
  /// One piece for each run of consecutive z; z = 0 is a piece of its own.
  [[nodiscard]] std::vector<LinePiece> pieces() const {
    std::vector<LinePiece> all;
    for (std::size_t i = 0; i < z.size(); ++i)
      if (!all.empty() && all.back().z > 0 && all.back().z + all.back().length == z[i])
        ++all.back().length;
      else
        all.push_back({0, row(), static_cast<Index>(i), z[i], 1});
    return all;
  }
  [[nodiscard]] Complex value(int band, Index line, std::size_t i) const {
    // At Gamma a band is real on the grid: the line of gz = 0 is real here too, as for one x and y.
    const bool real = pairs && z[i] == 0;
    return {random_at({band, static_cast<int>(line), static_cast<int>(i), 0}),
            real ? 0.0 : random_at({band, static_cast<int>(line), static_cast<int>(i), 1})};
  }
  [[nodiscard]] double potential(Index line, int r) const { return random_at({static_cast<int>(line), r, 7}); }
  /// The band on the grid.
  [[nodiscard]] Complex on_grid(int band, Index line, int r) const {
    Complex sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const Complex term = value(band, line, i) * std::polar(1.0, 2 * std::numbers::pi * (z[i] * r % nz) / nz);
      sum += term;
      if (pairs && z[i] > 0) sum += std::conj(term);
    }
    return sum;
  }
  [[nodiscard]] Complex expected(int band, Index line, std::size_t i) const {
    Complex sum = 0;
    for (int r = 0; r < nz; ++r)
      sum +=
          on_grid(band, line, r) * potential(line, r) * std::polar(1.0, -2 * std::numbers::pi * (z[i] * r % nz) / nz);
    return sum;
  }
};

template <class Real>
void compare(const Lines& lines, Index count, bool with_second) {
  using C = std::complex<Real>;
  const auto n = static_cast<Index>(lines.z.size());
  const auto at = [&](Index line, Index i) { return static_cast<std::size_t>((first_line + line) * lines.row() + i); };
  std::vector<AlignedVector<C>> bands(2);
  for (int band = 0; band < 2; ++band) {
    bands[static_cast<std::size_t>(band)].assign(at(count, 0), C(Real(untouched)));
    for (Index line = 0; line < count; ++line)
      for (Index i = 0; i < n; ++i)
        bands[static_cast<std::size_t>(band)][at(line, i)] = C(lines.value(band, line, static_cast<std::size_t>(i)));
  }
  std::vector<Real> potential;
  for (Index line = 0; line < count; ++line)
    for (int r = 0; r < lines.nz; ++r) potential.push_back(static_cast<Real>(lines.potential(line, r)));
  const LaneLines<Real> stage(lines.nz, lines.pairs, lines.pieces());
  AlignedVector<C> work(static_cast<std::size_t>(stage.workspace()));
  stage.apply_potential(bands[0].data(), with_second ? bands[1].data() : nullptr, first_line, count, potential.data(),
                        work.data());
  const double tolerance = 20 * lines.nz * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (int band = 0; band < (with_second ? 2 : 1); ++band) {
    const auto& found = bands[static_cast<std::size_t>(band)];
    for (Index line = 0; line < count; ++line)
      for (Index i = 0; i < n; ++i)
        ASSERT_LT(std::abs(Complex(found[at(line, i)]) - lines.expected(band, line, static_cast<std::size_t>(i))),
                  tolerance)
            << lines.nz << " points, " << count << " lines, band " << band << ", line " << line << ", element " << i;
    ASSERT_EQ(std::count(found.begin(), found.end(), C(Real(untouched))), first_line * lines.row() + count * unused)
        << "elements of no line have changed";
  }
}

TYPED_TEST(LaneLinesOf, ComplexLines) {
  for (const Index count : {1, 3, 4, 8, 11}) {
    compare<TypeParam>({21, false, {0, 1, 2, 3, 4, 16, 17, 18, 19, 20}}, count, false);
    compare<TypeParam>({16, false, {0, 1, 14, 15}}, count, false);
    compare<TypeParam>({5, false, {0, 1, 2, 3, 4}}, count, false);
    compare<TypeParam>({10, false, {2, 3, 7}}, count, false);
  }
}

TYPED_TEST(LaneLinesOf, PairsOfRealBands) {
  for (const Index count : {1, 3, 4, 8, 11})
    for (const bool with_second : {true, false}) {
      compare<TypeParam>({20, true, {0, 1, 2, 3, 4, 5}}, count, with_second);
      compare<TypeParam>({9, true, {0, 1, 2, 3, 4}}, count, with_second);
      compare<TypeParam>({12, true, {0, 3}}, count, with_second);
    }
}

}  // namespace
}  // namespace wavegrid::test_lane_lines
