#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/pseudo/radial_function.hpp>

namespace wavegrid {
namespace {

constexpr std::size_t uniform_zeros = 6;  // kept at the outer end of a function on a uniform mesh
constexpr double finest_break = 0.01;     // bohr

/// Whether a function that is 0 from point `end` on reaches this zero as a polynomial with a slope: its ninth
/// difference there is far below its last value, and the last two values are no parabola's. The difference is that
/// value where the function jumps, and above it where it oscillates.
bool meets_zero_as_polynomial(const std::vector<double>& y, std::size_t end) {
  constexpr std::array<double, RadialFunction::stencil> ninth{1, -9, 36, -84, 126, -126, 84, -36, 9, -1};
  constexpr double smooth = 0.25, parabola = 4.0;
  if (end < ninth.size() || end >= y.size()) return false;
  double difference = 0.0;
  for (std::size_t k = 0; k < ninth.size(); ++k) difference += ninth[k] * y[end - k];
  const double last = std::abs(y[end - 1]);
  return std::abs(difference) < smooth * last && std::abs(y[end - 2]) < parabola * last;
}

/// How many values are kept. Zeros at the outer end continue to the end of the mesh. A whole stencil of them is kept,
/// so that every polynomial which is not 0 belongs to a centred stencil: there may be a kink where the zeros begin.
/// Uniform meshes have fine spacings, and the integrals over them are sums over their points.
std::size_t num_kept(const std::vector<double>& r, const std::vector<double>& y, OuterEnd outer_end) {
  const auto zeros = std::find_if(y.rbegin(), y.rend(), [](double v) { return v != 0.0; }) - y.rbegin();
  const std::size_t nonzero = y.size() - static_cast<std::size_t>(zeros);
  const bool uniform = uniform_spacing(r) > 0.0;
  const bool at_zero = outer_end == OuterEnd::first_zero ? nonzero < r.size() : meets_zero_as_polynomial(y, nonzero);
  if (!uniform && at_zero) return nonzero + 1;
  const std::size_t end = uniform || zeros == 0 ? y.size() : r.size();
  return std::max<std::size_t>(2, std::min(end, nonzero + (uniform ? uniform_zeros : RadialFunction::stencil)));
}

}  // namespace

double uniform_spacing(const std::vector<double>& r) {
  const double h = r.back() / static_cast<double>(r.size() - 1);
  for (std::size_t i = 0; i < r.size(); ++i)
    if (std::abs(r[i] - static_cast<double>(i) * h) > 1e-6 * h) return 0.0;
  return h;
}

RadialFunction::RadialFunction(const std::vector<double>& r, const std::vector<double>& y, int power,
                               OuterEnd outer_end)
    : power_(power), r_(r), y_(y) {
  const auto falls = std::adjacent_find(r.begin(), r.end(), std::greater_equal<>{});
  if (r.size() < y.size() || y.size() < 2 || r.front() < 0.0 || falls != r.end())
    throw internal_error("RadialFunction: " + std::to_string(r.size()) + " radii and " + std::to_string(y.size()) +
                         " values; valid are two or more values at rising radii");
  y_.resize(num_kept(r, y, outer_end), 0.0);
  r_.resize(y_.size());
  coordinate_ = RadialCoordinate(r_);
  x_ = coordinate_.points(r_);
}

RadialFunction::Stencil RadialFunction::stencil_at(double r) const {
  const std::size_t used = std::min(stencil, x_.size());
  const auto above = static_cast<std::size_t>(std::upper_bound(r_.begin(), r_.end(), r) - r_.begin());
  const std::size_t first = std::min(above - std::min(above, used / 2), x_.size() - used);
  Stencil found{used, x_.data() + first, {}};
  std::copy_n(y_.begin() + static_cast<std::ptrdiff_t>(first), used, found.p.begin());
  return found;
}

double RadialFunction::operator()(double r) const {
  if (r > r_.back()) return 0;
  if (r < r_.front()) return y_.front() * std::pow(r / r_.front(), power_);
  const double x = coordinate_(r);
  auto [used, points, p] = stencil_at(r);
  for (std::size_t order = 1; order < used; ++order)  // Neville's scheme
    for (std::size_t i = 0; i + order < used; ++i) {
      const double left = points[i], right = points[i + order];
      p[i] = ((right - x) * p[i] + (x - left) * p[i + 1]) / (right - left);
    }
  return p[0];
}

RadialFunction::At RadialFunction::at(double r) const {
  if (r > r_.back()) return {};
  if (r < r_.front()) {
    const double y = y_.front() * std::pow(r / r_.front(), power_);
    return {y, power_ * y / r};
  }
  const double x = coordinate_(r);
  auto [used, points, p] = stencil_at(r);
  std::array<double, stencil> slope{};
  for (std::size_t order = 1; order < used; ++order)  // Neville's scheme and its derivative
    for (std::size_t i = 0; i + order < used; ++i) {
      const double left = points[i], right = points[i + order];
      slope[i] = ((right - x) * slope[i] - p[i] + (x - left) * slope[i + 1] + p[i + 1]) / (right - left);
      p[i] = ((right - x) * p[i] + (x - left) * p[i + 1]) / (right - left);
    }
  return {p[0], slope[0] / coordinate_.slope(x)};
}

std::vector<double> RadialFunction::breaks() const {
  std::vector<double> breaks{0.0};
  for (const double r : r_)
    if (r >= breaks.back() + finest_break * (1.0 - 1e-9)) breaks.push_back(r);
  if (r_.back() > breaks.back()) breaks.push_back(r_.back());
  return breaks;
}

}  // namespace wavegrid
