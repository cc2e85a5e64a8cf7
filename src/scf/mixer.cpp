#include "scf/mixer.hpp"

#include <algorithm>

#include "linalg/bands.hpp"
#include "linalg/lapack.hpp"

namespace wavegrid {

Mixer::Mixer(const Comm& comm, const PlaneWaves& box, const MixerOptions& options, int spins)
    : comm_(comm),
      options_(options),
      factor_(static_cast<std::size_t>(spins)),
      metric_(static_cast<std::size_t>(spins)) {
  for (Index i = 0; i < box.size(); ++i) {
    const double g2 = 2.0 * box.kinetic()[static_cast<std::size_t>(i)];
    const bool zero = i == box.zero();
    factor_[0].push_back(zero ? 0.0 : options.amplitude * g2 / (g2 + options.k0 * options.k0));
    metric_[0].push_back(zero ? 0.0 : 1.0 / g2);
    if (spins == 1) continue;
    factor_[1].push_back(options.amplitude);
    metric_[1].push_back(1.0 / std::max(g2, 1.0));
  }
}

double Mixer::dot(const SpinCoefficients& a, const SpinCoefficients& b) const {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    for (std::size_t i = 0; i < a[c].size(); ++i)
      sum += metric_[c][i] * (a[c][i].real() * b[c][i].real() + a[c][i].imag() * b[c][i].imag());
  return comm_.sum(sum);
}

std::vector<double> Mixer::weights() const {
  // Minimise |sum_i c_i F_i|^2 with sum_i c_i = 1: solve A y = 1 and scale. The eigenvectors of the scaled A leave out
  // directions that rounding has made meaningless.
  const Index n = static_cast<Index>(history_.size());
  Matrix<double> a(n, n), vectors(n, n);
  std::vector<double> values(static_cast<std::size_t>(n)), scale(values);
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  for (Index i = 0; i < n; ++i) scale[at(i)] = 1.0 / std::sqrt(std::max(products_[at(i)][at(i)], 1e-300));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a(i, j) = products_[at(i)][at(j)] * scale[at(i)] * scale[at(j)];
  lapack::eigen<double>(n, a.data(), n, n, values.data(), vectors.data(), n);
  std::vector<double> c(static_cast<std::size_t>(n));
  double total = 0;
  for (Index v = 0; v < n; ++v) {
    if (values[at(v)] < 1e-12 * values[at(n - 1)]) continue;
    double projection = 0;
    for (Index i = 0; i < n; ++i) projection += vectors(i, v) * scale[at(i)];
    for (Index i = 0; i < n; ++i) c[at(i)] += vectors(i, v) * projection / values[at(v)] * scale[at(i)];
  }
  for (const double ci : c) total += ci;
  for (double& ci : c) ci /= total;
  return c;
}

double Mixer::bytes(Index waves, const MixerOptions& options, int steps, int spins) {
  const double pairs = std::min(std::max(options.history, 1), steps);
  return spins * static_cast<double>(waves) * (2 * sizeof(double) + 2 * pairs * sizeof(std::complex<double>));
}

SpinCoefficients Mixer::next(const SpinCoefficients& input, const SpinCoefficients& output) {
  if (static_cast<int>(history_.size()) == std::max(options_.history, 1)) {
    history_.pop_back();
    products_.pop_back();
    for (auto& row : products_) row.pop_back();
  }
  Pair& pair = history_.emplace_front(Pair{input, output});
  for (std::size_t c = 0; c < input.size(); ++c)
    for (std::size_t i = 0; i < input[c].size(); ++i) pair.change[c][i] -= input[c][i];
  std::deque<double> with_new;
  for (const Pair& old : history_) with_new.push_back(dot(old.change, pair.change));
  for (std::size_t i = 0; i < products_.size(); ++i) products_[i].push_front(with_new[i + 1]);
  products_.push_front(with_new);
  const std::vector<double> weight = weights();
  SpinCoefficients mixed;
  for (std::size_t c = 0; c < input.size(); ++c) {
    auto& sum = mixed.emplace_back(input[c].size());
    for (std::size_t h = 0; h < history_.size(); ++h)
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += weight[h] * (history_[h].input[c][i] + factor_[c][i] * history_[h].change[c][i]);
  }
  return mixed;
}

}  // namespace wavegrid
