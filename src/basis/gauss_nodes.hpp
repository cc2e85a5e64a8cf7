// Quadrature by Gauss and Legendre with any number of nodes.
#pragma once

#include <cmath>
#include <vector>

namespace wavegrid {

/// int f(x) dx = sum_i weight[i] f(x[i]), exact for polynomials up to degree 2 n - 1.
struct GaussNodes {
  std::vector<double> x, weight;

  /// Adds `count` nodes between a and b, rising. Those between -1 and 1 are found once in a process.
  void add(double a, double b, int count);
  [[nodiscard]] std::size_t size() const { return x.size(); }
};

/// Nodes that a product of a smooth function and of waves needs whose phases differ by `phase` from end to end.
[[nodiscard]] inline int nodes_for_phase(double phase) { return 24 + static_cast<int>(std::ceil(0.6 * phase)); }

}  // namespace wavegrid
