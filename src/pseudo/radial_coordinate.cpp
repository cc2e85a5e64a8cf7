#include <wavegrid/pseudo/radial_coordinate.hpp>

namespace wavegrid {
namespace {

/// Whether r[i + 1] / r[i] is the same throughout, to 1e-3.
bool is_logarithmic(const std::vector<double>& r) {
  if (r.front() <= 0.0 || r.size() < 3) return false;
  const double whole = std::log(r.back() / r.front()) / static_cast<double>(r.size() - 1);
  for (std::size_t i = 1; i < r.size(); ++i)
    if (std::abs(std::log(r[i] / r[i - 1]) - whole) > 1e-3 * whole) return false;
  return true;
}

/// a where r[i] = a i / (n - i); 0 for other meshes. From r[1] and r[2] follow n and a.
double rational_scale(const std::vector<double>& r) {
  if (r.size() < 4 || r[0] != 0.0) return 0.0;
  const double ratio = r[2] / r[1];
  if (!(ratio > 2.0)) return 0.0;
  const double n = 2.0 * (ratio - 1.0) / (ratio - 2.0), scale = r[1] * (n - 1.0);
  for (std::size_t i = 1; i < r.size(); ++i) {
    const auto index = static_cast<double>(i);
    if (std::abs(r[i] / (scale + r[i]) - index / n) > 1e-8) return 0.0;
  }
  return scale;
}

}  // namespace

RadialCoordinate::RadialCoordinate(const std::vector<double>& r) {
  if (is_logarithmic(r)) kind_ = Kind::logarithmic;
  if (kind_ == Kind::linear) scale_ = rational_scale(r);
  if (scale_ > 0.0) kind_ = Kind::rational;
}

std::vector<double> RadialCoordinate::points(const std::vector<double>& r) const {
  std::vector<double> x;
  x.reserve(r.size());
  for (const double radius : r) x.push_back((*this)(radius));
  return x;
}

}  // namespace wavegrid
