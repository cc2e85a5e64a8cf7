#include <algorithm>
#include <cmath>
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

}  // namespace

RadialNodes RadialNodes::up_to(double largest_q, double spacing) {
  return {spacing, nodes_below_zero + static_cast<std::size_t>(std::ceil(largest_q / spacing)) + stencil / 2 + 1};
}

RadialNodes::At RadialNodes::at(double q) const {
  const double x = q / spacing + static_cast<double>(nodes_below_zero);
  const auto first = std::min(static_cast<std::size_t>(x) - nodes_below_zero, count - stencil);
  At result{first, {}, {}};
  std::array<double, stencil> distance;
  for (std::size_t k = 0; k < stencil; ++k) distance[k] = x - static_cast<double>(first + k);
  double factorial = 1;  // of prod_{j != k} (k - j) = (-1)^(9 - k) k! (9 - k)!
  for (std::size_t k = 2; k < stencil; ++k) factorial *= static_cast<double>(k);
  double denominator = -factorial;
  for (std::size_t k = 0; k < stencil; ++k) {
    double product = 1, derivative = 0;
    for (std::size_t j = 0; j < stencil; ++j) {
      if (j == k) continue;
      derivative = derivative * distance[j] + product;
      product *= distance[j];
    }
    result.weight[k] = product / denominator;
    result.slope[k] = derivative / (denominator * spacing);
    denominator *= -static_cast<double>(k + 1) / static_cast<double>(stencil - 1 - k);
  }
  return result;
}

AugmentationTable::AugmentationTable(const AugmentedDataset& dataset, double largest_q) {
  const GaussNodes radii = sample(dataset);
  const double largest_r = radii.size() == 0 ? 0.0 : radii.x.back();
  nodes_ = RadialNodes::up_to(largest_q, 0.2 / std::max(largest_r, 1.0));
  std::vector<RadialPair> pairs;
  for (const AugmentationFunction& function : dataset.augmentation)
    pairs.push_back({function.i, function.j, function.l});
  pairs_ = PairMoments(dataset, pairs);
  values_.assign(pairs.size(), std::vector<double>(nodes_.count));
  std::vector<std::vector<double>> functions;
  for (const AugmentationFunction& function : dataset.augmentation)
    functions.push_back(weighted(function, dataset.r, radii));
  transform(functions, radii.x);
}

void AugmentationTable::transform(const std::vector<std::vector<double>>& functions, const std::vector<double>& radii) {
#pragma omp parallel for schedule(static)
  for (std::size_t node = nodes_below_zero; node < nodes_.count; ++node) {
    std::vector<double> bessel(static_cast<std::size_t>(largest_l() + 1));
    for (std::size_t i = 0; i < radii.size(); ++i) {
      spherical_bessel(nodes_.q(node) * radii[i], bessel);
      for (std::size_t f = 0; f < functions.size(); ++f)
        values_[f][node] += bessel[static_cast<std::size_t>(pairs_.l(f))] * functions[f][i];
    }
  }
  for (std::size_t f = 0; f < values_.size(); ++f)
    for (std::size_t below = 1; below <= nodes_below_zero; ++below)
      values_[f][nodes_below_zero - below] = (pairs_.l(f) % 2 == 0 ? 1.0 : -1.0) * values_[f][nodes_below_zero + below];
}

std::vector<double> AugmentationTable::multipoles(const Matrix<std::complex<double>>& rho) const {
  const std::size_t harmonics = num_harmonics();
  const std::vector<double> moments = pairs_.of(rho);
  std::vector<double> result(nodes_.count * harmonics);
  for (std::size_t f = 0; f < values_.size(); ++f) {
    const int l = pairs_.l(f);
    const double* const moment = moments.data() + pairs_.first(f);
    double* out = result.data() + l * l;
    for (std::size_t node = 0; node < nodes_.count; ++node, out += harmonics)
      for (int m = 0; m <= 2 * l; ++m) out[m] += moment[m] * values_[f][node];
  }
  return result;
}

void AugmentationTable::add_moments(std::span<const double> multipoles, std::span<double> moments) const {
  const std::size_t harmonics = num_harmonics();
  for (std::size_t f = 0; f < values_.size(); ++f) {
    const int l = pairs_.l(f);
    const double* in = multipoles.data() + l * l;
    double* const out = moments.data() + pairs_.first(f);
    for (std::size_t node = 0; node < nodes_.count; ++node, in += harmonics)
      for (int m = 0; m <= 2 * l; ++m) out[m] += values_[f][node] * in[m];
  }
}

}  // namespace wavegrid
