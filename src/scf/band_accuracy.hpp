// How accurate the bands of a step have to be: rounds of the eigensolver until their error is small compared with that
// of the density.
//
// The density of bands that have not converged is not that of the potential: its error is of first order in their
// residuals, and mixing takes it for the response of the electrons. A few percent of the density's error, in energy,
// are little enough in the first steps, less where the density's error fails to fall (measured, decision 0013). A
// calculation with many bands, whose rounds cost much more than all else in a step, begins with bands as bad as the
// density.
#pragma once

namespace wavegrid {

class BandAccuracy {
 public:
  /// `many_bands`: little accuracy in the first steps. `tolerance`: of the whole loop, Ha.
  BandAccuracy(bool many_bands, double tolerance) : share_(many_bands ? 1.0 : 0.05), tolerance_(tolerance) {}

  /// Begins a step after its first round, with the error of the density then, Ha.
  void begin_step(double density_error) {
    constexpr double good_fall = 0.25;
    constexpr double small_share = 0.004;
    if (last_error_ > 0 && density_error > good_fall * last_error_) share_ = small_share;
    slow_steps_ = last_error_ > 0 && density_error > 0.5 * last_error_ ? slow_steps_ + 1 : 0;
    slow_ = slow_ || slow_steps_ >= 3;
    last_error_ = density_error;
    rounds_ = 1;
  }

  /// Whether the density's error has once not halved for several steps.
  [[nodiscard]] bool is_slow() const { return slow_; }

  /// Whether to improve the bands once more, and counts that round. Errors in Ha.
  [[nodiscard]] bool next_round(double band_error, double density_error) {
    constexpr int most_rounds = 10;
    constexpr double share_at_end = 0.3;  // of the tolerance
    constexpr double good_density =
        3;  // tolerances: mixing will leave less than one, and a step costs more than a round
    const bool alone = density_error < good_density * tolerance_ && band_error > 0.6 * tolerance_;
    const bool lags = alone || band_error > share_ * density_error;
    const bool matters =
        band_error + density_error > tolerance_ && (is_slow() || band_error > share_at_end * tolerance_);
    return lags && matters && ++rounds_ <= most_rounds;
  }

 private:
  double share_;  ///< of the density's error, which the bands' error may be
  double tolerance_;
  double last_error_ = 0;
  int rounds_ = 0, slow_steps_ = 0;
  bool slow_ = false;
};

}  // namespace wavegrid
