// Orthonormal orbitals of DFT+U: h = phi O^(-1/2), and the derivative of their products with given functions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include <wavegrid/hamiltonian/combined_derivatives.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {
namespace combined_orbitals_test {

constexpr Index num_orbitals = 5;
const std::vector<Index> shells{1, 2, 4};

template <class S>
S value(Index row, Index band, double phase) {
  const double x = std::sin(1.7 * static_cast<double>(row * (band + 2)) + phase);
  if constexpr (ScalarTraits<S>::is_real)
    return x;
  else
    return {x, std::cos(0.9 * static_cast<double>(row + 3 * band * band) + phase)};
}

template <class S>
class CombinedOrbitalsTest : public testing::Test {
 protected:
  /// Bands whose row is `first + i` on this rank.
  Bands<S> bands(Index count, double phase) const {
    Bands<S> made(rows_, count);
    for (Index b = 0; b < count; ++b)
      for (Index i = 0; i < rows_; ++i) made.view().band(b)[i] = value<S>(first_ + i, b, phase);
    return made;
  }

  CombinedOrbitals<S> combined(double step) const {
    CombinedOrbitals<S> parts;
    parts.orbitals = bands(num_orbitals, 0.3);
    const Bands<S> change = bands(num_orbitals, 1.9);
    for (Index b = 0; b < num_orbitals; ++b)
      for (Index i = 0; i < rows_; ++i) parts.orbitals.view().band(b)[i] += step * change.view().band(b)[i];
    parts.combination.size = num_orbitals;
    parts.combination.shells = shells;
    const BandView<const S> phi = std::as_const(parts.orbitals).view();
    orthogonalise(overlap<S>(product_, phi, phi), parts.combination);
    return parts;
  }

  [[nodiscard]] Bands<S> functions(const CombinedOrbitals<S>& parts) const {
    Bands<S> h(rows_, std::ssize(shells));
    rotate<S>(product_, parts.orbitals.view(), shell_columns(parts.combination), h.view());
    return h;
  }

  /// 2 Re sum <a|b> of bands with the same number.
  [[nodiscard]] double twice_real(const Bands<S>& a, const Bands<S>& b) const {
    const Matrix<S> all = overlap<S>(product_, a.view(), b.view());
    double sum = 0;
    for (Index i = 0; i < all.rows(); ++i) sum += 2 * std::real(all(i, i));
    return sum;
  }

  InnerProduct product_{Comm::world()};
  Index first_ = 7 * Comm::world().rank();
  Index rows_ = 40 / Comm::world().size() + (Comm::world().rank() == 0 ? 3 : 0);
};

using Scalars = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(CombinedOrbitalsTest, Scalars);

TYPED_TEST(CombinedOrbitalsTest, AreOrthonormal) {
  const Bands<TypeParam> h = this->functions(this->combined(0));
  const Matrix<TypeParam> found = overlap<TypeParam>(this->product_, h.view(), h.view());
  for (Index i = 0; i < found.rows(); ++i)
    for (Index j = 0; j < found.rows(); ++j) EXPECT_NEAR(std::abs(found(i, j) - double(i == j)), 0, 1e-12);
}

TYPED_TEST(CombinedOrbitalsTest, HaveTheirDerivative) {
  using S = TypeParam;
  const auto parts = this->combined(0);
  const Bands<S> x = this->bands(std::ssize(shells), 0.8), change = this->bands(num_orbitals, 1.9);
  const auto at = [&](double step) { return this->twice_real(this->functions(this->combined(step)), x); };
  const auto found = combined_derivatives<S>(this->product_, parts, nullptr, BandView<const S>{}, x.view());
  const double step = 1e-3;
  const double expected = (8 * (at(step) - at(-step)) - at(2 * step) + at(-2 * step)) / (12 * step);
  EXPECT_NEAR(this->twice_real(change, found.orbitals), expected, 1e-9 * std::abs(expected) + 1e-9);
}

}  // namespace combined_orbitals_test
}  // namespace wavegrid
