#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <wavegrid/linalg/tridiagonal_eigen.hpp>

namespace wavegrid {
namespace tridiagonal_eigen_test {

/// Checks values, vectors and their order for the matrix with diagonal `d` and `e` next to it.
void check(const std::vector<double>& d, std::vector<double> e) {
  const auto n = static_cast<Index>(d.size());
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  const auto element = [&](Index i) { return i < 0 || i + 1 >= n ? 0.0 : e[at(i)]; };
  std::vector<double> values = d, work = e, z(d.size() * d.size());
  work.resize(d.size());
  ASSERT_TRUE(tridiagonal_eigen(n, values.data(), work.data(), z.data()));
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  for (Index i = 0; i < n; ++i) {
    const double* const v = z.data() + i * n;
    for (Index r = 0; r < n; ++r) {
      const double product =
          d[at(r)] * v[r] + (r > 0 ? element(r - 1) * v[r - 1] : 0) + (r + 1 < n ? element(r) * v[r + 1] : 0);
      EXPECT_NEAR(product, values[at(i)] * v[r], 1e-13 * static_cast<double>(n)) << n << " rows, vector " << i;
    }
    for (Index j = 0; j <= i; ++j) {
      double overlap = 0;
      for (Index r = 0; r < n; ++r) overlap += v[r] * z[at(j * n + r)];
      EXPECT_NEAR(overlap, i == j ? 1 : 0, 1e-14 * static_cast<double>(n)) << n << " rows, " << i << ", " << j;
    }
  }
}

TEST(TridiagonalEigen, OfAllSizes) {
  for (Index n = 1; n <= most_tridiagonal_rows; ++n) {
    std::vector<double> d, e;
    for (Index i = 0; i < n; ++i) {
      d.push_back(std::sin(3.0 * static_cast<double>(i * i)));
      e.push_back(std::cos(2.0 + static_cast<double>(i * i)));
    }
    check(d, e);
  }
}

TEST(TridiagonalEigen, WithZerosAndEqualValues) {
  check({1, 1, 1, 1}, {0, 0, 0});
  check({2, 1, 1, 3, 3}, {0, 0.5, 0, 1e-20});
  check({0, 0, 0}, {1, 1});
  check({0, 0, 0}, {0, 0});
  check({1e-8, 1, 1e4}, {1e-9, 1e-3});
  check({0, 0, 0, 1}, {1e-200, 1e-180, 1e-170});
  check({0, 0, 0, 0}, {1, 1e-20, 1e-200});
  check({1e-200, 2e-200, 0, 0}, {1e-200, 1e-201, 1e-300});
  check({1e-310, 0, 0}, {1e-310, 1e-310});
}

TEST(TridiagonalEigen, OfTheSecondDifference) {  // values 2 - 2 cos(pi k / (n + 1))
  constexpr Index n = 20;
  std::vector<double> values(n, 2), e(n, -1), z(n * n);
  ASSERT_TRUE(tridiagonal_eigen(n, values.data(), e.data(), z.data()));
  for (Index k = 0; k < n; ++k)
    EXPECT_NEAR(values[static_cast<std::size_t>(k)], 2 - 2 * std::cos(M_PI * static_cast<double>(k + 1) / (n + 1)),
                1e-13);
}

}  // namespace tridiagonal_eigen_test
}  // namespace wavegrid
