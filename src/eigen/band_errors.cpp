#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <wavegrid/eigen/band_errors.hpp>

namespace wavegrid {

BandErrors::BandErrors(const std::vector<double>& values, const std::vector<double>& occupations, Residuals residuals)
    : residuals_(std::move(residuals)) {
  constexpr double nearly_empty = 0.01;  // of the most occupied band
  constexpr double stretch = 5.0;
  const double min_gap = residuals_.min_gap;
  double most = 0;
  for (const double f : occupations) most = std::max(most, std::abs(f));
  const bool has_empty = !values.empty() && std::abs(occupations.back()) <= nearly_empty * most;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double above = has_empty ? stretch * (values.back() - values[i]) : min_gap;
    const double distance = std::min(min_gap, std::max(above, std::sqrt(residuals_.squares[i])));
    const double nearer = distance > 0 ? min_gap / distance : 1.0;
    errors_.push_back(std::abs(occupations[i]) * residuals_.value_errors[i] * nearer);
  }
}

double BandErrors::total() const { return std::accumulate(errors_.begin(), errors_.end(), 0.0); }

LockBounds BandErrors::bounds(double each) const {
  LockBounds squares;
  for (std::size_t i = 0; i < errors_.size(); ++i)
    squares.push_back(errors_[i] > 0 ? residuals_.squares[i] * (each / errors_[i])
                                     : std::numeric_limits<double>::infinity());
  return squares;
}

}  // namespace wavegrid
