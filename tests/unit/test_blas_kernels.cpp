#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <wavegrid/base/processors.hpp>
#include <wavegrid/linalg/blas_description.hpp>
#include <wavegrid/linalg/blas_kernels.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {
namespace blas_kernels_test {

constexpr Index n = 67;

static std::vector<double> product() {
  std::vector<double> a(n * n), result(n * n);
  for (Index i = 0; i < n * n; ++i) a[static_cast<std::size_t>(i)] = std::sin(static_cast<double>(i));
  lapack::gemm<double>('N', 'T', n, n, n, 1, a.data(), n, a.data(), n, 0, result.data(), n);
  return result;
}

TEST(BlasKernels, ArisenAfterOpenBlasAreUsedAndGiveTheSameProducts) {
  const std::vector<double> before = product();
  fit_blas_kernels();
  const std::string chosen = blas_description();
  fit_blas_kernels();  // once more: nothing is left to choose
  EXPECT_EQ(blas_description(), chosen);
  if (processor() != Processor::plain && !std::getenv("OPENBLAS_CORETYPE")) {
    EXPECT_EQ(chosen.find("Prescott"), std::string::npos) << chosen;
  }
  const std::vector<double> after = product();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-12);
}

}  // namespace blas_kernels_test
}  // namespace wavegrid
