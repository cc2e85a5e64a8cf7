#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>
#include <wavegrid/pseudo/radial_function.hpp>
#include <wavegrid/terms/augmentation_table.hpp>

namespace wavegrid {

namespace {

constexpr std::size_t nodes_below_zero = 4;

/// The radius beyond which a function has less than 1e-12 of its largest value.
double end_of(const AugmentationFunction& function, const std::vector<double>& r) {
  double largest = 0;
  for (const double value : function.r2_q) largest = std::max(largest, std::abs(value));
  std::size_t end = std::min(function.r2_q.size(), r.size());
  while (end > 1 && std::abs(function.r2_q[end - 1]) <= 1e-12 * largest) --end;
  return r[std::min(end, r.size() - 1)];
}

/// Radii of Gauss' quadrature up to the end of all functions of a dataset, in pieces that end where functions do.
GaussNodes sample(const AugmentedDataset& dataset) {
  constexpr double longest = 0.1;  // bohr
  constexpr int nodes = 10;
  std::set<double> ends;
  for (const AugmentationFunction& function : dataset.augmentation) ends.insert(end_of(function, dataset.r));
  GaussNodes radii;
  double begin = 0;
  for (const double end : ends) {
    const int pieces = static_cast<int>(std::ceil((end - begin) / longest));
    for (int piece = 0; piece < pieces; ++piece)
      radii.add(begin + (end - begin) * piece / pieces, begin + (end - begin) * (piece + 1) / pieces, nodes);
    begin = end;
  }
  return radii;
}

/// 4 pi r^2 Q_ij^L times the weight of each radius.
std::vector<double> weighted(const AugmentationFunction& function, const std::vector<double>& r,
                             const GaussNodes& radii) {
  const RadialFunction times_r2(r, function.r2_q, function.l + 2);
  std::vector<double> values;
  for (std::size_t i = 0; i < radii.size(); ++i)
    values.push_back(4.0 * units::pi * radii.weight[i] * times_r2(radii.x[i]));
  return values;
}

/// Of (-1)^(9 - k) k! (9 - k)! = prod_{j != k} (k - j).
constexpr std::array<double, RadialNodes::stencil> inverse_denominators = [] {
  std::array<double, RadialNodes::stencil> result{};
  for (std::size_t k = 0; k < result.size(); ++k) {
    double product = 1;
    for (std::size_t j = 0; j < result.size(); ++j)
      if (j != k) product *= static_cast<double>(k) - static_cast<double>(j);
    result[k] = 1.0 / product;
  }
  return result;
}();

/// Orthonormal vectors, the coefficients of functions in them, and the largest coefficients relative to the first one.
struct Span {
  std::vector<std::vector<double>> basis{}, coefficients{};
  std::vector<double> shares{};
};

/// What some of the functions span, without what is below 1e-14 of the largest: Gram and Schmidt, the largest
/// remainder first.
Span span_of(const std::vector<std::vector<double>>& functions, const std::vector<std::size_t>& which) {
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  std::vector<std::vector<double>> remainders;
  for (const std::size_t f : which) remainders.push_back(functions[f]);
  Span span;
  span.coefficients.resize(which.size());
  double least = 0;
  while (span.basis.size() < which.size()) {
    std::vector<double> norms;
    for (const auto& remainder : remainders) norms.push_back(std::sqrt(product(remainder, remainder)));
    const auto largest = std::max_element(norms.begin(), norms.end());
    if (span.basis.empty()) least = 1e-14 * *largest;
    if (*largest <= least) break;
    std::vector<double> unit = remainders[static_cast<std::size_t>(largest - norms.begin())];
    for (const auto& earlier : span.basis) {  // once more: the remainder may be small
      const double part = product(earlier, unit);
      for (std::size_t i = 0; i < unit.size(); ++i) unit[i] -= part * earlier[i];
    }
    const double norm = std::sqrt(product(unit, unit));
    for (double& value : unit) value /= norm;
    for (std::size_t f = 0; f < remainders.size(); ++f) {
      const double part = span.coefficients[f].emplace_back(product(unit, remainders[f]));
      for (std::size_t i = 0; i < unit.size(); ++i) remainders[f][i] -= part * unit[i];
    }
    span.basis.push_back(std::move(unit));
    span.shares.push_back(*largest * 1e-14 / least);
  }
  return span;
}

}  // namespace

RadialNodes RadialNodes::up_to(double largest_q, double spacing) {
  return {spacing, nodes_below_zero + static_cast<std::size_t>(std::ceil(largest_q / spacing)) + stencil / 2 + 1};
}

RadialNodes::At RadialNodes::at(double q) const {
  const double x = q / spacing + static_cast<double>(nodes_below_zero);
  const auto first = std::min(static_cast<std::size_t>(x) - nodes_below_zero, count - stencil);
  // The products of the distances to the nodes before and after each one, with their derivatives.
  std::array<double, stencil + 1> before{1}, before_slope{}, after, after_slope;
  after[stencil] = 1;
  after_slope[stencil] = 0;
  const auto distance = [&](std::size_t k) { return x - static_cast<double>(first + k); };
  for (std::size_t k = 0; k < stencil; ++k) {
    before[k + 1] = before[k] * distance(k);
    before_slope[k + 1] = before_slope[k] * distance(k) + before[k];
  }
  for (std::size_t k = stencil; k-- > 0;) {
    after[k] = after[k + 1] * distance(k);
    after_slope[k] = after_slope[k + 1] * distance(k) + after[k + 1];
  }
  At result{first, {}, {}};
  for (std::size_t k = 0; k < stencil; ++k) {
    result.weight[k] = before[k] * after[k + 1] * inverse_denominators[k];
    result.slope[k] =
        (before_slope[k] * after[k + 1] + before[k] * after_slope[k + 1]) * inverse_denominators[k] / spacing;
  }
  return result;
}

AugmentationTable::AugmentationTable(const AugmentedDataset& dataset, double largest_q) {
  const GaussNodes radii = sample(dataset);
  extent_ = radii.size() == 0 ? 0.0 : radii.x.back();
  nodes_ = RadialNodes::up_to(largest_q, 0.2 / std::max(extent_, 1.0));
  std::vector<RadialPair> pairs;
  for (const AugmentationFunction& function : dataset.augmentation)
    pairs.push_back({function.i, function.j, function.l});
  pairs_ = PairMoments(dataset, pairs);
  std::vector<std::vector<double>> functions;
  for (const AugmentationFunction& function : dataset.augmentation)
    functions.push_back(weighted(function, dataset.r, radii));
  set_shapes(transform(functions, radii.x));
}

std::vector<std::vector<double>> AugmentationTable::transform(const std::vector<std::vector<double>>& functions,
                                                              const std::vector<double>& radii) const {
  std::vector<std::vector<double>> values(functions.size(), std::vector<double>(nodes_.count));
#pragma omp parallel for schedule(static)
  for (std::size_t node = nodes_below_zero; node < nodes_.count; ++node) {
    std::vector<double> bessel(static_cast<std::size_t>(largest_l() + 1));
    for (std::size_t i = 0; i < radii.size(); ++i) {
      spherical_bessel(nodes_.q(node) * radii[i], bessel);
      for (std::size_t f = 0; f < functions.size(); ++f)
        values[f][node] += bessel[static_cast<std::size_t>(pairs_.l(f))] * functions[f][i];
    }
  }
  for (std::size_t f = 0; f < values.size(); ++f)
    for (std::size_t below = 1; below <= nodes_below_zero; ++below)
      values[f][nodes_below_zero - below] = (pairs_.l(f) % 2 == 0 ? 1.0 : -1.0) * values[f][nodes_below_zero + below];
  return values;
}

void AugmentationTable::set_shapes(const std::vector<std::vector<double>>& values) {
  std::vector<std::vector<double>> basis;
  expansions_.resize(values.size());
  for (const int parity : {0, 1}) {
    for (int l = parity; l <= largest_l(); l += 2) {
      std::vector<std::size_t> with_l;
      for (std::size_t p = 0; p < values.size(); ++p)
        if (pairs_.l(p) == l) with_l.push_back(p);
      Span span = span_of(values, with_l);
      const std::size_t first_shape = shapes_.size();
      for (std::size_t n = 0; n < with_l.size(); ++n)
        expansions_[with_l[n]] = {first_shape, std::move(span.coefficients[n])};
      for (auto& function : span.basis) {
        basis.push_back(std::move(function));
        shapes_.push_back({l, num_moments_, span.shares[shapes_.size() - first_shape]});
        num_moments_ += static_cast<std::size_t>(2 * l + 1);
      }
    }
    if (parity == 0) num_even_moments_ = num_moments_;
  }
  values_.resize(nodes_.count * basis.size());
  for (std::size_t node = 0; node < nodes_.count; ++node)
    for (std::size_t k = 0; k < basis.size(); ++k) values_[node * basis.size() + k] = basis[k][node];
}

void AugmentationTable::evaluate(double q, std::span<double> values, std::span<double> slopes) const {
  const RadialNodes::At at = nodes_.at(q);
  const auto interpolate = [&](const std::array<double, RadialNodes::stencil>& weights, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    const double* from = values_.data() + at.first * shapes_.size();
    for (const double weight : weights) {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] += weight * from[k];
      from += shapes_.size();
    }
  };
  interpolate(at.weight, values);
  interpolate(at.slope, slopes);
}

std::vector<double> AugmentationTable::moments(const Matrix<std::complex<double>>& rho) const {
  const std::vector<double> pair_moments = pairs_.of(rho);
  std::vector<double> result(num_moments_);
  for_terms([&](std::size_t pair_moment, double coefficient, std::size_t moment) {
    result[moment] += coefficient * pair_moments[pair_moment];
  });
  return result;
}

void AugmentationTable::add_matrix(std::span<const double> derivatives, Matrix<std::complex<double>>& d) const {
  std::vector<double> by_pair_moments(pairs_.size());
  for_terms([&](std::size_t pair_moment, double coefficient, std::size_t moment) {
    by_pair_moments[pair_moment] += coefficient * derivatives[moment];
  });
  pairs_.add_matrix(by_pair_moments, d);
}

template <class Action>
void AugmentationTable::for_terms(Action action) const {
  for (std::size_t p = 0; p < expansions_.size(); ++p) {
    const auto& [first_shape, coefficients] = expansions_[p];
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      for (std::size_t m = 0; m <= 2 * static_cast<std::size_t>(pairs_.l(p)); ++m)
        action(pairs_.first(p) + m, coefficients[k], shapes_[first_shape + k].first + m);
  }
}

}  // namespace wavegrid
