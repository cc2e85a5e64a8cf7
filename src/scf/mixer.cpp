#include "scf/mixer.hpp"

#include <algorithm>

#include "linalg/bands.hpp"
#include "linalg/lapack.hpp"

namespace wavegrid {

namespace {

constexpr double growth = 4.0;           ///< of |F|^2 over its smallest, at which the amplitude is halved
constexpr double smallest_share = 0.05;  ///< of the wanted amplitude
constexpr double recovery = 1.25;        ///< of the amplitude, in a step in which |F|^2 falls to a quarter

}  // namespace

Mixer::Mixer(GridFft& grid, const MixerOptions& options, int spins)
    : grid_(grid), options_(options), amplitude_(options.amplitude), metric_(static_cast<std::size_t>(spins)) {
  const PlaneWaves& box = grid.waves();
  for (Index i = 0; i < box.size(); ++i) {
    const double g2 = 2.0 * box.kinetic()[static_cast<std::size_t>(i)];
    metric_[0].push_back(i == box.zero() ? 0.0 : 1.0 / g2);
    if (spins == 2) metric_[1].push_back(1.0 / std::max(g2, 1.0));
  }
}

double Mixer::dot(const SpinCoefficients& a, const SpinCoefficients& b) const {
  return grid_.over_waves()([&](std::size_t i) {
    double sum = 0;
    for (std::size_t c = 0; c < a.size(); ++c)
      sum += metric_[c][i] * (a[c][i].real() * b[c][i].real() + a[c][i].imag() * b[c][i].imag());
    return sum;
  });
}

std::vector<double> Mixer::weights() const {
  return options_.method == MixingMethod::broyden ? broyden_weights() : pulay_weights();
}

std::vector<double> Mixer::broyden_weights() const {
  const std::size_t n = history_.size();
  std::vector<double> c(n, 0.0);
  c.front() = 1.0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    // dF = F_k - F_(k+1), history from the latest on
    const double square = products_[k][k] - 2.0 * products_[k][k + 1] + products_[k + 1][k + 1];
    if (!(square > 0)) continue;
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += c[i] * (products_[i][k] - products_[i][k + 1]);
    c[k] -= along / square;
    c[k + 1] += along / square;
  }
  return c;
}

std::vector<double> Mixer::pulay_weights() const {
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
  if (!(values[at(n - 1)] > 0)) {  // nothing has changed: the fixed point itself
    c.front() = 1.0;
    return c;
  }
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
  return spins * static_cast<double>(waves) * (sizeof(double) + 2 * pairs * sizeof(std::complex<double>));
}

void Mixer::forget_oldest() {
  history_.pop_back();
  products_.pop_back();
  for (auto& row : products_) row.pop_back();
}

/// Damps where the last change is larger than an earlier one, and lets go where changes fall fast.
void Mixer::adapt() {
  const double latest = products_.front().front();
  if (smallest_ > 0 && latest > growth * smallest_ && amplitude_ > smallest_share * options_.amplitude) {
    amplitude_ = std::max(0.5 * amplitude_, smallest_share * options_.amplitude);
    while (history_.size() > 1) forget_oldest();
    smallest_ = latest;
    return;
  }
  if (smallest_ > 0 && growth * latest < smallest_) amplitude_ = std::min(recovery * amplitude_, options_.amplitude);
  smallest_ = smallest_ > 0 ? std::min(smallest_, latest) : latest;
}

/// sum_i weight_i of the inputs or of the changes.
SpinCoefficients Mixer::combined(const std::vector<double>& weight, SpinCoefficients Pair::*part) const {
  SpinCoefficients sum;
  for (std::size_t c = 0; c < metric_.size(); ++c) {
    auto& values = sum.emplace_back(metric_[c].size());
    for (std::size_t h = 0; h < history_.size(); ++h)
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight[h] * (history_[h].*part)[c][i];
  }
  return sum;
}

SpinCoefficients Mixer::next(const SpinCoefficients& input, const SpinCoefficients& output,
                             const std::vector<double>& ldos) {
  if (static_cast<int>(history_.size()) == std::max(options_.history, 1)) forget_oldest();
  Pair& pair = history_.emplace_front(Pair{input, output});
  for (std::size_t c = 0; c < input.size(); ++c)
    for (std::size_t i = 0; i < input[c].size(); ++i) pair.change[c][i] -= input[c][i];
  std::deque<double> with_new;
  for (const Pair& old : history_) with_new.push_back(dot(old.change, pair.change));
  for (std::size_t i = 0; i < products_.size(); ++i) products_[i].push_front(with_new[i + 1]);
  products_.push_front(with_new);
  adapt();
  const std::vector<double> weight = weights();
  SpinCoefficients mixed = combined(weight, &Pair::input), change = combined(weight, &Pair::change);
  if (options_.preconditioner == PreconditionerKind::kerker)
    precondition_by_kerker(grid_.waves(), options_.k0, change[0]);
  else if (options_.preconditioner == PreconditionerKind::dielectric)
    precondition_by_dielectric(grid_.waves(), options_.epsilon, change[0]);
  else if (options_.preconditioner == PreconditionerKind::ldos)
    precondition_by_ldos(grid_, ldos, change[0]);
  if (const Index zero = grid_.waves().zero(); zero >= 0) change[0][static_cast<std::size_t>(zero)] = 0;
  for (std::size_t c = 0; c < mixed.size(); ++c)
    for (std::size_t i = 0; i < mixed[c].size(); ++i) mixed[c][i] += amplitude_ * change[c][i];
  return mixed;
}

}  // namespace wavegrid
