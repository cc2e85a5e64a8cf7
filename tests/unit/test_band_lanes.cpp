// BandLanesFft compared with dense FFTW: lengths, shapes, modes, precisions, and blocks of all sizes.
#include <fftw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/fft/band_blocks.hpp>
#include <wavegrid/fft/band_lanes_fft.hpp>

namespace wavegrid::test_band_lanes {
namespace {

using Complex = std::complex<double>;

template <class Real>
class BandLanesOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(BandLanesOf, Reals);

GSphere sphere_in(const Int3& grid, Mode mode, const Vec3& k) {
  const double least = *std::min_element(grid.begin(), grid.end()), g = 0.3 * least * 2 * std::numbers::pi / 10;
  return {Lattice(Mat3{Vec3{10, 0, 1}, {0, 10, 0}, {0, -1, 10}}), 0.5 * g * g, grid, mode, k};
}

/// Bands with random coefficients, transformed by BandLanesFft and on the whole grid.
template <class Real>
struct Bands {
  GSphere sphere;
  BandLanesFft<Real> fft;
  int bands;
  std::vector<std::complex<Real>> psi;
  std::vector<Real> potential, v_tau, laplacians;
  bool with_laplacians = false;

  Bands(const BandLanesKernels<Real>* kernels, const Int3& grid, Mode mode, int count, const Vec3& k = {0, 0, 0})
      : sphere(sphere_in(grid, mode, k)), fft(sphere, *kernels), bands(count) {
    for (int band = 0; band < bands; ++band)
      for (const auto& [g, i] : waves()) psi.emplace_back(coefficient(g, band));
    for (Index i = 0; i < fft.points(); ++i) potential.push_back(static_cast<Real>(random_at({i, 3})));
    for (Index i = 0; i < fft.points(); ++i) v_tau.push_back(static_cast<Real>(random_at({i, 4})));
    for (Index i = 0; i < fft.size(); ++i) laplacians.push_back(static_cast<Real>(-1 - random_at({i, 5})));
  }
  /// The same, transformed with their Laplacians.
  [[nodiscard]] Bands& and_laplacians() {
    with_laplacians = true;
    return *this;
  }
  [[nodiscard]] int most_bands() const { return with_laplacians ? fft.most_bands() / 2 : fft.most_bands(); }
  [[nodiscard]] AlignedVector<std::byte> work(int block) const {
    const int arrays = with_laplacians ? 2 * block : block;
    return AlignedVector<std::byte>(static_cast<std::size_t>(fft.work_bytes(arrays)), std::byte{0xff});  // NaN
  }
  [[nodiscard]] BandRows<Real> rows(const std::vector<std::complex<Real>>& from, int first) const {
    return {from.data() + first * fft.size(), with_laplacians ? laplacians.data() : nullptr};
  }
  [[nodiscard]] std::vector<std::pair<Int3, Index>> waves() const {
    std::vector<std::pair<Int3, Index>> all;
    for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick)
      for (int i = 0; i < sphere.counts().count[static_cast<std::size_t>(stick)]; ++i)
        all.emplace_back(sphere.g(stick, i), std::ssize(all));
    return all;
  }
  [[nodiscard]] Complex coefficient(const Int3& g, int band) const {
    const bool is_real = sphere.mode() == Mode::gamma && g == Int3{0, 0, 0};
    return {random_at({g[0], g[1], g[2], band, 0}), is_real ? 0.0 : random_at({g[0], g[1], g[2], band, 1})};
  }
  [[nodiscard]] std::size_t at(const Int3& g) const {
    const Int3& n = sphere.grid();
    const int x = to_grid_index(g[0], n[0]), y = to_grid_index(g[1], n[1]), z = to_grid_index(g[2], n[2]);
    return static_cast<std::size_t>((Index{x} * n[1] + y) * n[2] + z);
  }
  static void transform(const Int3& n, std::vector<Complex>& grid, int sign) {
    auto* const data = reinterpret_cast<fftw_complex*>(grid.data());
    const fftw_plan plan = fftw_plan_dft_3d(n[0], n[1], n[2], data, data, sign, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
  }
  /// A band or, where its coefficients are multiplied by them, its Laplacian.
  [[nodiscard]] std::vector<Complex> on_grid(int band, const std::vector<Real>& factors = {}) const {
    std::vector<Complex> grid(potential.size());
    for (const auto& [g, i] : waves()) {
      const auto wave = static_cast<std::size_t>(i);
      const Complex c = (factors.empty() ? 1.0 : double(factors[wave])) *
                        Complex(psi[static_cast<std::size_t>(band * fft.size()) + wave]);
      grid[at(g)] = c;
      if (sphere.mode() == Mode::gamma) grid[at({-g[0], -g[1], -g[2]})] = std::conj(c);
    }
    transform(sphere.grid(), grid, FFTW_BACKWARD);
    return grid;
  }

  /// forward(potential * backward(psi)) in blocks of `block` bands.
  [[nodiscard]] std::vector<std::complex<Real>> product(int block) const {
    AlignedVector<std::byte> memory = work(block);
    std::vector<std::complex<Real>> out(psi);
    for (int first = 0; first < bands; first += block)
      fft.apply(rows(out, first), std::min(block, bands - first), {potential.data(), v_tau.data()},
                out.data() + first * fft.size(), memory.data());
    return out;
  }
  /// The same on the whole grid: the coefficient of a wave.
  [[nodiscard]] std::vector<Complex> dense_product(int band) const {
    std::vector<Complex> grid = on_grid(band), outer(grid.size());
    if (with_laplacians) {
      const std::vector<Complex> laplacian = on_grid(band, laplacians);
      for (std::size_t i = 0; i < grid.size(); ++i) {
        outer[i] = -0.25 * double(v_tau[i]) * grid[i];
        grid[i] = double(potential[i]) * grid[i] - 0.25 * double(v_tau[i]) * laplacian[i];
      }
      transform(sphere.grid(), outer, FFTW_FORWARD);
    } else {
      for (std::size_t i = 0; i < grid.size(); ++i) grid[i] *= double(potential[i]);
    }
    transform(sphere.grid(), grid, FFTW_FORWARD);
    std::vector<Complex> coefficients;
    for (const auto& [g, i] : waves())
      coefficients.push_back((grid[at(g)] + double(laplacians[static_cast<std::size_t>(i)]) * outer[at(g)]) /
                             static_cast<double>(grid.size()));
    return coefficients;
  }
  /// Relative distance of product() from that on the whole grid.
  [[nodiscard]] double product_error() const {
    const auto out = product(bands);
    double difference = 0, size = 0;
    for (int band = 0; band < bands; ++band) {
      const std::vector<Complex> expected = dense_product(band);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        difference += std::norm(Complex(out[static_cast<std::size_t>(band * fft.size()) + i]) - expected[i]);
        size += std::norm(expected[i]);
      }
    }
    return std::sqrt(difference / size);
  }
  [[nodiscard]] double density_error() const {
    AlignedVector<std::byte> memory = work(bands);
    std::vector<double> weights, density(potential.size(), 1.0), kinetic(density), expected(density);
    std::vector<double> expected_kinetic(density);
    for (int band = 0; band < bands; ++band) {
      weights.push_back(2.0 / (band + 1));
      const std::vector<Complex> grid = on_grid(band), laplacian = on_grid(band, laplacians);
      for (std::size_t i = 0; i < grid.size(); ++i) {
        expected[i] += weights.back() * std::norm(grid[i]);
        expected_kinetic[i] -= 0.5 * weights.back() * (std::conj(grid[i]) * laplacian[i]).real();
      }
    }
    fft.accumulate(rows(psi, 0), bands, weights.data(), {density.data(), kinetic.data()}, memory.data());
    const double error = distance(density, expected);
    return with_laplacians ? std::max(error, distance(kinetic, expected_kinetic)) : error;
  }
  static double distance(const std::vector<double>& one, const std::vector<double>& other) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
      difference += std::pow(one[i] - other[i], 2), size += std::pow(other[i], 2);
    return std::sqrt(difference / size);
  }
};

template <class Real>
constexpr double rounding = sizeof(Real) == 8 ? 2e-15 : 1e-6;

TYPED_TEST(BandLanesOf, EveryLengthEqualsDenseFftw) {
  using Real = TypeParam;
  for (int n = 4; n <= 100; ++n) {
    if (!BandLanesFft<Real>::handles({n, n, n})) continue;
    SCOPED_TRACE(n);
    for (const Int3& grid : {Int3{n, 9, 10}, {12, n, 8}, {10, 9, n}})
      for (const auto* kernels : band_lanes_kernels<Real>()) {
        Bands<Real> some(kernels, grid, n % 2 ? Mode::gamma : Mode::complex, 2);
        EXPECT_LT(some.product_error(), rounding<Real>);
        EXPECT_LT(some.density_error(), rounding<Real>);
        some.bands = 1;  // some kernels take no more of them
        EXPECT_LT(some.and_laplacians().product_error(), rounding<Real>);
        EXPECT_LT(some.density_error(), rounding<Real>);
      }
  }
}

TYPED_TEST(BandLanesOf, AnyNumberOfBandsInBothModes) {
  using Real = TypeParam;
  for (const auto* kernels : band_lanes_kernels<Real>())
    for (const Mode mode : {Mode::complex, Mode::gamma})
      for (const Int3& grid : {Int3{15, 16, 14}, {18, 21, 20}}) {
        const int most = Bands<Real>(kernels, grid, mode, 1).fft.most_bands();
        for (int bands = 1; bands <= most; ++bands) {
          SCOPED_TRACE(bands);
          Bands<Real> some(kernels, grid, mode, bands, mode == Mode::complex ? Vec3{0.25, -0.5, 0.125} : Vec3{0, 0, 0});
          EXPECT_LT(some.product_error(), rounding<Real>);
          EXPECT_LT(some.density_error(), rounding<Real>);
          if (bands > some.and_laplacians().most_bands()) continue;
          EXPECT_LT(some.product_error(), rounding<Real>);
          EXPECT_LT(some.density_error(), rounding<Real>);
        }
      }
}

TYPED_TEST(BandLanesOf, ABandHasTheSameBitsInEveryBlock) {
  using Real = TypeParam;
  for (const auto* kernels : band_lanes_kernels<Real>())
    for (const Mode mode : {Mode::complex, Mode::gamma})
      for (const Int3& grid : {Int3{15, 16, 14}, {18, 25, 20}, {24, 27, 32}}) {
        Bands<Real> some(kernels, grid, mode, 15);
        for (const bool with_laplacians : {false, true}) {
          some.with_laplacians = with_laplacians;
          const int most = some.most_bands();
          const auto expected = some.product(std::min(most, 15));
          for (const int block : {1, 2, 4, 6, 8}) {
            if (block > most) break;
            if (block == 1 && !with_laplacians && mode == Mode::gamma) continue;  // bands have partners
            EXPECT_EQ(some.product(block), expected) << block;
          }
        }
      }
}

/// Spinors, pairs of bands, in fields V, B_x, B_y and B_z.
template <class Real>
struct Spinors : Bands<Real> {
  using Base = Bands<Real>;
  std::vector<Real> fields;

  Spinors(const BandLanesKernels<Real>* kernels, const Int3& grid, int spinors)
      : Base(kernels, grid, Mode::complex, 2 * spinors, {0.25, -0.5, 0.125}) {
    for (Index i = 0; i < 4 * points(); ++i) fields.push_back(static_cast<Real>(random_at({i, 6})));
  }
  [[nodiscard]] Index points() const { return this->fft.points(); }
  [[nodiscard]] int spinors() const { return this->bands / 2; }
  [[nodiscard]] double field(int number, std::size_t point) const {
    return double(fields[static_cast<std::size_t>(number * points()) + point]);
  }
  /// The product in blocks of `block` spinors.
  [[nodiscard]] std::vector<std::complex<Real>> product(int block) const {
    AlignedVector<std::byte> memory = this->work(2 * block);
    std::vector<std::complex<Real>> out(this->psi);
    const Index row = 2 * this->fft.size();
    for (int first = 0; first < spinors(); first += block)
      this->fft.apply({out.data() + first * row, nullptr, true}, std::min(block, spinors() - first),
                      {fields.data(), nullptr, fields.data() + points()}, out.data() + first * row, memory.data());
    return out;
  }
  [[nodiscard]] double product_error() const {
    const auto out = product(spinors());
    double difference = 0, size = 0;
    for (int band = 0; band < this->bands; band += 2) {
      std::vector<Complex> up = this->on_grid(band), down = this->on_grid(band + 1);
      for (std::size_t r = 0; r < up.size(); ++r) {
        const Complex a = up[r], b = down[r], across(field(1, r), -field(2, r));
        up[r] = (field(0, r) + field(3, r)) * a + across * b;
        down[r] = std::conj(across) * a + (field(0, r) - field(3, r)) * b;
      }
      Base::transform(this->sphere.grid(), up, FFTW_FORWARD);
      Base::transform(this->sphere.grid(), down, FFTW_FORWARD);
      for (const auto& [g, i] : this->waves())
        for (const int component : {0, 1}) {
          const Complex expected = (component == 0 ? up : down)[this->at(g)] / static_cast<double>(points());
          const auto at = static_cast<std::size_t>((band + component) * this->fft.size() + i);
          difference += std::norm(Complex(out[at]) - expected);
          size += std::norm(expected);
        }
    }
    return std::sqrt(difference / size);
  }
  [[nodiscard]] double density_error() const {
    AlignedVector<std::byte> memory = this->work(this->bands);
    const auto all = static_cast<std::size_t>(points());
    std::vector<double> weights, density(4 * all, 1.0), expected(density);
    for (int band = 0; band < this->bands; band += 2) {
      weights.push_back(2.0 / (band + 1));
      const std::vector<Complex> up = this->on_grid(band), down = this->on_grid(band + 1);
      for (std::size_t r = 0; r < all; ++r) {
        const Complex cross = 2.0 * std::conj(up[r]) * down[r];
        expected[r] += weights.back() * (std::norm(up[r]) + std::norm(down[r]));
        expected[all + r] += weights.back() * cross.real();
        expected[2 * all + r] += weights.back() * cross.imag();
        expected[3 * all + r] += weights.back() * (std::norm(up[r]) - std::norm(down[r]));
      }
    }
    this->fft.accumulate({this->psi.data(), nullptr, true}, spinors(), weights.data(),
                         {density.data(), nullptr, density.data() + all}, memory.data());
    return Base::distance(density, expected);
  }
};

TYPED_TEST(BandLanesOf, SpinorsInAFieldWithADirection) {
  using Real = TypeParam;
  for (const auto* kernels : band_lanes_kernels<Real>())
    for (const Int3& grid : {Int3{15, 16, 14}, {18, 21, 20}, {9, 10, 27}}) {
      const int most = Spinors<Real>(kernels, grid, 1).fft.most_bands() / 2;
      for (int spinors = 1; spinors <= most; ++spinors) {
        SCOPED_TRACE(spinors);
        const Spinors<Real> some(kernels, grid, spinors);
        EXPECT_LT(some.product_error(), rounding<Real>);
        EXPECT_LT(some.density_error(), rounding<Real>);
        for (int block = 1; block < std::min(spinors, 3); ++block)
          EXPECT_EQ(some.product(block), some.product(spinors)) << block;
      }
    }
}

TYPED_TEST(BandLanesOf, OtherLengthsAreLeftToOthers) {
  for (const int n : {1, 2, 3, 11, 13, 22, 75, 128}) EXPECT_FALSE(BandLanesFft<TypeParam>::handles({12, 12, n})) << n;
  for (const int n : {4, 12, 15, 21, 36, 48, 100}) EXPECT_TRUE(BandLanesFft<TypeParam>::handles({12, n, 12})) << n;
}

TEST(BandBlocks, TheDivisionWithTheLeastTime) {
  // Blocks of 4 take 5, of 8 take 8; a single band takes 2, but one way does all bands.
  const BandBlocks blocks({{4, 5.0}, {8, 8.0}}, 2.0);
  EXPECT_EQ(blocks.first(0), 0);
  EXPECT_EQ(blocks.first(1), 1);
  EXPECT_EQ(blocks.first(4), 4);
  EXPECT_EQ(blocks.first(5), 5) << "in a block of 8";
  EXPECT_EQ(blocks.first(8), 8);
  EXPECT_EQ(blocks.first(100), 8);
  EXPECT_EQ(blocks.most(), 8);
  EXPECT_EQ(BandBlocks({{4, 3.0}, {8, 8.0}}, 2.0).first(5), 4) << "and a block with one band";
}

TEST(BandBlocks, SingleBandsMayAlwaysBeFaster) {
  const BandBlocks blocks({{4, 5.0}, {8, 8.0}}, 0.9);
  for (const Index bands : {1, 4, 8, 50}) EXPECT_EQ(blocks.first(bands), 0);
  EXPECT_EQ(blocks.most(), 0);
  EXPECT_EQ(BandBlocks().first(7), 0);
}

}  // namespace
}  // namespace wavegrid::test_band_lanes
