#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/linalg/subspace.hpp>
#include <wavegrid/propagation/generalised.hpp>
#include <wavegrid/propagation/implicit_midpoint.hpp>

namespace wavegrid {

using Complex = std::complex<double>;
using View = BandView<Complex>;
using ConstView = BandView<const Complex>;

namespace {

constexpr std::size_t most_directions = 10;

Matrix<Complex> product_of(const Matrix<Complex>& a, char op_b, const Matrix<Complex>& b) {
  const Index n = a.rows();
  Matrix<Complex> c(n, n);
  lapack::gemm<Complex>('N', op_b, n, n, n, Complex(1), a.data(), n, b.data(), n, Complex(0), c.data(), n);
  return c;
}

/// The residuals of bands, and the energies of a Ritz step in them.
class Equation {
 public:
  Equation(BandOperator<Complex>& op, double timestep, ConstView begin)
      : op_(op), timestep_(timestep), begin_(op, begin), energies_(static_cast<std::size_t>(begin.count)) {}

  /// residual = S begin - S y - i dt/2 (1 - P) H y.
  void residual(ConstView y, View residual) {
    const OverlapProduct sy(op_, y);
    op_.apply(y, residual);
    overlaps_ = overlap<Complex>(op_.product(), y, sy.view());
    Matrix<Complex> h = overlap<Complex>(op_.product(), y, std::as_const(residual));
    for (Index b = 0; b < y.count; ++b)
      energies_[static_cast<std::size_t>(b)] = h(b, b).real() / overlaps_(b, b).real();
    ritz_ = solve_subspace<Complex>(op_.product(), h, overlaps_, y.count);
    if (!ritz_.definite) throw internal_error("an implicit step in time has made its bands linearly dependent");
    // -P H y = -S y V V^H (y^H H y)
    const Matrix<Complex> inverse = product_of(ritz_.vectors, 'C', ritz_.vectors);
    Matrix<Complex> inside = product_of(inverse, 'N', h);
    for (Complex& element : inside.elements()) element = -element;
    rotate<Complex>(op_.product(), sy.view(), inside, residual, true);
    const Complex factor(0, -0.5 * timestep_);
    const Index size = y.rows * y.count;
    const Complex *const from = begin_.view().data, *const at = sy.view().data;
    for (Index i = 0; i < size; ++i) residual.data[i] = from[i] - at[i] + factor * residual.data[i];
    ++applications_;
  }
  [[nodiscard]] Matrix<Complex> turn() const {
    Matrix<Complex> turned = ritz_.vectors;
    for (Index j = 0; j < turned.columns(); ++j)
      for (Index i = 0; i < turned.rows(); ++i)
        turned(i, j) *= std::polar(1.0, -timestep_ * ritz_.values[static_cast<std::size_t>(j)]);
    return product_of(product_of(turned, 'C', ritz_.vectors), 'N', overlaps_);
  }
  void precondition(View residual) { op_.precondition_step(0.5 * timestep_, energies_, residual); }
  [[nodiscard]] int applications() const { return applications_; }

 private:
  BandOperator<Complex>& op_;
  double timestep_;
  OverlapProduct begin_;  ///< S psi(t)
  Matrix<Complex> overlaps_;
  SubspaceSolution<Complex> ritz_;
  std::vector<double> energies_;
  int applications_ = 0;
};

void subtract(ConstView x, std::vector<Complex> factors, View y) {
  for (Complex& factor : factors) factor = -factor;
  add_scaled<Complex>(x, factors.data(), y);
}

double largest(const InnerProduct& product, ConstView residual) {
  const std::vector<double> squares = squared_norms<Complex>(product, residual);
  return std::sqrt(*std::ranges::max_element(squares));
}

/// A change of the bands, and the decrease of the residual by it, of norm 1.
struct Direction {
  Bands<Complex> change, decrease;
};

}  // namespace

double midpoint_bytes(Index rows, Index bands, Index sets) {
  return (2.0 * (most_directions + 2) + 2.0 * static_cast<double>(sets)) * Bands<Complex>::bytes(rows, bands);
}

MidpointSolution solve_midpoint(BandOperator<Complex>& op, double timestep, double tolerance, int most, ConstView begin,
                                View middle) {
  const InnerProduct& product = op.product();
  const Index rows = begin.rows, bands = begin.count;
  if (bands == 0) return {};
  Equation equation(op, timestep, begin);
  Bands<Complex> residual(rows, bands), step(rows, bands);
  equation.residual(middle, residual.view());
  double error = largest(product, std::as_const(residual).view());
  std::deque<Direction> directions;
  while (error > tolerance && equation.applications() < most) {
    const View r = residual.view(), p = step.view();
    std::copy_n(r.data, rows * bands, p.data);
    equation.precondition(p);
    for (Index i = 0; i < rows * bands; ++i) middle.data[i] += p.data[i];
    Direction next{Bands<Complex>(rows, bands), Bands<Complex>(rows, bands)};
    std::copy_n(p.data, rows * bands, next.change.view().data);
    std::copy_n(r.data, rows * bands, next.decrease.view().data);
    equation.residual(middle, r);
    for (Index i = 0; i < rows * bands; ++i) next.decrease.view().data[i] -= r.data[i];
    // r was orthogonal to earlier decreases: what they take from it now is what they take from the last one, too.
    for (const Direction& one : directions) {
      const ConstView change = one.change.view(), decrease = one.decrease.view();
      std::vector<Complex> share = pair_overlaps<Complex>(product, decrease, std::as_const(next.decrease).view());
      subtract(change, share, next.change.view());
      subtract(decrease, share, next.decrease.view());
      share = pair_overlaps<Complex>(product, decrease, std::as_const(residual).view());
      add_scaled<Complex>(change, share.data(), middle);
      subtract(decrease, share, r);
    }
    const std::vector<double> squares = squared_norms<Complex>(product, std::as_const(next.decrease).view());
    divide_by_norms<Complex>(squares, next.change.view());
    divide_by_norms<Complex>(squares, next.decrease.view());
    const std::vector<Complex> share =
        pair_overlaps<Complex>(product, std::as_const(next.decrease).view(), std::as_const(residual).view());
    add_scaled<Complex>(std::as_const(next.change).view(), share.data(), middle);
    subtract(std::as_const(next.decrease).view(), share, r);
    if (directions.size() == most_directions) directions.pop_front();
    directions.push_back(std::move(next));
    error = largest(product, std::as_const(residual).view());
  }
  return {error, equation.applications(), equation.turn()};
}

void leave_midpoint(BandOperator<Complex>& op, ConstView begin, ConstView middle, View end) {
  const InnerProduct& product = op.product();
  for (Index i = 0; i < end.rows * end.count; ++i) end.data[i] = 2.0 * middle.data[i] - begin.data[i];
  // end (1 + D/2) with D = begin^H S begin - end^H S end
  const auto overlaps = [&](ConstView x) { return overlap<Complex>(product, x, OverlapProduct(op, x).view()); };
  const Matrix<Complex> wanted = overlaps(begin), found = overlaps(end);
  Matrix<Complex> correction(end.count, end.count);
  for (Index j = 0; j < end.count; ++j)
    for (Index i = 0; i < end.count; ++i) correction(i, j) = (i == j ? 1.0 : 0.0) + 0.5 * (wanted(i, j) - found(i, j));
  rotate_in_place<Complex>(product, end, correction);
}

}  // namespace wavegrid
