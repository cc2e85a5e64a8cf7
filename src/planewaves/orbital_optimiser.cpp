#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <wavegrid/planewaves/orbital_basis.hpp>
#include <wavegrid/planewaves/orbital_optimiser.hpp>

namespace wavegrid {

namespace {

/// sum_n f_n e_n.
double energy_of(std::span<const double> occupations, const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), occupations.begin(), 0.0);
}

/// What is left after decreases that shrink geometrically; `before`: the one before the last, 0 if there is none.
double remaining_after(double decrease, double before) {
  constexpr double fastest = 0.3, slowest = 0.9;
  const double q = before > 0 ? std::clamp(decrease / before, fastest, slowest) : 0.5;
  return decrease * q / (1 - q);
}

}  // namespace

template <class S>
void OrbitalOptimiser<S>::improve(std::span<const double> potential, std::span<const double> occupations, double least,
                                  int most, OrbitalStates<S>& solution) {
  if (num_occupied(occupations) == 0) return;
  double before = 0;
  for (int step = 0; step < most; ++step) {
    std::swap(gradient_, last_gradient_);
    const double kinetic = basis_.find_gradient(potential, occupations, solution, gradient_);
    update_direction(basis_.preconditioned(gradient_, metric(occupations, solution), kinetic));
    if (!(slope_ < 0)) return;
    if (length_ == 0) length_ = 1 / kinetic;
    const double decrease = search(potential, occupations, solution);
    ++steps_;
    remaining_ = remaining_after(decrease, before);
    before = decrease;
    if (decrease == 0 || (step > 0 && remaining_ < least)) return;
  }
}

template <class S>
BlockSparse<S> OrbitalOptimiser<S>::metric(std::span<const double> occupations,
                                           const OrbitalStates<S>& solution) const {
  constexpr double least = 1e-5;  // of the largest occupation
  const double most = *std::max_element(occupations.begin(), occupations.end());
  BlockSparse<S> x(basis_.overlaps());
  x.scale(static_cast<S>(1 / most));
  if (*std::min_element(occupations.begin(), occupations.end()) == most) return x;
  const Matrix<S> sc = matrix_product('N', whole_matrix(basis_.overlaps()), solution.vectors);
  std::vector<double> weights;
  for (const double f : occupations) weights.push_back(1 / std::max(f, least * most) - 1 / most);
  x.add(S(1), basis_.density_matrix(sc, weights));
  return x;
}

template <class S>
void OrbitalOptimiser<S>::update_direction(const Bands<S>& z) {
  const double square = basis_.product(gradient_, z);
  double factor = 0;  // of the last direction
  if (square_ > 0) factor = std::max(0.0, (square - basis_.product(last_gradient_, z)) / square_);
  square_ = square;
  const Index size = z.rows() * z.count();
  const S* const from = z.view().data;
  direction_.reshape(z.rows(), z.count());
  S* const d = direction_.view().data;
  if (factor > 0) {
    std::transform(from, from + size, d, d, [&](const S& x, const S& last) { return factor * last - x; });
    slope_ = basis_.product(gradient_, direction_);
    if (slope_ < 0) return;
  }
  std::transform(from, from + size, d, [](const S& x) { return -x; });
  slope_ = -square;
}

template <class S>
double OrbitalOptimiser<S>::search(std::span<const double> potential, std::span<const double> occupations,
                                   OrbitalStates<S>& solution) {
  constexpr double near_enough = 0.1, most_growth = 4, shrink = 0.25;
  constexpr int most_trials = 6;
  const double before = energy_of(occupations, solution.values);
  double at = 0;
  const auto go_to = [&](double length) {
    basis_.add(length - at, std::as_const(direction_).view());
    at = length;
    return solve_(potential);
  };
  double length = length_;
  for (int trial = 0; trial < most_trials; ++trial) {
    OrbitalStates<S> found = go_to(length);
    if (!found.definite) {
      length *= shrink;
      continue;
    }
    const double energy = energy_of(occupations, found.values);
    const double curvature = (energy - before - slope_ * length) / (length * length);
    const double lowest =
        curvature > 0 ? std::min(-0.5 * slope_ / curvature, most_growth * length) : most_growth * length;
    if (energy < before && std::abs(lowest - length) < near_enough * length) {
      solution = std::move(found);
      length_ = length;
      return before - energy;
    }
    OrbitalStates<S> better = go_to(lowest);
    const double least = better.definite ? energy_of(occupations, better.values) : before;
    if (least < before) {
      solution = std::move(better);
      length_ = lowest;
      return before - least;
    }
    length = shrink * std::min(length, lowest);
  }
  solution = go_to(0);  // at the rounding of the energy
  return 0;
}

template class OrbitalOptimiser<double>;
template class OrbitalOptimiser<std::complex<double>>;

}  // namespace wavegrid
