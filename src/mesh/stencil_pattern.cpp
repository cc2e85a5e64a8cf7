#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/mesh/stencil_pattern.hpp>

namespace wavegrid {

namespace {

double product(const Mat3& metric, const Int3& a, const Int3& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) sum += a[i] * metric[i][j] * b[j];
  return sum;
}

Int3 cross_of(const Int3& a, const Int3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The first nonzero component is positive: u and -u are one direction.
Int3 oriented(Int3 u) {
  const auto first = std::find_if(u.begin(), u.end(), [](int c) { return c != 0; });
  if (first != u.end() && *first < 0)
    for (int& c : u) c = -c;
  return u;
}

/// The rows of the inverse transpose of the steps: derivatives along the steps from Cartesian ones.
Mat3 inverse_transpose(const Mat3& steps) {
  const double volume = determinant(steps);
  Mat3 rows;
  for (std::size_t i = 0; i < 3; ++i) rows[i] = (1 / volume) * cross(steps[(i + 1) % 3], steps[(i + 2) % 3]);
  return rows;
}

/// Selling's algorithm: vectors with sum 0 whose products under `metric` are not positive.
std::array<Int3, 4> obtuse_superbase(const Mat3& metric) {
  std::array<Int3, 4> base{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}}};
  const double small = 1e-12 * (metric[0][0] + metric[1][1] + metric[2][2]);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < 4 && !changed; ++i)
      for (std::size_t j = i + 1; j < 4 && !changed; ++j) {
        if (product(metric, base[i], base[j]) <= small) continue;
        // -b_i, b_j and the two others plus b_i: the sum of squared lengths falls.
        const Int3 moved = base[i];
        for (std::size_t other = 0; other < 4; ++other)
          for (std::size_t c = 0; c < 3; ++c) {
            if (other == i) base[other][c] = -moved[c];
            if (other != i && other != j) base[other][c] += moved[c];
          }
        changed = true;
      }
  }
  return base;
}

/// The Laplacian as a sum of second derivatives along directions of the mesh.
std::vector<StencilDirection> directions_of(const Mat3& steps) {
  const Mat3 inverse = inverse_transpose(steps);
  Mat3 metric;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) metric[i][j] = dot(inverse[i], inverse[j]);
  std::vector<StencilDirection> directions{{{1, 0, 0}, 0}, {{0, 1, 0}, 0}, {{0, 0, 1}, 0}};
  const std::array<Int3, 4> base = obtuse_superbase(metric);
  const double small = 1e-12 * (metric[0][0] + metric[1][1] + metric[2][2]);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) {
      const double weight = -product(metric, base[i], base[j]);
      if (weight <= small) continue;
      std::array<std::size_t, 2> others{};
      std::size_t n = 0;
      for (std::size_t other = 0; other < 4; ++other)
        if (other != i && other != j) others[n++] = other;
      const Int3 step = oriented(cross_of(base[others[0]], base[others[1]]));
      const auto known = std::find_if(directions.begin(), directions.end(),
                                      [&](const StencilDirection& direction) { return direction.step == step; });
      if (known != directions.end())
        known->weight += weight;
      else
        directions.push_back({step, weight});
    }
  return directions;
}

}  // namespace

StencilPattern::StencilPattern(const Mat3& steps, int order, DifferenceWeights weights)
    : reach_(order / 2), differences_(order, weights), directions_(directions_of(steps)) {
  for (const StencilDirection& direction : directions_) {
    const Vec3 step = Vec3{static_cast<double>(direction.step[0]), static_cast<double>(direction.step[1]),
                           static_cast<double>(direction.step[2])} *
                      steps;
    laplacian_centre_ += direction.weight * differences_.second[0];
    for (int m = 1; m <= reach_; ++m)
      for (const int sign : {1, -1}) {
        const int n = sign * m;
        legs_.push_back({n * direction.step[0], n * direction.step[1], n * direction.step[2]});
        laplacian_.push_back(direction.weight * differences_.second[static_cast<std::size_t>(m)]);
        for (std::size_t axis = 0; axis < 3; ++axis)
          gradient_[axis].push_back(sign * direction.weight * step[axis] *
                                    differences_.first[static_cast<std::size_t>(m)]);
      }
    highest_kinetic_energy_ += 0.5 * direction.weight * differences_.minus_second(units::pi);
  }
}

double StencilPattern::kinetic_energy(const Vec3& q_steps) const {
  double energy = 0;
  for (const StencilDirection& direction : directions_) {
    const double angle =
        direction.step[0] * q_steps[0] + direction.step[1] * q_steps[1] + direction.step[2] * q_steps[2];
    energy += 0.5 * direction.weight * differences_.minus_second(angle);
  }
  return energy;
}

}  // namespace wavegrid
