#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/response/conduction_equations.hpp>

namespace wavegrid {

namespace {

constexpr int most_steps = 1000;

/// y = H x - e x.
template <class S>
void apply_shifted(BandOperator<S>& op, std::span<const double> energies, BandView<const S> x, BandView<S> y) {
  op.apply(x, y);
  std::vector<S> factors;
  for (const double energy : energies) factors.push_back(S(-energy));
  add_scaled<S>(x, factors.data(), y);
}

/// direction = preconditioned + ratio direction.
template <class S>
void next_directions(BandView<const S> preconditioned, const std::vector<double>& ratios, BandView<S> directions) {
  for (Index b = 0; b < directions.count; ++b) {
    const S ratio(ratios[static_cast<std::size_t>(b)]);
    S* const to = directions.band(b);
    const S* const from = preconditioned.band(b);
    for (Index i = 0; i < directions.rows; ++i) to[i] = from[i] + ratio * to[i];
  }
}

}  // namespace

template <class S>
int solve_among_empty(BandOperator<S>& op, BandView<const S> occupied, std::span<const double> energies,
                      BandView<const S> rhs, BandView<S> x, double tolerance) {
  if (x.count == 0) return 0;
  const InnerProduct& product = op.product();
  const auto count = static_cast<std::size_t>(x.count);
  const auto size = x.rows * x.count;
  Bands<S> residual(x.rows, x.count), z(x.rows, x.count), direction(x.rows, x.count), image(x.rows, x.count);
  const std::vector<double> levels = op.preconditioner_energies(occupied);
  apply_shifted<S>(op, energies, x, residual.view());
  for (Index i = 0; i < size; ++i) residual.view().data[i] = rhs.data[i] - residual.view().data[i];
  std::fill_n(direction.view().data, size, S(0));
  std::vector<double> before(count, 0.0);
  for (int step = 1;; ++step) {
    project_off<S>(product, occupied, residual.view());
    const std::vector<double> squares = squared_norms<S>(product, std::as_const(residual).view());
    if (std::ranges::all_of(squares, [&](double square) { return square <= tolerance * tolerance; })) return step;
    if (step > most_steps)
      throw bad_input("the response of the bands has not converged in " + std::to_string(most_steps) +
                      " steps; valid: an insulator");
    std::copy_n(residual.view().data, size, z.view().data);
    op.precondition(levels, z.view());
    project_off<S>(product, occupied, z.view());
    const std::vector<double> now = diagonal_overlaps<S>(product, std::as_const(residual).view(), z.view());
    std::vector<double> ratios(count, 0.0);
    for (std::size_t b = 0; b < count; ++b) ratios[b] = before[b] > 0 ? now[b] / before[b] : 0.0;
    before = now;
    next_directions<S>(std::as_const(z).view(), ratios, direction.view());
    apply_shifted<S>(op, energies, std::as_const(direction).view(), image.view());
    const std::vector<double> curvatures =
        diagonal_overlaps<S>(product, std::as_const(direction).view(), std::as_const(image).view());
    std::vector<S> forward(count, S(0)), backward(count, S(0));
    for (std::size_t b = 0; b < count; ++b) {
      if (squares[b] <= 0.01 * tolerance * tolerance) continue;
      if (!(curvatures[b] > 0))
        throw bad_input("no response without a gap: empty states are not above band " + std::to_string(b + 1) +
                        "; valid: an insulator, with accurate bands");
      forward[b] = S(now[b] / curvatures[b]);
      backward[b] = -forward[b];
    }
    add_scaled<S>(std::as_const(direction).view(), forward.data(), x);
    add_scaled<S>(std::as_const(image).view(), backward.data(), residual.view());
  }
}

#define WAVEGRID_INSTANTIATE(S)                                                                                      \
  template int solve_among_empty<S>(BandOperator<S>&, BandView<const S>, std::span<const double>, BandView<const S>, \
                                    BandView<S>, double);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
