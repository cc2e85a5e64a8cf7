// Sums of forces and strains over ranks.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

[[nodiscard]] inline std::span<Vec3> as_vectors(std::vector<Vec3>& forces) { return forces; }
[[nodiscard]] inline std::span<Vec3> as_vectors(Mat3& strain) { return strain; }

/// Sums forces and strains over all ranks, by one reduction. Collective.
template <class... Parts>
void sum_over_ranks(const Comm& comm, Parts&... parts) {
  std::vector<double> numbers;
  const auto append = [&](std::span<Vec3> vectors) {
    for (const Vec3& vector : vectors) numbers.insert(numbers.end(), vector.begin(), vector.end());
  };
  (append(as_vectors(parts)), ...);
  comm.sum(std::span<double>(numbers));
  auto from = numbers.cbegin();
  const auto extract = [&](std::span<Vec3> vectors) {
    for (Vec3& vector : vectors) {
      std::copy_n(from, 3, vector.begin());
      from += 3;
    }
  };
  (extract(as_vectors(parts)), ...);
}

/// The sum of two lists of forces. Pure.
[[nodiscard]] inline std::vector<Vec3> sum_forces(std::vector<Vec3> a, const std::vector<Vec3>& b) {
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), [](const Vec3& x, const Vec3& y) { return x + y; });
  return a;
}

}  // namespace wavegrid
