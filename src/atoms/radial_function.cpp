#include "atoms/radial_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>

#include "base/error.hpp"

namespace wavegrid {
namespace {

constexpr std::size_t stencil = 8;

}  // namespace

RadialFunction::RadialFunction(const std::vector<double>& r, const std::vector<double>& y, double finest) {
  const auto falls = std::adjacent_find(r.begin(), r.end(), std::greater_equal<>{});
  if (r.size() != y.size() || r.size() < 2 || r.front() < 0.0 || falls != r.end())
    throw internal_error("RadialFunction: " + std::to_string(r.size()) + " radii and " + std::to_string(y.size()) +
                         " values; valid are two or more rising radii with one value each");
  std::size_t size = y.size();
  while (size > 2 && y[size - 1] == 0.0 && y[size - 2] == 0.0) --size;
  for (std::size_t i = 0; i < size; ++i) {
    const double least = r_.empty() ? (r[i] > 1e-8 ? 0.5 * finest : 0.0) : r_.back() + finest;
    if (r[i] < least && i + stencil < size) continue;
    r_.push_back(r[i]);
    y_.push_back(y[i]);
  }
}

double RadialFunction::operator()(double r) const {
  if (r > r_.back()) return 0.0;
  const std::size_t used = std::min(stencil, r_.size());
  const auto above = static_cast<std::size_t>(std::upper_bound(r_.begin(), r_.end(), r) - r_.begin());
  const std::size_t first = std::min(above - std::min(above, used / 2), r_.size() - used);
  std::array<double, stencil> p{};  // Neville's scheme
  std::copy_n(y_.begin() + static_cast<std::ptrdiff_t>(first), used, p.begin());
  for (std::size_t order = 1; order < used; ++order)
    for (std::size_t i = 0; i + order < used; ++i) {
      const double left = r_[first + i], right = r_[first + i + order];
      p[i] = ((right - r) * p[i] + (r - left) * p[i + 1]) / (right - left);
    }
  return p[0];
}

std::vector<double> RadialFunction::breaks() const {
  std::vector<double> breaks = r_;
  if (breaks.front() > 0.0) breaks.insert(breaks.begin(), 0.0);
  return breaks;
}

}  // namespace wavegrid
