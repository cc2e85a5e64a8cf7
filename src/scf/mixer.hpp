// Density mixing from the history of earlier steps, preconditioned and damped.
//
//   rho_next = sum_i c_i rho_i + beta P sum_i c_i F_i,   F = rho_out - rho_in,   sum_i c_i = 1
//
// Pulay's direct inversion in the iterative subspace takes the c that minimise |sum_i c_i F_i|. Broyden's second method
// applies a rank-one update to the inverse Jacobian -beta P for each difference of consecutive steps; for the latest F,
// each update removes the component along its difference, beginning with the latest difference.
//
// P is the preconditioner of the space. A magnetisation is mixed along with the electrons, with the same c_i; it is not
// screened as charge is, so its P is 1. A kinetic-energy density is treated likewise, and does not enter the products;
// so are matrices rho_ij, whose interaction does.
// The mixing parameter beta is halved when F grows; it returns to its initial value as F decreases. The history is kept
// then: a step that went too far says how far the next one may go.
//
// Bands that have not converged leave an error in F. Pulay's method minimises |sum_i c_i F_i|^2 + sum_i c_i^2 s_i,
// where s_i is 0.3 of the square of that error: steps with poor bands get small weights.
//
// P. Pulay, Chem. Phys. Lett. 73, 393 (1980), 10.1016/0009-2614(80)80396-4; C. G. Broyden, Math. Comp. 19, 577 (1965),
// 10.1090/S0025-5718-1965-0198670-6, Eq. (4.5); G. P. Srivastava, J. Phys. A 17, L317
// (1984), 10.1088/0305-4470/17/6/002.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/scf/mixing_weights.hpp>

namespace wavegrid {

enum class MixingMethod { pulay, broyden };

struct MixerOptions {
  MixingMethod method = MixingMethod::pulay;
  double beta = 1.0;  ///< mixing parameter
  int history = 8;    ///< 1 is linear mixing
  Preconditioner preconditioner{};
};

/// Proposes the next input from pairs of input and output.
template <MixingSpace Space>
class Mixer {
 public:
  using Field = typename Space::Field;

  /// What matrices add to the products of two changes (EnergyTerms::interaction); collective if it is.
  using Interaction = std::function<double(const SpinMatrices&, const SpinMatrices&)>;

  /// The space must outlive this object.
  Mixer(Space& space, const MixerOptions& options, Interaction interaction = {})
      : space_(&space), options_(options), interaction_(std::move(interaction)), beta_(options.beta) {}

  /// The number of pairs of fields that are kept after so many steps. Pure.
  [[nodiscard]] static int pairs_after(int steps, const MixerOptions& options) {
    return std::min(std::max(options.history, 1), steps);
  }

  [[nodiscard]] const MixerOptions& options() const { return options_; }

  /// The next input. The number of electrons stays that of `input` (Space::remove_mean); the integral of a
  /// magnetisation may change. `band_error_ratio`: the square of the error that the bands leave in F, over |F|^2.
  /// `ldos`: for that preconditioner alone. Collective over the space.
  [[nodiscard]] Density<Space> next(const Density<Space>& input, const Density<Space>& output,
                                    double band_error_ratio = 0, const FieldValues& ldos = {}) {
    remember(input, output, band_error_ratio);
    adapt();
    const std::vector<double> weights =
        options_.method == MixingMethod::broyden ? broyden_weights(products_) : pulay_weights(products_, noise_);
    Density<Space> mixed = combined(weights, &Pair::input), change = combined(weights, &Pair::change);
    space_->precondition(options_.preconditioner, ldos, change.n[0]);
    space_->remove_mean(change.n[0]);
    add(beta_, change, mixed);
    return mixed;
  }

  /// Whether next() used the response in earlier steps, in addition to the preconditioner.
  [[nodiscard]] bool knows_response() const { return history_.size() > 1; }

  /// The largest ratio of a change of the input, since an earlier step, to the change of F that it made: how much
  /// larger than F the way to the fixed point may be. 1 or less where electrons screen a change, large along a mode to
  /// which they hardly answer; 0 without earlier steps. Collective over the space.
  [[nodiscard]] double slowness() {
    double largest = 0;
    for (std::size_t h = 1; h < history_.size(); ++h) {
      Density<Space> moved = history_.front().input;
      add(-1.0, history_[h].input, moved);
      double square = space_->mixing_products(moved.n, {&moved.n}).front();
      if (interaction_) square += interaction_(moved.matrices, moved.matrices);
      const double answer = products_[0][0] - 2 * products_[0][h] + products_[h][h];
      if (square > 0 && answer > 0) largest = std::max(largest, square / answer);
    }
    return std::sqrt(largest);
  }

  /// Begins anew with other options.
  void restart(const MixerOptions& options) { *this = Mixer(*space_, options, interaction_); }

  /// Drops the latest pair: its input will be evaluated again.
  void forget_latest() {
    if (history_.empty()) return;
    history_.pop_front();
    products_.pop_front();
    noise_.pop_front();
    for (auto& row : products_) row.pop_front();
  }

 private:
  struct Pair {
    Density<Space> input, change;
  };

  void remember(const Density<Space>& input, const Density<Space>& output, double band_error_ratio) {
    constexpr double share = 0.3;  // results are nearly the same for 0.3 and 1
    if (static_cast<int>(history_.size()) == std::max(options_.history, 1)) drop_oldest();
    Pair& pair = history_.emplace_front(Pair{input, output});
    add(-1.0, input, pair.change);
    std::vector<const SpinComponents<Space>*> changes;
    for (const Pair& each : history_) changes.push_back(&each.change.n);
    std::vector<double> with_new = space_->mixing_products(pair.change.n, changes);
    for (std::size_t i = 0; interaction_ && i < history_.size(); ++i)
      with_new[i] += interaction_(pair.change.matrices, history_[i].change.matrices);
    for (std::size_t i = 0; i < products_.size(); ++i) products_[i].push_front(with_new[i + 1]);
    products_.emplace_front(with_new.begin(), with_new.end());
    noise_.push_front(share * band_error_ratio * with_new.front());
  }

  void drop_oldest() {
    history_.pop_back();
    products_.pop_back();
    noise_.pop_back();
    for (auto& row : products_) row.pop_back();
  }

  /// Damps if the last change is much larger than an earlier one, and returns to the initial parameter as changes
  /// decrease.
  void adapt() {
    constexpr double growth = 4.0;           // at this ratio of |F|^2 to its smallest value the parameter is halved
    constexpr double smallest_share = 0.05;  // lower bound, in units of the initial parameter
    constexpr double recovery = 1.25;        // factor of the parameter in a step in which |F|^2 falls to a quarter
    const double latest = products_.front().front();
    if (smallest_ > 0 && latest > growth * smallest_ && beta_ > smallest_share * options_.beta) {
      beta_ = std::max(0.5 * beta_, smallest_share * options_.beta);
      smallest_ = latest;
      return;
    }
    if (smallest_ > 0 && growth * latest < smallest_) beta_ = std::min(recovery * beta_, options_.beta);
    smallest_ = smallest_ > 0 ? std::min(smallest_, latest) : latest;
  }

  /// sum_i weight_i of the inputs or of the changes.
  [[nodiscard]] Density<Space> combined(const std::vector<double>& weights, Density<Space> Pair::*part) const {
    Density<Space> sum;
    for (const Field& latest : (history_.front().*part).n) sum.n.emplace_back(latest.size());
    for (const Field& latest : (history_.front().*part).tau) sum.tau.emplace_back(latest.size());
    sum.matrices = zeros_like((history_.front().*part).matrices);
    for (std::size_t h = 0; h < history_.size(); ++h) add(weights[h], history_[h].*part, sum);
    return sum;
  }
  /// sum += factor * density
  static void add(double factor, const Density<Space>& density, Density<Space>& sum) {
    add(factor, density.n, sum.n);
    add(factor, density.tau, sum.tau);
    wavegrid::add(factor, density.matrices, sum.matrices);
  }
  static void add(double factor, const SpinComponents<Space>& fields, SpinComponents<Space>& sum) {
    for (std::size_t c = 0; c < sum.size(); ++c)
      for (std::size_t i = 0; i < sum[c].size(); ++i) sum[c][i] += factor * fields[c][i];
  }

  Space* space_;
  MixerOptions options_;
  Interaction interaction_;
  double beta_;
  double smallest_ = 0;  ///< |F|^2 since the parameter was last changed; 0 at the start
  std::deque<Pair> history_;
  MixingProducts products_;   ///< <F_i|F_j>
  std::deque<double> noise_;  ///< s_i
};

}  // namespace wavegrid
