#include <algorithm>
#include <cmath>
#include <numeric>

#include <wavegrid/basis/mesh_bessel.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>

namespace wavegrid {

MeshBessel::MeshBessel(double step, int orders) : step_(step), j_(static_cast<std::size_t>(orders)) {
  for (std::size_t b = 0; b < length; ++b) {
    sine_[b] = std::sin(step * static_cast<double>(b));
    cosine_[b] = std::cos(step * static_cast<double>(b));
  }
}

std::span<const MeshBessel::Block> MeshBessel::at(std::size_t first) {
  std::size_t small = 0;  // points with x < 1, where the recurrence loses digits
  while (small < length && x(first + small) < 1.0) ++small;
  if (small < length) recur(first);
  for (std::size_t l = 0; l < j_.size(); ++l)
    for (std::size_t b = 0; b < small; ++b) j_[l][b] = detail::bessel_series(static_cast<int>(l), x(first + b));
  return j_;
}

void MeshBessel::recur(std::size_t first) {
  const double sine = std::sin(x(first)), cosine = std::cos(x(first));
  Block inverse, next;
  for (std::size_t b = 0; b < length; ++b) {
    inverse[b] = 1.0 / x(first + b);
    j_[0][b] = (sine * cosine_[b] + cosine * sine_[b]) * inverse[b];
    next[b] = (j_[0][b] - (cosine * cosine_[b] - sine * sine_[b])) * inverse[b];
  }
  if (j_.size() > 1) j_[1] = next;
  for (std::size_t l = 2; l < j_.size(); ++l)
    for (std::size_t b = 0; b < length; ++b)
      j_[l][b] = static_cast<double>(2 * l - 1) * inverse[b] * j_[l - 1][b] - j_[l - 2][b];
}

double bessel_sum(int l, double step, std::span<const double> weights) {
  MeshBessel bessel(step, l + 1);
  MeshBessel::Block sums{};
  for (std::size_t first = 0; first < weights.size(); first += MeshBessel::length) {
    const MeshBessel::Block& j = bessel.at(first).back();
    const auto part = weights.subspan(first, std::min(MeshBessel::length, weights.size() - first));
    for (std::size_t b = 0; b < part.size(); ++b) sums[b] += part[b] * j[b];
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace wavegrid
