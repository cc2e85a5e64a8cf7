#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/mesh_bessel.hpp>
#include <wavegrid/basis/radial_table.hpp>

namespace wavegrid {
namespace {

/// Weights of the linear combinations j_l' = sum_k first[k] j_{l-1+k} and j_l'' = sum_k second[k] j_{l-2+k}.
struct Derivatives {
  std::array<double, 3> first;
  std::array<double, 5> second;
};

std::array<double, 3> slope_weights(int l) { return {l / (2.0 * l + 1.0), 0.0, -(l + 1.0) / (2.0 * l + 1.0)}; }

Derivatives derivative_weights(int l) {
  Derivatives d{slope_weights(l), {}};
  for (const int side : {0, 2}) {
    const int neighbour = l - 1 + side;
    if (neighbour < 0) continue;
    const auto inner = slope_weights(neighbour);
    for (const int k : {0, 2})
      d.second[static_cast<std::size_t>(side + k)] +=
          d.first[static_cast<std::size_t>(side)] * inner[static_cast<std::size_t>(k)];
  }
  return d;
}

/// 4 pi r^2 f dr of the samples that are not negligible, at r = (i + 1) spacing.
struct Samples {
  double spacing;
  std::vector<double> weight;
  [[nodiscard]] double r(std::size_t i) const { return static_cast<double>(i + 1) * spacing; }
};

Samples collect(double spacing, std::span<const double> f) {
  Samples s{spacing, {}};
  double largest = 0.0;
  for (std::size_t i = 1; i < f.size(); ++i) {
    const double r = s.r(i - 1);
    s.weight.push_back(4.0 * units::pi * spacing * r * r * f[i]);
    largest = std::max(largest, std::abs(s.weight.back()));
  }
  while (!s.weight.empty() && std::abs(s.weight.back()) < 1e-17 * largest) s.weight.pop_back();
  return s;
}

/// The step at which the bound on the error of the quintic polynomials, step^6 / 46080 max |F^(6)|, is 1e-9 int |f|.
double table_step(const Samples& s) {
  double sum = 0.0, sixth_moment = 0.0;
  for (std::size_t i = 0; i < s.weight.size(); ++i) {
    sum += std::abs(s.weight[i]);
    sixth_moment += std::abs(s.weight[i]) * std::pow(s.r(i), 6);
  }
  return sixth_moment > 0.0 ? std::pow(46080.0 * 1e-9 * sum / sixth_moment, 1.0 / 6.0) : 1.0;
}

/// F, step F', step^2 F'' at one node.
std::array<double, 3> node_values(int l, const Samples& s, const Derivatives& d, double g, double step) {
  using Block = MeshBessel::Block;
  MeshBessel bessel(g * s.spacing, l + 3);
  const Block zero{};
  Block value{}, slope{}, curvature{};
  for (std::size_t first = 0; first < s.weight.size(); first += MeshBessel::length) {
    const auto j = bessel.at(first);
    const auto at = [&](int index) -> const Block& { return index < 0 ? zero : j[static_cast<std::size_t>(index)]; };
    const Block &jm2 = at(l - 2), &jm1 = at(l - 1), &j0 = at(l), &j1 = at(l + 1), &j2 = at(l + 2);
    const std::size_t count = std::min(MeshBessel::length, s.weight.size() - first);
    for (std::size_t b = 0; b < count; ++b) {
      const double w = s.weight[first + b], scale = step * s.r(first + b);
      value[b] += w * j0[b];
      slope[b] += w * scale * (d.first[0] * jm1[b] + d.first[2] * j1[b]);
      curvature[b] += w * scale * scale * (d.second[0] * jm2[b] + d.second[2] * j0[b] + d.second[4] * j2[b]);
    }
  }
  const auto total = [](const Block& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); };
  return {total(value), total(slope), total(curvature)};
}

}  // namespace

RadialTable::RadialTable(int l, double spacing, std::span<const double> f, double g_max) : l_(l), g_max_(g_max) {
  if (l < 0 || f.empty() || !(spacing > 0.0) || !(g_max >= 0.0) || spacing * g_max > 2.0)
    throw internal_error("RadialTable: l = " + std::to_string(l) + ", " + std::to_string(f.size()) +
                         " samples, spacing * g_max = " + to_text(spacing * g_max) +
                         "; valid are l >= 0, at least one sample and spacing * g_max <= 2");
  const Samples samples = collect(spacing, f);
  const auto count = static_cast<std::size_t>(std::ceil(g_max / table_step(samples))) + 1;
  step_ = count > 1 ? g_max / static_cast<double>(count - 1) : 1.0;
  const Derivatives weights = derivative_weights(l);
  auto a = node_values(l, samples, weights, 0.0, step_);
  for (std::size_t n = 1; n <= count; ++n) {
    const auto b = node_values(l, samples, weights, static_cast<double>(n) * step_, step_);
    const double rise = b[0] - a[0];
    pieces_.push_back({a[0], a[1], 0.5 * a[2], 10.0 * rise - 6.0 * a[1] - 4.0 * b[1] - 1.5 * a[2] + 0.5 * b[2],
                       -15.0 * rise + 8.0 * a[1] + 7.0 * b[1] + 1.5 * a[2] - b[2],
                       6.0 * rise - 3.0 * (a[1] + b[1]) + 0.5 * (b[2] - a[2])});
    a = b;
  }
}

RadialTable RadialTable::sample(int l, const std::function<double(double)>& f, double r_max, double g_max,
                                double detail) {
  // A Gaussian of width `detail` is resolved to 1e-14 once 2 pi / spacing - g_max > 8 / detail.
  const double finest = std::min(2.0 * units::pi / (g_max + 8.0 / detail), 2.0 / std::max(g_max, 1e-3));
  const auto count = static_cast<std::size_t>(std::ceil(r_max / finest));
  const double spacing = r_max / static_cast<double>(std::max<std::size_t>(count, 1));
  std::vector<double> values(count + 1, 0.0);
  for (std::size_t i = 1; i <= count; ++i) values[i] = f(static_cast<double>(i) * spacing);
  return {l, spacing, values, g_max};
}

RadialTable::Position RadialTable::find(double g) const {
  const double position = g / step_;
  const auto index = static_cast<std::size_t>(std::max(position, 0.0));
  if (!(position >= 0.0) || index >= pieces_.size())
    throw internal_error("RadialTable: g = " + to_text(g) + " is outside 0.." + to_text(g_max_));
  return {pieces_[index], position - static_cast<double>(index)};
}

double RadialTable::operator()(double g) const {
  const auto [c, t] = find(g);
  return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
}

double RadialTable::derivative(double g) const {
  const auto [c, t] = find(g);
  return (c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * (4.0 * c[4] + t * 5.0 * c[5])))) / step_;
}

}  // namespace wavegrid
