// Bands in another basis, and incomplete sets of bands filled up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/layout/wave_blocks.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/wavefunctions/random_waves.hpp>
#include <wavegrid/wavefunctions/reassign.hpp>

#include "../unit/spheres.hpp"
#include "overlap_error.hpp"

namespace wavegrid::test_reassign {
namespace {

template <class S>
constexpr double within(double bound, double bound_in_single) {
  return is_single<S> ? bound_in_single : bound;
}

/// The plane waves of this rank, with their inner product; in fixed blocks if results must not depend on the ranks.
struct Basis {
  GSphere sphere;
  PlaneWaves waves;
  InnerProduct product;

  Basis(const Comm& comm, const GSphere& of, Scheme scheme)
      : Basis(comm, of, make_partition(scheme, of.counts(), of.grid()[0], comm.size())) {}
  Basis(const Comm& comm, const GSphere& of, const Partition& partition)
      : sphere(of), waves(sphere, partition, comm.rank()), product(wave_product(comm, waves)) {}
  /// As BandFft distributes them in deterministic mode.
  static Basis in_blocks(const Comm& comm, const GSphere& of) {
    const WaveBlocks blocks(of.counts());
    Basis basis(comm, of, blocks.partition(of.counts(), comm.size()));
    const std::vector<Index> starts = blocks.starts(comm.size());
    const auto me = static_cast<std::size_t>(comm.rank());
    std::vector<Index> begins;
    for (Index b = starts[me]; b <= starts[me + 1]; ++b)
      begins.push_back(basis.rows_per_wave() * (blocks.waves[static_cast<std::size_t>(b)] -
                                                blocks.waves[static_cast<std::size_t>(starts[me])]));
    basis.product.blocks = std::make_shared<RowBlocks>(RowBlocks{OrderedSum(comm, starts), begins});
    return basis;
  }
  [[nodiscard]] Index rows_per_wave() const { return sphere.mode() == Mode::gamma ? 2 : 1; }
  [[nodiscard]] Index rows() const { return rows_per_wave() * waves.size(); }
  operator WaveBasis() const { return {waves, product}; }  // NOLINT: the type of the arguments
};

template <class S>
constexpr Mode mode_of = ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex;

GSphere small(Mode mode) { return sphere_of_radius(9, 2.5, mode); }
/// The same cell stretched along two axes, with a higher cutoff and another grid.
GSphere larger(Mode mode) {
  return {Lattice({{{10.5, 0, 0.1}, {0, 10, 0}, {0, -0.2, 10.2}}}), 2.5, {15, 16, 18}, mode};
}

template <class S>
Bands<S> random_bands(const Basis& basis, Index count, Index key = 0) {
  Bands<S> bands(basis.rows(), count);
  fill_random<S>(basis.waves, key, bands.view());
  return bands;
}

template <class S>
Bands<S> orthonormal_bands(const Basis& basis, Index count, Index key = 0) {
  Bands<S> bands = random_bands<S>(basis, count, key);
  EXPECT_EQ(orthonormalise<S>(basis.product, bands.view()), count);
  return bands;
}

template <class S>
void expect_orthonormal(const Basis& basis, const Bands<S>& bands) {
  EXPECT_LT(largest_overlap_error<S>(basis.product, bands.view()), within<S>(1e-12, 2e-6));
}

/// The norm of the part of each of `bands`, of norm 1, outside the span of `space`.
template <class S>
double outside(const Basis& basis, const Bands<S>& space, Bands<S> bands) {
  project_off<S>(basis.product, space.view(), bands.view());
  const std::vector<double> rest = squared_norms<S>(basis.product, std::as_const(bands).view());
  return std::sqrt(*std::max_element(rest.begin(), rest.end()));
}

template <class S>
Bands<S> front(const Bands<S>& bands, Index count) {
  Bands<S> some(bands.rows(), count);
  std::copy_n(bands.view().data, bands.rows() * count, some.view().data);
  return some;
}

template <class S>
bool same_bits(const Bands<S>& a, const Bands<S>& b) {
  return a.rows() == b.rows() && a.count() == b.count() &&
         std::equal(a.view().data, a.view().data + a.rows() * a.count(), b.view().data);
}

template <class S>
void expect_kept_order_and_span() {
  const Comm world = Comm::world();
  const Basis basis(world, small(mode_of<S>), Scheme::greedy);
  const Bands<S> before = random_bands<S>(basis, 6);
  Bands<S> after = before;
  EXPECT_EQ(orthonormalise<S>(basis.product, after.view()), 6);
  expect_orthonormal(basis, after);
  for (const Index n : {1, 3, 6}) {  // the first n span what the first n did
    Bands<S> first = front(before, n);
    normalise<S>(basis.product, first.view());
    EXPECT_LT(outside(basis, front(after, n), std::move(first)), within<S>(1e-12, 1e-5)) << n;
  }
  const Bands<S> once = after;
  EXPECT_EQ(orthonormalise<S>(basis.product, after.view()), 6);
  EXPECT_TRUE(same_bits(once, after));
}

template <class S>
void expect_dependent_bands_left_out() {
  const Comm world = Comm::world();
  const Basis basis(world, small(mode_of<S>), Scheme::balanced);
  const Bands<S> independent = random_bands<S>(basis, 4);
  Bands<S> bands(basis.rows(), 7);
  const auto put = [&](Index to, Index from, double scale) {
    for (Index i = 0; i < basis.rows(); ++i)
      bands.view().band(to)[i] = static_cast<RealOf<S>>(scale) * independent.view().band(from)[i];
  };
  put(0, 0, 1);
  put(1, 0, -3);  // a multiple
  put(2, 1, 1e-3);
  put(3, 0, 0);  // zero
  put(4, 2, 1e3);
  put(5, 2, 1);
  for (Index i = 0; i < basis.rows(); ++i) bands.view().band(5)[i] += bands.view().band(0)[i];  // of two before it
  put(6, 3, 1);
  EXPECT_EQ(orthonormalise<S>(basis.product, bands.view()), 4);
  bands = front(bands, 4);
  expect_orthonormal(basis, bands);
  Bands<S> all = independent;
  normalise<S>(basis.product, all.view());
  EXPECT_LT(outside(basis, bands, std::move(all)), within<S>(1e-12, 1e-5));
  Bands<S> second = front(independent, 2);
  normalise<S>(basis.product, second.view());
  EXPECT_LT(outside(basis, front(bands, 2), std::move(second)), within<S>(1e-12, 1e-5));  // in their order
}

TEST(Orthonormalise, KeepsOrderSpanAndOrthonormalBands) {
  expect_kept_order_and_span<double>();
  expect_kept_order_and_span<std::complex<double>>();
  expect_kept_order_and_span<float>();
  expect_kept_order_and_span<std::complex<float>>();
}

TEST(Orthonormalise, LeavesOutDependentBands) {
  expect_dependent_bands_left_out<double>();
  expect_dependent_bands_left_out<std::complex<double>>();
  expect_dependent_bands_left_out<float>();
  expect_dependent_bands_left_out<std::complex<float>>();
}

TEST(Orthonormalise, BandsOfZeroNormAreDropped) {
  const Basis basis(Comm::world(), small(Mode::complex), Scheme::greedy);
  Bands<std::complex<double>> nothing(basis.rows(), 3);
  std::fill_n(nothing.view().data, basis.rows() * 3, 0.0);
  EXPECT_EQ(orthonormalise<std::complex<double>>(basis.product, nothing.view()), 0);
  EXPECT_EQ(orthonormalise<std::complex<double>>(basis.product, nothing.view().slice(0, 0)), 0);
}

/// Loaded bands are kept as they are, the others are random: the same on every layout.
template <class S>
void expect_completed() {
  const Comm world = Comm::world();
  const Basis basis(world, small(mode_of<S>), Scheme::greedy);
  const Bands<S> loaded = orthonormal_bands<S>(basis, 3);
  for (const Index loads : {0, 2, 3}) {
    Bands<S> bands(basis.rows(), 5);
    std::copy_n(loaded.view().data, basis.rows() * loads, bands.view().data);
    EXPECT_EQ(complete_bands<S>(basis, bands.view(), loads), 5 - loads);
    expect_orthonormal(basis, bands);
    EXPECT_TRUE(same_bits(front(bands, loads), front(loaded, loads)));
  }
  Bands<S> twice(basis.rows(), 4);  // the same band four times
  for (Index b = 0; b < 4; ++b) std::copy_n(loaded.view().data, basis.rows(), twice.view().band(b));
  EXPECT_EQ(complete_bands<S>(basis, twice.view(), 4), 3);
  expect_orthonormal(basis, twice);
}

TEST(CompleteBands, KeepsLoadedBandsAndAddsRandomOnes) {
  expect_completed<double>();
  expect_completed<std::complex<double>>();
  expect_completed<float>();
  expect_completed<std::complex<float>>();
}

template <class S>
void expect_filled_to_the_last() {
  const GSphere tiny = sphere_of_radius(8, 1.0, mode_of<S>);  // half: 4 waves, 7 real functions; whole: 7
  const Basis basis(Comm::world(), tiny, Scheme::cyclic);
  Bands<S> bands = random_bands<S>(basis, 7);
  EXPECT_EQ(complete_bands<S>(basis, bands.view(), 2), 5);
  expect_orthonormal(basis, bands);
  Bands<S> too_many(basis.rows(), 8);
  try {
    (void)complete_bands<S>(basis, too_many.view(), 0);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_NE(std::string(error.what()).find("has 7 independent bands, but 8 are needed"), std::string::npos);
  }
}

TEST(CompleteBands, FillsABasisCompletely) {
  expect_filled_to_the_last<double>();
  expect_filled_to_the_last<std::complex<double>>();
  expect_filled_to_the_last<float>();
  expect_filled_to_the_last<std::complex<float>>();
}

/// A larger basis in another cell and layout keeps every coefficient, and the inverse restores the bits.
template <class S>
void expect_there_and_back() {
  const Comm world = Comm::world();
  const Basis low(world, small(mode_of<S>), Scheme::greedy), high(world, larger(mode_of<S>), Scheme::optimized);
  ASSERT_GT(high.sphere.size(), low.sphere.size());
  const Bands<S> bands = orthonormal_bands<S>(low, 4);
  for (const Transport transport : {Transport::alltoallv, Transport::pairwise}) {
    Bands<S> raised(high.rows(), 4), back(low.rows(), 4);
    TransportSearch search{.given = transport};
    const ReassignReport up = reassign<S>(low, bands.view(), high, raised.view(), &search);
    EXPECT_EQ(up.moved, 4);
    EXPECT_EQ(up.random, 0);
    EXPECT_NEAR(up.least_kept, 1, within<S>(1e-14, 1e-6));
    EXPECT_NEAR(up.mean_kept, 1, within<S>(1e-14, 1e-6));
    expect_orthonormal(high, raised);
    const ReassignReport down = reassign<S>(high, std::as_const(raised).view(), low, back.view());
    EXPECT_NEAR(down.least_kept, 1, within<S>(1e-14, 1e-6));
    EXPECT_TRUE(same_bits(back, bands));
  }
}

/// One search goes on in the plans of successive geometries.
TEST(Reassign, AMeasuredTransportGivesTheSameBits) {
  using S = std::complex<double>;
  const Comm world = Comm::world();
  const Basis low(world, small(mode_of<S>), Scheme::greedy), high(world, larger(mode_of<S>), Scheme::cyclic);
  const Bands<S> bands = orthonormal_bands<S>(low, 4);
  Bands<S> expected(high.rows(), 4), raised(high.rows(), 4);
  reassign<S>(low, bands.view(), high, expected.view());
  TransportSearch search;
  for (int repeat = 0; repeat < 28; ++repeat) {
    reassign<S>(low, bands.view(), high, raised.view(), &search);
    EXPECT_TRUE(same_bits(raised, expected));
  }
  EXPECT_EQ(search.tuner.has_value(), world.size() > 1);
  EXPECT_TRUE(!search.tuner || search.tuner->decided());
  EXPECT_EQ(search.messages.longest > 0, world.size() > 1);
}

TEST(Reassign, ALargerBasisKeepsEveryBit) {
  expect_there_and_back<double>();
  expect_there_and_back<std::complex<double>>();
  expect_there_and_back<float>();
  expect_there_and_back<std::complex<float>>();
}

/// On a smaller basis: norms as summed by hand, the span that of the cut bands, more and fewer bands.
template <class S>
void expect_cut() {
  const Comm world = Comm::world();
  const Basis high(world, larger(mode_of<S>), Scheme::balanced), low(world, small(mode_of<S>), Scheme::cyclic);
  const Bands<S> bands = orthonormal_bands<S>(high, 5);
  std::set<Int3> held;
  const Basis whole(Comm::self(), small(mode_of<S>), Scheme::greedy);
  for (const Int3& g : whole.waves.g()) held.insert(g);
  std::vector<double> kept(5, 0.0);
  for (Index b = 0; b < 5; ++b)
    for (Index i = 0; i < high.waves.size(); ++i) {
      const Int3& g = high.waves.g()[static_cast<std::size_t>(i)];
      const double counts = mode_of<S> == Mode::gamma && g != Int3{0, 0, 0} ? 2 : 1;
      if (held.contains(g))
        kept[static_cast<std::size_t>(b)] +=
            counts * std::norm(std::complex<double>(coefficients(bands.view())[b * high.waves.size() + i]));
    }
  world.sum(std::span<double>(kept));
  for (const Index wanted : {3, 5, 8}) {
    Bands<S> out(low.rows(), wanted), cut(low.rows(), 5);
    const ReassignReport report = reassign<S>(high, bands.view(), low, out.view());
    const Index moved = std::min<Index>(wanted, 5);
    EXPECT_EQ(report.moved, moved);
    EXPECT_EQ(report.random, wanted - moved);
    double mean = 0;
    for (Index b = 0; b < moved; ++b) mean += kept[static_cast<std::size_t>(b)] / static_cast<double>(moved);
    EXPECT_NEAR(report.mean_kept, mean, within<S>(1e-13, 1e-6));
    EXPECT_NEAR(report.least_kept, *std::min_element(kept.begin(), kept.begin() + moved), within<S>(1e-13, 1e-6));
    EXPECT_LT(report.least_kept, 0.9999);
    expect_orthonormal(low, out);
    WaveTransfer(world, {high.waves.g(), {0, 1}, mode_of<S>}, {low.waves.g(), {0, 1}, mode_of<S>})
        .forward(coefficients(bands.view()), coefficients(cut.view()), 5);
    cut = front(cut, moved);
    normalise<S>(low.product, cut.view());
    EXPECT_LT(outside(low, out, std::move(cut)), within<S>(1e-12, 1e-5));
  }
}

TEST(Reassign, ASmallerBasisKeepsTheSpanAndReportsTheNorm) {
  expect_cut<double>();
  expect_cut<std::complex<double>>();
  expect_cut<float>();
  expect_cut<std::complex<float>>();
}

/// Bands that are linearly dependent in the smaller basis are replaced by random ones.
TEST(Reassign, DependentBandsAreReplaced) {
  const Comm world = Comm::world();
  const Basis high(world, larger(Mode::complex), Scheme::greedy);
  const Basis tiny(world, sphere_of_radius(8, 1.0, Mode::complex), Scheme::greedy);
  using S = std::complex<double>;
  Bands<S> bands(high.rows(), 3), out(tiny.rows(), 3);
  std::fill_n(bands.view().data, high.rows() * 3, S(0));
  for (Index i = 0; i < high.waves.size(); ++i) {  // two bands differ in a wave that the tiny basis lacks
    const Int3& g = high.waves.g()[static_cast<std::size_t>(i)];
    const double half = std::sqrt(0.5);
    if (g == Int3{1, 0, 0}) bands.view().band(0)[i] = bands.view().band(1)[i] = half;
    if (g == Int3{3, 0, 0}) bands.view().band(0)[i] = -(bands.view().band(1)[i] = half);
    if (g == Int3{0, 0, 0}) bands.view().band(2)[i] = 1;
  }
  const ReassignReport report = reassign<S>(high, std::as_const(bands).view(), tiny, out.view());
  EXPECT_EQ(report.moved, 3);
  EXPECT_EQ(report.random, 1);
  EXPECT_NEAR(report.least_kept, 0.5, 1e-14);
  EXPECT_NEAR(report.mean_kept, 2.0 / 3, 1e-14);
  expect_orthonormal(tiny, out);
}

/// If sums are taken in fixed blocks, the result does not depend on the ranks.
template <class S>
void expect_bits_of_one_rank() {
  std::vector<std::complex<double>> found[2];
  for (const bool alone : {true, false}) {
    const Comm comm = alone ? Comm::self() : Comm::world();
    const Basis high = Basis::in_blocks(comm, larger(mode_of<S>)), low = Basis::in_blocks(comm, small(mode_of<S>));
    const Bands<S> bands = random_bands<S>(high, 5);
    Bands<S> out(low.rows(), 7);
    const ReassignReport report = reassign<S>(high, bands.view(), low, out.view());
    EXPECT_EQ(report.random, 2);
    // all on every rank, in the order of one rank
    const Basis whole = Basis::in_blocks(Comm::self(), small(mode_of<S>));
    Bands<S> gathered(whole.rows(), 7);
    WaveTransfer(comm, {low.waves.g(), {0, 1}, mode_of<S>}, {whole.waves.g(), {0, 1}, mode_of<S>})
        .forward(coefficients(std::as_const(out).view()), coefficients(gathered.view()), 7);
    auto& values = found[alone ? 0 : 1];
    for (Index i = 0; i < 7 * whole.waves.size(); ++i)
      values.emplace_back(std::complex<double>(coefficients(gathered.view())[i]));
    values.emplace_back(report.least_kept, report.mean_kept);
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(Reassign, DeterministicGivesTheBitsOfOneRank) {
  expect_bits_of_one_rank<double>();
  expect_bits_of_one_rank<std::complex<double>>();
}

}  // namespace
}  // namespace wavegrid::test_reassign
