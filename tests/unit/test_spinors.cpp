// Spin-orbit coupling over real harmonics, rotations of spinors, and the average over j of fully relativistic files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include <wavegrid/basis/harmonic_rotation.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/terms/spinor_couplings.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid::test_spinors {
namespace {

using Complex = std::complex<double>;
using Square = Matrix<Complex>;

Square product(const Square& a, const Square& b) {
  Square c(a.rows(), b.columns());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.columns(); ++j)
      for (Index k = 0; k < a.columns(); ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Square adjoint(const Square& a) {
  Square c(a.columns(), a.rows());
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.columns(); ++j) c(i, j) = std::conj(a(j, i));
  return c;
}

void expect_equal(const Square& a, const Square& b) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.columns(); ++j) EXPECT_LT(std::abs(a(i, j) - b(i, j)), 1e-12) << i << " " << j;
}

/// A rotation by 1 radian around (1, 2, 2)/3, by Rodrigues' formula.
Mat3 some_rotation() {
  const Vec3 n{1.0 / 3, 2.0 / 3, 2.0 / 3};
  const double c = std::cos(1.0), s = std::sin(1.0);
  Mat3 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = (i == j ? c : 0.0) + (1 - c) * n[i] * n[j];
  for (std::size_t a = 0; a < 3; ++a) {
    r[(a + 2) % 3][(a + 1) % 3] += s * n[a];
    r[(a + 1) % 3][(a + 2) % 3] -= s * n[a];
  }
  return r;
}

Square as_square(const SpinorMatrix& u) {
  Square m(2, 2);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j) m(i, j) = u[static_cast<std::size_t>(2 * i + j)];
  return m;
}

TEST(SpinOrbitMatrix, HasTheLevelsOfBothJ) {
  for (int l = 0; l <= 3; ++l) {
    Square ls = spin_orbit_matrix(l), vectors(ls.rows(), ls.rows());
    expect_equal(ls, adjoint(ls));
    std::vector<double> values(static_cast<std::size_t>(ls.rows()));
    lapack::eigen<Complex>(ls.rows(), ls.data(), ls.rows(), ls.rows(), values.data(), vectors.data(), ls.rows());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], i < static_cast<std::size_t>(2 * l) ? -0.5 * (l + 1) : 0.5 * l, 1e-12);
  }
}

TEST(SpinOrbitMatrix, IsTheSameAfterARotationOfSpaceAndSpin) {
  const Mat3 r = some_rotation();
  const SpinorMatrix u = spinor_rotation(r);
  for (int l = 1; l <= 3; ++l) {
    const Square ls = spin_orbit_matrix(l);
    const Matrix<double> d = harmonic_rotation(r, l);  // Y(R n) = D Y(n): functions turn by R^-1 = D as columns
    const Index n = d.rows();
    Square both(2 * n, 2 * n);
    for (Index s = 0; s < 2; ++s)
      for (Index t = 0; t < 2; ++t)
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) both(s * n + i, t * n + j) = u[static_cast<std::size_t>(2 * s + t)] * d(i, j);
    expect_equal(product(both, product(ls, adjoint(both))), ls);
  }
}

TEST(SpinorRotation, AWholeTurnChangesTheSign) {
  // Twelve turns by 60 degrees around an axis: spinors are themselves again after two whole turns.
  const Vec3 n{2.0 / 3, -1.0 / 3, 2.0 / 3};
  const double sine = std::sqrt(0.75), rest = 0.5;
  Mat3 turn{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) turn[a][b] = rest * n[a] * n[b] + (a == b ? 0.5 : 0.0);
  for (std::size_t a = 0; a < 3; ++a) {
    turn[(a + 2) % 3][(a + 1) % 3] += sine * n[a];
    turn[(a + 1) % 3][(a + 2) % 3] -= sine * n[a];
  }
  const Square u = as_square(spinor_rotation(turn));
  Square all = as_square({1, 0, 0, 1});
  for (int step = 0; step < 6; ++step) all = product(u, all);
  expect_equal(all, as_square({-1, 0, 0, -1}));
  for (int step = 0; step < 6; ++step) all = product(u, all);
  expect_equal(all, as_square({1, 0, 0, 1}));
}

TEST(SpinorRotation, TurnsTheSpinAsTheMatrixTurnsVectors) {
  const Complex i(0, 1);
  std::vector<Square> sigma(3, Square(2, 2));
  sigma[0](0, 1) = sigma[0](1, 0) = 1;
  sigma[1](0, 1) = -i, sigma[1](1, 0) = i;
  sigma[2](0, 0) = 1, sigma[2](1, 1) = -1;
  const std::vector<Mat3> rotations{some_rotation(),
                                    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                    {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}},
                                    {{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}},
                                    {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}},
                                    {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}},
                                    {{{0, 0, 1}, {0, -1, 0}, {1, 0, 0}}}};
  for (const Mat3& r : rotations) {
    const Square u = as_square(spinor_rotation(r));
    expect_equal(product(u, adjoint(u)), as_square({1, 0, 0, 1}));
    for (std::size_t a = 0; a < 3; ++a) {
      Square turned(2, 2);  // sigma . (R e_a)
      for (std::size_t b = 0; b < 3; ++b)
        for (Index k = 0; k < 4; ++k) turned.data()[k] += r[b][a] * sigma[b].data()[k];
      expect_equal(product(u, product(sigma[a], adjoint(u))), turned);
    }
  }
}

TEST(SpinorRotation, AnInversionLeavesTheSpin) {
  Mat3 r = some_rotation();
  const SpinorMatrix u = spinor_rotation(r);
  for (Vec3& row : r) row = -1.0 * row;
  const SpinorMatrix improper = spinor_rotation(r);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_LT(std::abs(u[k] - improper[k]), 1e-14);
}

}  // namespace
}  // namespace wavegrid::test_spinors
