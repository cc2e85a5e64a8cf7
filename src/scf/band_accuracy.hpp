// How accurate the bands of a step have to be: rounds of the eigensolver until their error is small compared with that
// of the density.
//
// The density of bands that have not converged is not that of the potential: its error is of first order in their
// residuals, and mixing takes it for the response of the electrons. A few percent of the density's error, in energy,
// are little enough (measured, decision 0013). A calculation with many bands, whose rounds cost much more than all else
// in a step, begins with three times the density's error, and becomes accurate when that fails to fall.
#pragma once

namespace wavegrid {

class BandAccuracy {
 public:
  /// `from_start`: accurate in the first steps, too. `tolerance`: of the whole loop, Ha.
  BandAccuracy(bool from_start, double tolerance) : accurate_(from_start), tolerance_(tolerance) {}

  /// Begins a step after its first round, with the error of the density then, Ha.
  void begin_step(double density_error) {
    constexpr double good_fall = 0.25;
    if (last_error_ > 0 && density_error > good_fall * last_error_) accurate_ = true;
    last_error_ = density_error;
    rounds_ = 1;
  }

  /// Whether to improve the bands once more, and counts that round. Errors in Ha.
  [[nodiscard]] bool next_round(double band_error, double density_error) {
    constexpr int most_rounds = 10;
    constexpr double share = 0.03, loose_share = 3;  // of the density's error
    constexpr double share_at_end = 0.3;             // of the tolerance
    const bool lags = band_error > (accurate_ ? share : loose_share) * density_error;
    const bool matters = band_error + density_error > tolerance_ && band_error > share_at_end * tolerance_;
    return lags && matters && ++rounds_ <= most_rounds;
  }

 private:
  bool accurate_;
  double tolerance_;
  double last_error_ = 0;
  int rounds_ = 0;
};

}  // namespace wavegrid
