#include <cmath>
#include <cstdio>
#include <numeric>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/basis/kpoints.hpp>

namespace wavegrid {

namespace {

constexpr int largest_size = 1000;
constexpr Index most_points = 1000000;
constexpr int largest_denominator = 10000;
constexpr double same_fraction = 1e-9;

Index modulo(Index a, Index n) { return ((a % n) + n) % n; }

void require_valid(const KMesh& mesh) {
  for (std::size_t i = 0; i < 3; ++i)
    if (mesh.size[i] < 1 || mesh.size[i] > largest_size)
      throw bad_input("the k-point mesh has " + std::to_string(mesh.size[i]) + " points along reciprocal vector " +
                      std::to_string(i + 1) + "; valid: 1 to " + std::to_string(largest_size));
  const Index points = Index{mesh.size[0]} * mesh.size[1] * mesh.size[2];
  if (points > most_points)
    throw bad_input("the k-point mesh has " + std::to_string(points) + " points; valid: up to " +
                    std::to_string(most_points));
  for (std::size_t i = 0; i < 3; ++i)
    if (!(std::abs(mesh.shift[i]) <= largest_size))
      throw bad_input("the k-point mesh is shifted by " + to_text(mesh.shift[i]) + " steps along reciprocal vector " +
                      std::to_string(i + 1) + "; valid: a fraction such as 0.5");
}

/// The smallest q for which q * shift is an integer.
int denominator_of(double shift, std::size_t axis) {
  for (int q = 1; q <= largest_denominator; ++q)
    if (std::abs(q * shift - std::round(q * shift)) <= q * same_fraction) return q;
  char text[200];
  std::snprintf(text, sizeof text,
                "the k-point mesh is shifted by %.17g steps along reciprocal vector %zu; valid: a fraction with a "
                "denominator up to %d, such as %g",
                shift, axis + 1, largest_denominator, std::round(1000 * shift) / 1000);
  throw bad_input(text);
}

}  // namespace

RationalMesh::RationalMesh(const KMesh& mesh) : mesh_(mesh) {
  require_valid(mesh);
  std::array<Index, 3> q{};
  for (std::size_t i = 0; i < 3; ++i) {
    q[i] = denominator_of(mesh.shift[i], i);
    denominator_ = std::lcm(denominator_, q[i] * mesh.size[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    step_[i] = denominator_ / mesh.size[i];
    const auto numerator = static_cast<Index>(std::llround(mesh.shift[i] * static_cast<double>(q[i])));
    start_[i] = modulo(numerator, q[i] * mesh.size[i]) * (step_[i] / q[i]);
  }
}

RationalMesh::Point RationalMesh::point(Index n) const {
  Point point{};
  for (std::size_t i = 3; i-- > 0; n /= mesh_.size[i])
    point[i] = (start_[i] + (n % mesh_.size[i]) * step_[i]) % denominator_;
  return point;
}

Index RationalMesh::find(const Point& point) const {
  Index n = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Index from_start = modulo(point[i] - start_[i], denominator_);
    if (from_start % step_[i] != 0) return -1;
    n = n * mesh_.size[i] + from_start / step_[i];
  }
  return n;
}

Vec3 RationalMesh::k(Index n) const {
  const Point numerators = point(n);
  Vec3 k{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Index folded = 2 * numerators[i] > denominator_ ? numerators[i] - denominator_ : numerators[i];
    k[i] = static_cast<double>(folded) / static_cast<double>(denominator_);
  }
  return k;
}

std::vector<KPoint> monkhorst_pack(const KMesh& mesh) {
  const RationalMesh points(mesh);
  std::vector<KPoint> all;
  all.reserve(static_cast<std::size_t>(points.size()));
  for (Index n = 0; n < points.size(); ++n) all.push_back({points.k(n), 1.0 / static_cast<double>(points.size())});
  return all;
}

std::string as_text(const KMesh& mesh) {
  char text[160];
  const auto& [n, s] = mesh;
  std::snprintf(text, sizeof text, "%d x %d x %d", n[0], n[1], n[2]);
  std::string all = text;
  if (norm2(s) == 0) return all;
  std::snprintf(text, sizeof text, " shifted by (%g, %g, %g)", s[0], s[1], s[2]);
  return all + text;
}

}  // namespace wavegrid
