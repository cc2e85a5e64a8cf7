// States of total angular momentum: eigenvectors, and what rotations of space and spin make of them.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include <wavegrid/basis/harmonic_rotation.hpp>
#include <wavegrid/terms/spinor_couplings.hpp>
#include <wavegrid/terms/total_momentum.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid::test_total_momentum {
namespace {

using Complex = std::complex<double>;
using Square = Matrix<Complex>;

Square product(const Square& a, const Square& b, bool first_adjoint = false) {
  Square c(first_adjoint ? a.columns() : a.rows(), b.columns());
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.columns(); ++j)
      for (Index k = 0; k < b.rows(); ++k) c(i, j) += (first_adjoint ? std::conj(a(k, i)) : a(i, k)) * b(k, j);
  return c;
}

TEST(TotalMomentum, StatesAreThoseOfSpinOrbitCoupling) {
  for (int l = 0; l <= 3; ++l) {
    const Square states = total_momentum_states(l);
    const std::vector<TotalMomentum> momenta = total_momenta(l);
    ASSERT_EQ(static_cast<Index>(momenta.size()), states.columns());
    const Square ls = product(states, product(spin_orbit_matrix(l), states), true),
                 unit = product(states, states, true);
    for (Index i = 0; i < states.columns(); ++i)
      for (Index j = 0; j < states.columns(); ++j) {
        const double value = momenta[static_cast<std::size_t>(i)].twice_j == 2 * l + 1 ? 0.5 * l : -0.5 * (l + 1);
        EXPECT_LT(std::abs(ls(i, j) - (i == j ? value : 0.0)), 1e-13);
        EXPECT_LT(std::abs(unit(i, j) - (i == j ? 1.0 : 0.0)), 1e-13);
      }
  }
}

TEST(TotalMomentum, TheHighestStateHasSpinUpAlone) {
  for (int l = 0; l <= 3; ++l) {  // |l l> with spin up: harmonics of |m| = l
    const Square states = total_momentum_states(l);
    const Index last = states.columns() - 1, n = 2 * l + 1;
    double up = 0;
    for (Index m = 0; m < n; ++m) up += std::norm(states(m, last));
    EXPECT_NEAR(up, 1, 1e-13);
    EXPECT_NEAR(std::norm(states(0, last)) + (l > 0 ? std::norm(states(n - 1, last)) : 0), 1, 1e-13);
    EXPECT_EQ(total_momenta(l).back().twice_m, 2 * l + 1);
  }
}

TEST(TotalMomentum, RotationsKeepJ) {
  const double a = 0.7, b = 1.9;  // around z, then around x
  const Mat3 z{{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}};
  const Mat3 x{{{1, 0, 0}, {0, std::cos(b), -std::sin(b)}, {0, std::sin(b), std::cos(b)}}};
  Mat3 turn{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) turn[i][j] += x[i][k] * z[k][j];
  const SpinorMatrix u = spinor_rotation(turn);
  for (int l = 0; l <= 3; ++l) {
    const Matrix<double> d = harmonic_rotation(turn, l);
    const Index n = 2 * l + 1;
    Square both(2 * n, 2 * n);
    for (Index i = 0; i < 2 * n; ++i)
      for (Index j = 0; j < 2 * n; ++j) both(i, j) = u[static_cast<std::size_t>(2 * (i / n) + j / n)] * d(i % n, j % n);
    const Square states = total_momentum_states(l), between = product(states, product(both, states), true);
    const std::vector<TotalMomentum> momenta = total_momenta(l);
    for (std::size_t i = 0; i < momenta.size(); ++i)
      for (std::size_t j = 0; j < momenta.size(); ++j)
        if (momenta[i].twice_j != momenta[j].twice_j) {
          EXPECT_LT(std::abs(between(static_cast<Index>(i), static_cast<Index>(j))), 1e-13);
        }
  }
}

}  // namespace
}  // namespace wavegrid::test_total_momentum
