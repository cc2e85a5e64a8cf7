// Exact exchange between bands at points: each pair once, single precision and boxes with an empty part, compared with
// all pairs in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <wavegrid/fock/pair_exchange.hpp>
#include <wavegrid/fock/symmetric_pairs.hpp>

namespace wavegrid::test_pair_exchange {
namespace {

constexpr Int3 box{9, 10, 8};
constexpr Index bands = 19;  // three tiles, the last one of an odd number

Index count(const Int3& counts) { return static_cast<Index>(counts[0]) * counts[1] * counts[2]; }

/// Some numbers from -1 to 1.
AlignedVector<double> numbers(Index size, double seed) {
  AlignedVector<double> values;
  for (Index i = 0; i < size; ++i) values.push_back(std::sin(seed + 1.7 * static_cast<double>(i * i % 1009)));
  return values;
}

/// Full, partly full, empty and, as with some smearing, negative.
std::vector<double> occupations() {
  std::vector<double> o(bands, 1.0);
  for (std::size_t i = 11; i < bands; ++i) o[i] = 0;
  o[10] = 0.3;
  o[11] = -0.05;
  return o;
}

/// Of an even function.
template <class Real>
AlignedVector<Real> kernel() {
  AlignedVector<Real> values;
  for (int x = 0; x < box[0]; ++x)
    for (int y = 0; y < box[1]; ++y)
      for (int z = 0; z < box[2]; ++z) {
        const Int3 g{to_frequency(x, box[0]), to_frequency(y, box[1]), to_frequency(z, box[2])};
        values.push_back(static_cast<Real>(1 / (1.0 + g[0] * g[0] + 2 * g[1] * g[1] + g[2] * g[2])));
      }
  return values;
}

/// w by all pairs, in a box without an empty part.
AlignedVector<double> by_all_pairs(const AlignedVector<double>& u) {
  const PairFft<double> fft(box, box, PlanEffort::estimate);
  const std::vector<double> o = occupations();
  AlignedVector<double> w(u.size(), 0.0);
  const ExchangeSources<double> sources(u.data(), o, count(box));
  add_pair_exchange<double, double>(fft, kernel<double>().data(), sources, {u.data(), bands, w.data()}, 1);
  return w;
}

double largest_difference(const AlignedVector<double>& a, const AlignedVector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

template <class Real>
AlignedVector<double> by_pairs_once(const AlignedVector<double>& u, Index first_part) {
  const PairFft<Real> fft(box, box, PlanEffort::estimate);
  const std::vector<double> o = occupations();
  const AlignedVector<Real> v = kernel<Real>();
  const Index at = first_part * count(box);
  AlignedVector<double> w(u.size(), 0.0);
  const SymmetricBands a{u.data(), o.data(), w.data(), first_part},
      b{u.data() + at, o.data() + first_part, w.data() + at, bands - first_part};
  add_symmetric_exchange<Real>(fft, v.data(), a, 2);
  add_symmetric_exchange<Real>(fft, v.data(), b, 1);
  add_symmetric_exchange<Real>(fft, v.data(), a, b, 2);
  return w;
}

TEST(PairExchange, IsTheSameWithEachPairOnce) {
  const AlignedVector<double> u = numbers(bands * count(box), 0.3), expected = by_all_pairs(u);
  for (const Index part : {Index{0}, Index{7}, bands})
    EXPECT_LT(largest_difference(by_pairs_once<double>(u, part), expected), 1e-11);
}

/// sum_n o_n <u_n|w_n>.
double energy(const AlignedVector<double>& u, const AlignedVector<double>& w) {
  const std::vector<double> o = occupations();
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += o[i / static_cast<std::size_t>(count(box))] * u[i] * w[i];
  return sum;
}

TEST(PairExchange, InSinglePrecisionHasAnEnergyWithinItsBound) {
  const AlignedVector<double> u = numbers(bands * count(box), 0.3), expected = by_all_pairs(u);
  const AlignedVector<double> once = by_pairs_once<float>(u, 7);
  const double error = largest_difference(once, expected);
  EXPECT_GT(error, 1e-8);
  EXPECT_LT(error, 1e-3);                                       // of sums of some hundreds
  EXPECT_NEAR(energy(u, once) / energy(u, expected), 1, 1e-7);  // calculation/self_consistency.hpp
}

TEST(PairExchange, OfFunctionsInPartOfABoxIsThatOfTheBox) {
  constexpr Int3 inner{5, 6, 4};
  const AlignedVector<double> inside = numbers(bands * count(inner), 1.1);
  AlignedVector<double> u(static_cast<std::size_t>(bands * count(box)), 0.0);
  const auto for_points = [&](const auto& action) {
    for (Index b = 0; b < bands; ++b)
      for (int x = 0; x < inner[0]; ++x)
        for (int y = 0; y < inner[1]; ++y)
          for (int z = 0; z < inner[2]; ++z)
            action(static_cast<std::size_t>(b * count(inner) + (x * inner[1] + y) * inner[2] + z),
                   static_cast<std::size_t>(b * count(box) + (x * box[1] + y) * box[2] + z));
  };
  for_points([&](std::size_t from, std::size_t to) { u[to] = inside[from]; });
  const AlignedVector<double> all = by_all_pairs(u);
  const PairFft<double> fft(box, inner, PlanEffort::estimate);
  const std::vector<double> o = occupations();
  AlignedVector<double> w(inside.size(), 0.0), expected(inside.size());
  add_symmetric_exchange<double>(fft, kernel<double>().data(), {inside.data(), o.data(), w.data(), bands}, 1);
  for_points([&](std::size_t to, std::size_t from) { expected[to] = all[from]; });
  EXPECT_LT(largest_difference(w, expected), 1e-11);
}

}  // namespace
}  // namespace wavegrid::test_pair_exchange
