// A one-dimensional system in sinc functions: a field space and an operator of its own, all that the loop and the
// propagator need of a discretisation. `T` is the scalar of the bands.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/scf/make_electron_solver.hpp>
#include <wavegrid/scf/solve_scf.hpp>
#include <wavegrid/terms/hartree_term.hpp>
#include <wavegrid/terms/xc_term.hpp>

#include "dense_operator.hpp"

namespace wavegrid::test_line_atom {

/// Points x = h (i - (n-1)/2), in blocks over the ranks; functions are their values at them.
class Line {
 public:
  using Field = FieldValues;
  static constexpr int dimensions = 1;
  static constexpr bool finite_differences = false;

  Line(Index points, double spacing)
      : n(points), h(spacing), mine(block_of_rows(points)), slopes_(points, points), coulomb_(points, points) {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        slopes_(i, j) = i == j ? 0 : ((i - j) % 2 == 0 ? 1 : -1) / (h * static_cast<double>(i - j));
        coulomb_(i, j) = h * interaction(x(i) - x(j));
      }
  }
  static double interaction(double x) { return 1 / std::sqrt(x * x + 1); }
  double x(Index i) const { return h * (static_cast<double>(i) - 0.5 * static_cast<double>(n - 1)); }

  Index num_points() const { return mine.size(); }
  double integrate(auto term) const {
    double sum = 0;
    for (Index i = 0; i < mine.size(); ++i) sum += term(static_cast<std::size_t>(i));
    return h * Comm::world().sum(sum);
  }
  Field to_field(const FieldValues& values) { return values; }
  FieldValues to_values(const Field& field) { return field; }
  double inner_product(const Field& a, const Field& b) const {
    return integrate([&](std::size_t i) { return a[i] * b[i]; });
  }
  std::vector<FieldValues> gradient(const Field& field) { return {times(slopes_, field)}; }
  FieldValues divergence(std::span<const FieldValues> field) { return times(slopes_, field[0]); }
  Field laplacian(const Field& field) { return times(slopes_, times(slopes_, field)); }
  Field coulomb_potential(const Field& density) const { return times(coulomb_, density); }
  double coulomb_energy(const Field& density) const { return 0.5 * inner_product(density, times(coulomb_, density)); }
  double change_energy(const std::vector<Field>& change) const {
    return coulomb_energy(change[0]) + (change.size() == 2 ? inner_product(change[1], change[1]) : 0);
  }
  bool has_symmetry() const { return false; }
  void symmetrise(Field&) {}
  std::vector<double> mixing_products(const std::vector<Field>& a,
                                      const std::vector<const std::vector<Field>*>& others) const {
    std::vector<double> products;
    for (const std::vector<Field>* other : others) {
      double& sum = products.emplace_back(0);
      for (std::size_t c = 0; c < a.size(); ++c) sum += inner_product(a[c], (*other)[c]);
    }
    return products;
  }
  void precondition(const Preconditioner&, const FieldValues&, Field&) {}
  void remove_mean(Field&) const {}
  FieldValues to_operators(const FieldValues& values) { return values; }
  FieldValues sum_over_operators(const FieldValues& part) { return part; }

  const Index n;
  const double h;
  const Range mine;

 private:
  FieldValues times(const Matrix<double>& m, const Field& field) const {
    FieldValues result(field.size());
    multiply<double>(m, mine, {field.data(), mine.size(), 1}, {result.data(), mine.size(), 1});
    return result;
  }
  Matrix<double> slopes_, coulomb_;
};

/// -1/2 d^2/dx^2 + V(x) in sinc functions.
template <class T>
class LineOperator final : public KohnShamOperator<T> {
 public:
  using View = BandView<const T>;
  explicit LineOperator(const Line& line)
      : KohnShamOperator<T>({.comm = Comm::world(), .weight = line.h}, line.mine.size(), nullptr), line_(line) {
    Matrix<double> kinetic(line.n, line.n);
    const double pi = std::numbers::pi, h2 = line.h * line.h;
    for (Index i = 0; i < line.n; ++i)
      for (Index j = 0; j < line.n; ++j)
        kinetic(i, j) = i == j ? pi * pi / (6 * h2) : ((i - j) % 2 == 0 ? 1 : -1) / (h2 * double((i - j) * (i - j)));
    kinetic_ = converted<T>(kinetic);
    for (Index i = 0; i < line.n; ++i) kinetic(i, i) += 1;
    inverse_ = converted<T>(inverted(std::move(kinetic)));
  }

  void set_potential(const OperatorPotential<double>& potential) override { potential_ = potential.local(); }
  void apply(View psi, BandView<T> out) override {
    multiply<T>(kinetic_, line_.mine, psi, out);
    apply_change(potential_, psi, out);
    applications_ += psi.count;
  }
  void apply_change(std::span<const double> change, View psi, BandView<T> out) override {
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < psi.rows; ++i) out.band(b)[i] += change[static_cast<std::size_t>(i)] * psi.band(b)[i];
  }
  std::vector<double> preconditioner_energies(View psi) override { return kinetic_energies(psi); }
  void precondition(std::span<const double>, BandView<T> r) override {
    Bands<T> result(r.rows, r.count);
    multiply<T>(inverse_, line_.mine, r, result.view());
    std::copy_n(result.view().data, r.rows * r.count, r.data);
  }
  void fill_random(Index key, BandView<T> psi, RandomSpectrum) override {
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < psi.rows; ++i) psi.band(b)[i] = random_at({key + b, line_.mine.begin + i});
  }
  void accumulate_density(View psi, std::span<const double> weights, std::span<double> density) override {
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < psi.rows; ++i)
        density[static_cast<std::size_t>(i)] += weights[static_cast<std::size_t>(b)] * std::norm(psi.band(b)[i]);
  }
  std::vector<double> kinetic_energies(View psi) const override {
    Bands<T> image(psi.rows, psi.count);
    multiply<T>(kinetic_, line_.mine, psi, image.view());
    return diagonal_overlaps<T>(this->product(), psi, image.view());
  }
  Index applications() const override { return applications_; }

 private:
  const Line& line_;
  Matrix<T> kinetic_, inverse_;
  std::span<const double> potential_;
  Index applications_ = 0;
};

}  // namespace wavegrid::test_line_atom
