#include "scf/mixer.hpp"

#include <algorithm>

#include "linalg/bands.hpp"
#include "linalg/lapack.hpp"

namespace wavegrid {

Mixer::Mixer(const Comm& comm, const PlaneWaves& box, const MixerOptions& options) : comm_(comm), options_(options) {
  kerker_.reserve(static_cast<std::size_t>(box.size()));
  metric_.reserve(static_cast<std::size_t>(box.size()));
  for (Index i = 0; i < box.size(); ++i) {
    const double g2 = 2.0 * box.kinetic()[static_cast<std::size_t>(i)];
    const bool zero = i == box.zero();
    kerker_.push_back(zero ? 0.0 : options.amplitude * g2 / (g2 + options.k0 * options.k0));
    metric_.push_back(zero ? 0.0 : 1.0 / g2);
  }
}

double Mixer::dot(const Density& a, const Density& b) const {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += metric_[i] * (a[i].real() * b[i].real() + a[i].imag() * b[i].imag());
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

double Mixer::bytes(Index waves, const MixerOptions& options, int steps) {
  const double pairs = std::min(std::max(options.history, 1), steps);
  return static_cast<double>(waves) * (2 * sizeof(double) + 2 * pairs * sizeof(std::complex<double>));
}

Mixer::Density Mixer::next(const Density& input, const Density& output) {
  if (static_cast<int>(history_.size()) == std::max(options_.history, 1)) {
    history_.pop_back();
    products_.pop_back();
    for (auto& row : products_) row.pop_back();
  }
  Pair& pair = history_.emplace_front(Pair{input, output});
  for (std::size_t i = 0; i < input.size(); ++i) pair.change[i] -= input[i];
  std::deque<double> with_new;
  for (const Pair& old : history_) with_new.push_back(dot(old.change, pair.change));
  for (std::size_t i = 0; i < products_.size(); ++i) products_[i].push_front(with_new[i + 1]);
  products_.push_front(with_new);
  const std::vector<double> c = weights();
  Density mixed(input.size());
  for (std::size_t h = 0; h < history_.size(); ++h)
    for (std::size_t i = 0; i < mixed.size(); ++i)
      mixed[i] += c[h] * (history_[h].input[i] + kerker_[i] * history_[h].change[i]);
  return mixed;
}

}  // namespace wavegrid
