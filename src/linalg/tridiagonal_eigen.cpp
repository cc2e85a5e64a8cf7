#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/processors.hpp>
#include <wavegrid/linalg/tridiagonal_eigen.hpp>

namespace wavegrid {

namespace rotation_loops {

/// A rotation of two neighbouring columns.
struct Rotation {
  double c, s;
};

#define WAVEGRID_LOOPS <wavegrid/linalg/rotation_loops.inc>
#include <wavegrid/base/each_processor.inc>

}  // namespace rotation_loops

namespace {

using rotation_loops::Rotation;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// What is negligible also between diagonal elements that vanish.
double smallest_element(Index n, const double* d, const double* e) {
  double largest = 0;
  for (Index i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), i + 1 < n ? std::abs(e[i]) : 0.0});
  return std::max(epsilon * epsilon * largest, std::numeric_limits<double>::min());
}

/// The end of the block that begins at `first`: the next element of `e` that is negligible.
Index block_end(Index n, Index first, const double* d, const double* e, double smallest) {
  Index m = first;
  while (m + 1 < n && std::abs(e[m]) > std::max(epsilon * (std::abs(d[m]) + std::abs(d[m + 1])), smallest)) ++m;
  return m;
}

/// One step of the QL method on rows first..last; rotations[i] is that of columns i and i + 1. Returns the first of
/// these: above `first` where the block falls apart.
Index ql_step(Index first, Index last, double* d, double* e, Rotation* rotations) {
  const double ratio = (d[first + 1] - d[first]) / (2.0 * e[first]);
  double g = d[last] - d[first] + e[first] / (ratio + std::copysign(std::hypot(ratio, 1.0), ratio));
  double s = 1, c = 1, p = 0;
  for (Index i = last - 1; i >= first; --i) {
    const double f = s * e[i], b = c * e[i], r = std::hypot(f, g);
    e[i + 1] = r;
    if (r == 0) {
      d[i + 1] -= p;
      e[last] = 0;
      return i + 1;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    const double change = (d[i] - g) * s + 2.0 * c * b;
    p = s * change;
    d[i + 1] = g + p;
    g = c * change - b;
    rotations[i] = {c, s};
  }
  d[first] -= p;
  e[first] = g;
  e[last] = 0;
  return first;
}

void sort_ascending(Index n, double* d, double* z) {
  for (Index i = 0; i + 1 < n; ++i) {
    const Index least = std::min_element(d + i, d + n) - d;
    if (least == i) continue;
    std::swap(d[i], d[least]);
    std::swap_ranges(z + i * n, z + (i + 1) * n, z + least * n);
  }
}

}  // namespace

bool tridiagonal_eigen(Index n, double* d, double* e, double* z) {
  constexpr int most_steps = 50;  // for one value; about two are needed
  if (n > most_tridiagonal_rows) throw internal_error("tridiagonal_eigen: a matrix too large");
  std::array<Rotation, most_tridiagonal_rows> rotations;
  std::fill_n(z, n * n, 0.0);
  for (Index i = 0; i < n; ++i) z[i * (n + 1)] = 1.0;
  const double smallest = smallest_element(n, d, e);
  for (Index first = 0; first < n; ++first) {
    int steps = 0;
    for (Index last; (last = block_end(n, first, d, e, smallest)) > first;) {
      if (++steps > most_steps) return false;
      const Index begin = ql_step(first, last, d, e, rotations.data());
      WAVEGRID_CALL(rotation_loops, rotate_columns(n, begin, last, rotations.data(), z));
    }
  }
  sort_ascending(n, d, z);
  return true;
}

}  // namespace wavegrid
