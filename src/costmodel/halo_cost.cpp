#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/halo_cost.hpp>

namespace wavegrid {

namespace {

using Terms = std::array<double, 4>;

/// The factors of alpha, beta, gamma and delta.
Terms terms_of(double volume, int reach) {
  const double side = std::cbrt(volume), d = reach;
  return {d * d * d, d * d * side, d * side * side, volume};
}

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

double HaloSizeModel::points(double volume, int reach) const {
  const Terms terms = terms_of(volume, reach);
  return std::inner_product(terms.begin(), terms.end(), coefficients.begin(), 0.0);
}

HaloSizeModel fit_halo_size(std::span<const HaloSample> samples) {
  if (samples.size() < 4)
    throw bad_input("fit of halo sizes: " + std::to_string(samples.size()) + " samples for 4 coefficients");
  // Least squares by modified Gram-Schmidt on columns of norm 1; the last column is the right-hand side.
  std::array<std::vector<double>, 5> columns;
  for (const HaloSample& sample : samples) {
    if (!(sample.volume > 0) || sample.reach < 1 || !(sample.points > 0))
      throw bad_input("fit of halo sizes: a sample of " + std::to_string(sample.volume) + " points, reach " +
                      std::to_string(sample.reach) + " and " + std::to_string(sample.points) +
                      " ghost points; all must be positive");
    const Terms terms = terms_of(sample.volume, sample.reach);
    for (std::size_t t = 0; t < 4; ++t) columns[t].push_back(terms[t] / sample.points);
    columns[4].push_back(1);
  }
  std::array<double, 4> norms{};
  std::array<std::array<double, 5>, 4> triangle{};
  for (std::size_t t = 0; t < 4; ++t) {
    norms[t] = std::sqrt(dot_of(columns[t], columns[t]));
    for (double& value : columns[t]) value /= norms[t];
  }
  for (std::size_t t = 0; t < 4; ++t) {
    triangle[t][t] = std::sqrt(dot_of(columns[t], columns[t]));
    if (triangle[t][t] < 1e-9)
      throw bad_input("fit of halo sizes: the samples do not determine four coefficients; use parts of other sizes");
    for (double& value : columns[t]) value /= triangle[t][t];
    for (std::size_t other = t + 1; other < 5; ++other) {
      triangle[t][other] = dot_of(columns[t], columns[other]);
      for (std::size_t n = 0; n < columns[t].size(); ++n) columns[other][n] -= triangle[t][other] * columns[t][n];
    }
  }
  HaloSizeModel model;
  for (std::size_t t = 4; t-- > 0;) {
    double value = triangle[t][4];
    for (std::size_t other = t + 1; other < 4; ++other) value -= triangle[t][other] * model.coefficients[other];
    model.coefficients[t] = value / triangle[t][t];
  }
  for (std::size_t t = 0; t < 4; ++t) model.coefficients[t] /= norms[t];
  return model;
}

HaloSizeModel star_stencil_of_cubes() { return {{0, 0, 6, 0}}; }

double halo_seconds_as_printed(const LogGP& network, double neighbours, double points, double bytes) {
  if (neighbours <= 0) return 0;
  return network.latency + network.overhead * neighbours + network.gap * (neighbours - 1) +
         network.gap_per_byte * neighbours * bytes * points;
}

double halo_seconds(const LogGP& network, std::span<const Index> message_points, double bytes) {
  if (message_points.empty()) return 0;
  const auto messages = static_cast<double>(message_points.size());
  const auto points = static_cast<double>(std::accumulate(message_points.begin(), message_points.end(), Index{0}));
  return network.latency + network.overhead * messages + network.gap * (messages - 1) +
         network.gap_per_byte * bytes * points;
}

}  // namespace wavegrid
