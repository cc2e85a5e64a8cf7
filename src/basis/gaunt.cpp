#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gaunt.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/basis/harmonics_table.hpp>

namespace wavegrid {

std::vector<GauntTerm> gaunt_terms(int l1, int l2, int l) {
  if (l < std::abs(l1 - l2) || l > l1 + l2 || (l + l1 + l2) % 2 != 0) return {};
  const int degree = l1 + l2 + l, turns = degree + 1;
  const HarmonicsTable table(std::max({l1, l2, l}));
  GaussNodes nodes;
  nodes.add(-1, 1, degree / 2 + 1);
  const auto first = [](int of) { return static_cast<std::size_t>(of * of); };
  const auto rows = static_cast<std::size_t>(2 * l1 + 1), columns = static_cast<std::size_t>(2 * l2 + 1),
             depth = static_cast<std::size_t>(2 * l + 1);
  std::vector<double> integral(rows * columns * depth), y(table.size());
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (int turn = 0; turn < turns; ++turn) {
      const double z = nodes.x[node], angle = 2.0 * units::pi * turn / turns, s = std::sqrt(1.0 - z * z);
      table.values({s * std::cos(angle), s * std::sin(angle), z}, y);
      const double weight = nodes.weight[node] * 2.0 * units::pi / turns;
      for (std::size_t a = 0; a < rows; ++a)
        for (std::size_t b = 0; b < columns; ++b)
          for (std::size_t c = 0; c < depth; ++c)
            integral[(a * columns + b) * depth + c] += (weight * y[first(l) + c]) * (y[first(l1) + a] * y[first(l2) + b]);
    }
  std::vector<GauntTerm> terms;
  for (std::size_t i = 0; i < integral.size(); ++i)
    if (std::abs(integral[i]) > 1e-10)
      terms.push_back({static_cast<int>(i / (columns * depth)), static_cast<int>(i / depth % columns),
                       static_cast<int>(i % depth), integral[i]});
  return terms;
}

}  // namespace wavegrid
