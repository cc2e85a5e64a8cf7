// Exact exchange of real bands that travel round a ring of ranks, compared with that of one rank.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <wavegrid/fock/symmetric_exchange.hpp>

namespace wavegrid::test_symmetric_exchange {
namespace {

constexpr Int3 box{6, 5, 4};
constexpr Index points = 6 * 5 * 4;

/// Bands are given at the points.
struct AtPoints {
  void to_points(const double* bands, Index count, double* values) { std::copy_n(bands, count * points, values); }
  void to_bands(const double* values, Index count, double* bands) { std::copy_n(values, count * points, bands); }
};

/// Encodes the band and the point.
double value(Index band, Index point) {
  return std::sin(0.3 + 1.1 * band + 0.7 * static_cast<double>(point * point % 101));
}

/// w of this rank's share, for `count` bands of which the last is empty if there are three.
std::vector<double> exchange(const Comm& group, Index count, Index at_once) {
  std::vector<double> o(static_cast<std::size_t>(count), 1.0);
  if (count > 2) o.back() = 0;
  AlignedVector<double> kernel(points);
  for (Index i = 0; i < points; ++i) {
    const auto at = [&](Index place, int axis) { return std::abs(to_frequency(static_cast<int>(place), box[axis])); };
    kernel[i] = 1.0 / (1 + at(i / 20, 0) + 2 * at(i / 4 % 5, 1) + 3 * at(i % 4, 2));  // even
  }
  const Range share = BlockLayout(count, group.size()).range(group.rank());
  std::vector<double> psi, w(static_cast<std::size_t>(share.size() * points), 1.0);
  for (Index band = share.begin; band < share.end; ++band)
    for (Index i = 0; i < points; ++i) psi.push_back(value(band, i));
  const PairFft<double> fft(box, box, PlanEffort::estimate);
  AtPoints at;
  SymmetricExchange<double, AtPoints, double>(group, at, fft, kernel.data(), 1)
      .add({o, points, psi.data(), w.data()}, at_once);
  return w;
}

TEST(SymmetricExchange, IsThatOfOneRankWithFewerBandsThanRanksToo) {
  for (const Index count : {1, 2, 3, 4, 5, 11})
    for (const Index at_once : {1, 2, 20}) {
      const std::vector<double> all = exchange(Comm::self(), count, count), w = exchange(Comm::world(), count, at_once);
      const Index first = BlockLayout(count, Comm::world().size()).range(Comm::world().rank()).begin * points;
      for (std::size_t i = 0; i < w.size(); ++i)
        ASSERT_NEAR(w[i], all[first + i], 1e-11) << count << " bands, " << at_once << " at once, number " << i;
    }
}

}  // namespace
}  // namespace wavegrid::test_symmetric_exchange
