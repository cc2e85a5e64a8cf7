#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>
#include <wavegrid/pseudo/radial_filter.hpp>
#include <wavegrid/terms/box_shapes.hpp>

namespace wavegrid {

namespace {

/// What a potential has of a wave number, squared and relative to q = 0: that of a charge of 1 bohr.
double weight_at(double q) {
  const double potential = 1.0 / (1.0 + q * q);
  return potential * potential;
}

/// The square root of int w (F - F_given)^2 q^2 dq below g1, and of F beyond g2, over int w F_given^2 q^2 dq.
double relative_error(int l, const RadialSpectrum& given, const FilteredFunction& f, const FilterRange& range) {
  GaussNodes q, r;
  q.add(0, range.inner_g, nodes_for_phase(range.radius * range.inner_g));
  const std::size_t inner = q.size();
  q.add(range.largest_g, 2 * range.largest_g, nodes_for_phase(range.radius * range.largest_g));
  r.add(0, range.radius, nodes_for_phase(2 * range.radius * range.largest_g));
  std::vector<double> bessel(static_cast<std::size_t>(l) + 1), weighted;
  for (std::size_t i = 0; i < r.size(); ++i)
    weighted.push_back(4 * units::pi * r.weight[i] * r.x[i] * r.x[i] * f.value(r.x[i]));
  double error = 0, norm = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    double transform = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      spherical_bessel(q.x[k] * r.x[i], bessel);
      transform += weighted[i] * bessel.back();
    }
    const double exact = k < inner ? given.value(q.x[k]) : 0.0;
    const double weight =
        q.weight[k] * q.x[k] * q.x[k] * (k < inner ? range.weight_below : range.weight_beyond)(q.x[k]);
    error += weight * (transform - exact) * (transform - exact);
    norm += weight * exact * exact;
  }
  return norm > 0 ? std::sqrt(error / norm) : 0.0;
}

}  // namespace

BoxShapes::BoxShapes(const AugmentationTable& table, double largest, double beyond)
    : shapes_(table.shapes()), num_harmonics_(wavegrid::num_harmonics(table.largest_l())) {
  constexpr double accuracy = 1e-6, least_gain = 1.5, main_share = 1e-2;
  const double g2 = std::max(beyond, 1.02 * largest);
  double radius = table.extent(), error = filter(table, radius, largest, g2, main_share);
  for (const double factor : {1.15, 1.3, 1.5, 1.75, 2.0}) {
    const double next = factor * table.extent();
    const double next_error = error < accuracy ? error : filter(table, next, largest, g2, main_share);
    if (next_error * least_gain > error) break;
    radius = next, error = next_error;
  }
  filter(table, radius, largest, g2, 0);
}

double BoxShapes::filter(const AugmentationTable& table, double radius, double largest, double beyond,
                         double least_share) {
  radius_ = radius;
  const std::size_t intervals = static_cast<std::size_t>(std::ceil(beyond * radius / 0.2)) + RadialNodes::stencil;
  nodes_ = RadialNodes::up_to(radius, radius / static_cast<double>(intervals));
  nodes_.count = intervals + 5;  // the last node is at the radius
  values_.assign(nodes_.count * shapes_.size(), 0.0);
  // Beyond g2 the grid aliases g into largest + beyond - g.
  const FilterRange range{.radius = radius,
                          .inner_g = largest,
                          .largest_g = beyond,
                          .weight_below = weight_at,
                          .weight_beyond = [&](double g) { return weight_at(std::max(largest + beyond - g, 0.0)); },
                          .stretched = true};
  double worst = 0;
  std::vector<double> values(shapes_.size()), slopes(shapes_.size());
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    if (shapes_[k].share < least_share) continue;
    const RadialSpectrum spectrum{[&, k](double q) {
                                    table.evaluate(q, values, {});
                                    return values[k];
                                  },
                                  [&, k](double q) {
                                    table.evaluate(q, values, slopes);
                                    return slopes[k];
                                  }};
    const FilteredFunction f = filtered(shapes_[k].l, spectrum, range);
    worst = std::max(worst, shapes_[k].share * relative_error(shapes_[k].l, spectrum, f, range));
    for (std::size_t node = 0; node < nodes_.count; ++node) {
      const double r = nodes_.q(node);
      const double sign = r < 0 && shapes_[k].l % 2 == 1 ? -1.0 : 1.0;
      values_[node * shapes_.size() + k] = sign * f.value(std::abs(r));
    }
  }
  return worst;
}

std::vector<double> BoxShapes::functions(std::span<const double> moments) const {
  std::vector<double> result(num_values());
  for (std::size_t node = 0; node < nodes_.count; ++node)
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      const auto l = static_cast<std::size_t>(shapes_[k].l);
      double* const out = result.data() + node * num_harmonics_ + l * l;
      for (std::size_t m = 0; m <= 2 * l; ++m)
        out[m] += values_[node * shapes_.size() + k] * moments[shapes_[k].first + m];
    }
  return result;
}

void BoxShapes::add_moments(std::span<const double> sums, std::span<double> moments) const {
  for (std::size_t node = 0; node < nodes_.count; ++node)
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      const auto l = static_cast<std::size_t>(shapes_[k].l);
      const double* const in = sums.data() + node * num_harmonics_ + l * l;
      for (std::size_t m = 0; m <= 2 * l; ++m)
        moments[shapes_[k].first + m] += values_[node * shapes_.size() + k] * in[m];
    }
}

void BoxShapes::interpolate(const std::vector<double>& functions, double r, std::span<double> values,
                            std::span<double> slopes) const {
  const RadialNodes::At at = nodes_.at(r);
  const auto sum = [&](const std::array<double, RadialNodes::stencil>& weights, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    const double* from = functions.data() + at.first * num_harmonics_;
    for (const double weight : weights) {
      for (std::size_t lm = 0; lm < out.size(); ++lm) out[lm] += weight * from[lm];
      from += num_harmonics_;
    }
  };
  sum(at.weight, values);
  sum(at.slope, slopes);
}

void BoxShapes::add_to_nodes(double r, std::span<const double> y, std::vector<double>& sums) const {
  const RadialNodes::At at = nodes_.at(r);
  double* to = sums.data() + at.first * num_harmonics_;
  for (const double weight : at.weight) {
    for (std::size_t lm = 0; lm < y.size(); ++lm) to[lm] += weight * y[lm];
    to += num_harmonics_;
  }
}

}  // namespace wavegrid
