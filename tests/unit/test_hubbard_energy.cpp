// The energy of DFT+U of a shell: known values, its derivative by differences, and its linear form.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include <wavegrid/terms/hubbard_energy.hpp>

namespace wavegrid {
namespace hubbard_energy_test {

using Square = Matrix<std::complex<double>>;
using Spins = std::vector<Square>;

HubbardEnergy energy_of(int l, std::optional<double> j) {
  return HubbardEnergy(HubbardShell{.setting = {.shell = "", .u = 0.3, .j = j}, .l = l});
}

/// Symmetric matrices with elements of all sizes.
Spins matrices(int size) {
  Spins n(2, Square(size, size));
  for (std::size_t s = 0; s < 2; ++s)
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        n[s](i, j) = 0.4 * (i == j) + 0.1 * std::cos(1.3 * (i + j) + 0.7 * i * j + static_cast<double>(s));
  return n;
}

/// Occupation 1 of the first orbitals of each spin.
Spins filled(int size, int up, int down) {
  Spins n(2, Square(size, size));
  for (int i = 0; i < up; ++i) n[0](i, i) = 1.0;
  for (int i = 0; i < down; ++i) n[1](i, i) = 1.0;
  return n;
}

TEST(HubbardEnergy, OfDudarevIsThatOfTheEigenvalues) {
  const double angle = 0.6, a = 0.3, b = 0.8;  // a rotated diagonal matrix, one spin
  Spins n = filled(3, 0, 0);
  const double c = std::cos(angle), s = std::sin(angle);
  n[0](0, 0) = a * c * c + b * s * s;
  n[0](1, 1) = a * s * s + b * c * c;
  n[0](0, 1) = n[0](1, 0) = (b - a) * c * s;
  EXPECT_NEAR(energy_of(1, {}).evaluate(n).energy, 0.15 * (a - a * a + b - b * b), 1e-15);
}

TEST(HubbardEnergy, OfFullChannelsVanishes) {  // the double counting of the atomic limit
  for (int l = 0; l <= 3; ++l) {
    const int size = 2 * l + 1;
    EXPECT_NEAR(energy_of(l, {}).evaluate(filled(size, size, 0)).energy, 0, 1e-14) << l;
    const HubbardEnergy with_j = energy_of(l, l == 0 ? 0.0 : 0.05);
    EXPECT_NEAR(with_j.evaluate(filled(size, size, 0)).energy, 0, 1e-13) << l;
    EXPECT_NEAR(with_j.evaluate(filled(size, size, size)).energy, 0, 1e-13) << l;
    EXPECT_NEAR(with_j.evaluate(filled(size, 1, 0)).energy, 0, 1e-14) << l;  // nor does an electron act on itself
  }
}

TEST(HubbardEnergy, HasItsDerivative) {
  for (const std::optional<double> j : {std::optional<double>{}, std::optional<double>{0.05}})
    for (int l = 1; l <= 3; ++l) {
      const HubbardEnergy energy = energy_of(l, j);
      const Spins n = matrices(2 * l + 1);
      const auto found = energy.evaluate(n);
      for (std::size_t s = 0; s < 2; ++s)
        for (const auto& [row, column] : {std::pair{0, 0}, std::pair{1, 2}}) {
          const auto at = [&, row = row, column = column](double step) {
            Spins changed = n;
            changed[s](row, column) += step;
            if (row != column) changed[s](column, row) += step;
            return energy.evaluate(changed).energy;
          };
          const double expected = (row == column ? 1 : 2) * found.d[s](row, column).real();
          EXPECT_NEAR((at(1e-3) - at(-1e-3)) / 2e-3, expected, 1e-12) << l << " " << s << " " << row;  // quadratic
        }
    }
}

/// Of spinors, N and the parts of M: those of two spins along a unit vector.
Spins along(const Spins& spins, const std::array<double, 3>& axis) {
  const Index size = spins[0].rows();
  Spins all(4, Square(size, size));
  for (Index i = 0; i < spins[0].size(); ++i) {
    const auto up = spins[0].data()[i], down = spins[1].data()[i];
    all[0].data()[i] = up + down;
    for (std::size_t c = 0; c < 3; ++c) all[c + 1].data()[i] = axis[c] * (up - down);
  }
  return all;
}

TEST(HubbardEnergy, OfSpinorsIsThatOfSpinsAlongAnyAxis) {
  for (const std::optional<double> j : {std::optional<double>{}, std::optional<double>{0.05}}) {
    const HubbardEnergy energy = energy_of(2, j);
    const Spins n = matrices(5);
    const auto expected = energy.evaluate(n), found = energy.evaluate(along(n, {0.48, -0.6, 0.64}));
    EXPECT_NEAR(found.energy, expected.energy, 1e-14);
    for (Index i = 0; i < 25; ++i) {
      const auto up = expected.d[0].data()[i], down = expected.d[1].data()[i];
      EXPECT_NEAR(std::abs(found.d[0].data()[i] - 0.5 * (up + down)), 0, 1e-14);
      EXPECT_NEAR(std::abs(found.d[2].data()[i] + 0.3 * (up - down)), 0, 1e-14);
    }
  }
}

TEST(HubbardEnergy, OfSpinorsHasItsDerivative) {
  for (const std::optional<double> j : {std::optional<double>{}, std::optional<double>{0.05}}) {
    const HubbardEnergy energy = energy_of(2, j);
    Spins n = along(matrices(5), {0.48, -0.6, 0.64});
    for (std::size_t c = 0; c < 4; ++c)
      for (Index row = 0; row < 5; ++row)
        for (Index column = 0; column < row; ++column) {
          const std::complex<double> imaginary(0,
                                               0.1 * std::sin(static_cast<double>(c) + 2.0 * static_cast<double>(row)));
          n[c](row, column) += imaginary;
          n[c](column, row) -= imaginary;
        }
    const auto found = energy.evaluate(n);
    for (std::size_t c = 0; c < 4; ++c)
      for (const std::complex<double> change : {std::complex<double>(1, 0), std::complex<double>(0, 1)}) {
        const auto at = [&](double step) {
          Spins changed = n;
          changed[c](3, 1) += step * change;
          changed[c](1, 3) += step * std::conj(change);
          return energy.evaluate(changed).energy;
        };
        const double expected = (found.d[c](3, 1) * change + found.d[c](1, 3) * std::conj(change)).real();
        EXPECT_NEAR((at(1e-3) - at(-1e-3)) / 2e-3, expected, 1e-12) << c;
      }
  }
}

TEST(HubbardEnergy, IsLinearInPerturbedShells) {
  const HubbardEnergy energy = energy_of(2, 0.05);
  const Spins n = matrices(5);
  HubbardPerturbation::Matrices rows(2, std::vector<std::vector<double>>(5, std::vector<double>(5)));
  double electrons = 0;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j) rows[s][i][j] = n[s](static_cast<Index>(i), static_cast<Index>(j)).real();
      electrons += rows[s][i][i];
    }
  const LinearHubbardEnergy linear(energy, rows, 0.02);
  const auto whole = energy.evaluate(n), found = linear.evaluate(n), elsewhere = linear.evaluate(filled(5, 3, 1));
  EXPECT_NEAR(found.energy, whole.energy + 0.02 * electrons, 1e-14);
  for (std::size_t s = 0; s < 2; ++s)
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 5; ++j) {
        EXPECT_NEAR(std::abs(found.d[s](i, j) - whole.d[s](i, j) - 0.02 * (i == j)), 0, 1e-14);
        EXPECT_EQ(elsewhere.d[s](i, j), found.d[s](i, j));
      }
  const LinearHubbardEnergy equal_spins(energy, {rows[0]}, 0.0);  // one matrix stands for both
  EXPECT_NEAR(equal_spins.evaluate({n[0], n[0]}).energy, energy.evaluate({n[0], n[0]}).energy, 1e-14);
}

}  // namespace hubbard_energy_test
}  // namespace wavegrid
