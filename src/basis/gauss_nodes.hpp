// Quadrature by Gauss and Legendre with any number of nodes.
#pragma once

#include <cmath>
#include <vector>

#include <wavegrid/base/units.hpp>

namespace wavegrid {

/// int f(x) dx = sum_i weight[i] f(x[i]), exact for polynomials up to degree 2 n - 1.
struct GaussNodes {
  std::vector<double> x, weight;

  /// Adds `count` nodes between a and b, rising.
  void add(double a, double b, int count) {
    for (int i = 0; i < count; ++i) {
      double at = std::cos(units::pi * (i + 0.75) / (count + 0.5)), slope = 0;
      for (int step = 0; step < 8; ++step) {  // Newton's method; it converges in five
        double last = 1, value = at;
        for (int n = 2; n <= count; ++n) {
          const double next = ((2 * n - 1) * at * value - (n - 1) * last) / n;
          last = value;
          value = next;
        }
        slope = count * (at * value - last) / (at * at - 1);
        at -= value / slope;
      }
      x.push_back(0.5 * (a + b) - 0.5 * (b - a) * at);
      weight.push_back((b - a) / ((1 - at * at) * slope * slope));
    }
  }
  [[nodiscard]] std::size_t size() const { return x.size(); }
};

/// Nodes that a product of a smooth function and of waves needs whose phases differ by `phase` from end to end.
[[nodiscard]] inline int nodes_for_phase(double phase) { return 24 + static_cast<int>(std::ceil(0.6 * phase)); }

}  // namespace wavegrid
