#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include <wavegrid/linalg/band_products.hpp>

namespace wavegrid {
namespace band_products_test {

template <class S>
class BandProducts : public testing::Test {};
using Scalars = testing::Types<double, std::complex<double>, float, std::complex<float>>;
TYPED_TEST_SUITE(BandProducts, Scalars);

/// Row r of band b: small whole numbers, whose products have no rounding.
template <class S>
S value(Index r, Index b) {
  const auto re = static_cast<RealOf<S>>((3 * r + 5 * b) % 7 - 3);
  if constexpr (ScalarTraits<S>::is_real)
    return re;
  else
    return {re, static_cast<RealOf<S>>((2 * r + b) % 5 - 2)};
}

/// `bands` columns of `rows`, `ld` apart, behind `offset` elements; what is between them must not be used.
template <class S>
std::vector<S> block(Index rows, Index bands, Index ld, Index offset, Index first_band) {
  std::vector<S> values(static_cast<std::size_t>(offset + ld * bands), S(1e9F));
  for (Index b = 0; b < bands; ++b)
    for (Index r = 0; r < rows; ++r)
      values[static_cast<std::size_t>(offset + r + ld * b)] = value<S>(r, b + first_band);
  return values;
}

TYPED_TEST(BandProducts, AreThoseOfTheDefinition) {
  using S = TypeParam;
  for (const Index rows : {1, 7, 8, 9, 21, 64, 131})
    for (const Index m : {1, 2, 3, 5, 8, 13})
      for (const Index n : {1, 2, 3, 4, 7, 8}) {
        const Index ld = rows + 3;
        const std::vector<S> a = block<S>(rows, m, ld, 1, 0), b = block<S>(rows, n, ld, 2, 20);
        std::vector<S> all(static_cast<std::size_t>(m * n)), upper(all);
        inner_products<S>(m, n, rows, 2, a.data() + 1, ld, b.data() + 2, ld, all.data(), m);
        inner_products<S>(m, n, rows, 2, a.data() + 1, ld, b.data() + 2, ld, upper.data(), m, Triangle::upper);
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < m; ++i) {
            S sum = 0;
            for (Index r = 0; r < rows; ++r) sum += conjugate(value<S>(r, i)) * value<S>(r, j + 20);
            const auto at = static_cast<std::size_t>(i + j * m);
            EXPECT_EQ(all[at], S(2) * sum) << rows << " rows, " << m << " x " << n << ": " << i << ", " << j;
            if (i <= j) {
              EXPECT_EQ(upper[at], S(2) * sum) << "upper triangle";
            }
          }
      }
}

TYPED_TEST(BandProducts, CombineColumns) {
  using S = TypeParam;
  for (const Index rows : {1, 7, 8, 9, 21, 64, 131})
    for (const Index k : {1, 3, 8, 13})
      for (const Index n : {1, 2, 3, 4, 7, 8})
        for (const bool add : {false, true}) {
          const Index ld = rows + 3;
          const std::vector<S> in = block<S>(rows, k, ld, 1, 0), c = block<S>(k, n, k, 0, 30);
          std::vector<S> out = block<S>(rows, n, ld, 2, 40);
          combine_columns<S>(rows, n, k, in.data() + 1, ld, c.data(), k, add, out.data() + 2, ld);
          for (Index j = 0; j < n; ++j)
            for (Index r = 0; r < ld; ++r) {
              S sum = add ? value<S>(r, j + 40) : S(0);
              for (Index i = 0; i < k; ++i) sum += value<S>(r, i) * value<S>(i, j + 30);
              EXPECT_EQ(out[static_cast<std::size_t>(2 + r + j * ld)], r < rows ? sum : S(1e9F))
                  << rows << " rows, " << k << " to " << n << ": " << r << ", " << j;
            }
        }
}

}  // namespace band_products_test
}  // namespace wavegrid
