// A one-dimensional atom solved by the loop, the mixer and the eigensolvers that plane waves use. It shows all that a
// new discretisation has to implement: a field space and an operator. Reference: tests/reference/soft_coulomb.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/scf/make_electron_solver.hpp>
#include <wavegrid/scf/solve_scf.hpp>
#include <wavegrid/terms/hartree_term.hpp>
#include <wavegrid/terms/xc_term.hpp>

#include "dense_operator.hpp"

namespace wavegrid::test_line_atom {
namespace {

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
class LineOperator final : public KohnShamOperator<double> {
 public:
  using View = BandView<const double>;
  explicit LineOperator(const Line& line)
      : KohnShamOperator<double>({.comm = Comm::world(), .weight = line.h}, line.mine.size(), nullptr),
        line_(line),
        kinetic_(line.n, line.n) {
    const double pi = std::numbers::pi, h2 = line.h * line.h;
    for (Index i = 0; i < line.n; ++i)
      for (Index j = 0; j < line.n; ++j)
        kinetic_(i, j) = i == j ? pi * pi / (6 * h2) : ((i - j) % 2 == 0 ? 1 : -1) / (h2 * double((i - j) * (i - j)));
    Matrix<double> shifted(kinetic_);
    for (Index i = 0; i < line.n; ++i) shifted(i, i) += 1;
    inverse_ = inverted(std::move(shifted));
  }

  void set_potential(const OperatorPotential<double>& potential) override { potential_ = potential.local(); }
  void apply(View psi, BandView<double> out) override {
    multiply<double>(kinetic_, line_.mine, psi, out);
    apply_change(potential_, psi, out);
    applications_ += psi.count;
  }
  void apply_change(std::span<const double> change, View psi, BandView<double> out) override {
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < psi.rows; ++i) out.band(b)[i] += change[static_cast<std::size_t>(i)] * psi.band(b)[i];
  }
  std::vector<double> preconditioner_energies(View psi) override { return kinetic_energies(psi); }
  void precondition(std::span<const double>, BandView<double> r) override {
    Bands<double> result(r.rows, r.count);
    multiply<double>(inverse_, line_.mine, r, result.view());
    std::copy_n(result.view().data, r.rows * r.count, r.data);
  }
  void fill_random(Index key, BandView<double> psi, RandomSpectrum) override {
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < psi.rows; ++i) psi.band(b)[i] = random_at({key + b, line_.mine.begin + i});
  }
  void accumulate_density(View psi, std::span<const double> weights, std::span<double> density) override {
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < psi.rows; ++i)
        density[static_cast<std::size_t>(i)] += weights[static_cast<std::size_t>(b)] * psi.band(b)[i] * psi.band(b)[i];
  }
  std::vector<double> kinetic_energies(View psi) const override {
    Bands<double> image(psi.rows, psi.count);
    multiply<double>(kinetic_, line_.mine, psi, image.view());
    return diagonal_overlaps<double>(product(), psi, image.view());
  }
  Index applications() const override { return applications_; }

 private:
  const Line& line_;
  Matrix<double> kinetic_, inverse_;
  std::span<const double> potential_;
  Index applications_ = 0;
};

ScfResult solve_atom(int charge, int spins, Eigensolver eigensolver, MixingMethod method = MixingMethod::pulay,
                     ScfMethod scf_method = ScfMethod::mixing) {
  Line line(201, 0.2);
  FieldValues ion(static_cast<std::size_t>(line.num_points())), density(ion);
  for (Index i = 0; i < line.num_points(); ++i) {
    const double x = line.x(line.mine.begin + i);
    ion[static_cast<std::size_t>(i)] = -charge * Line::interaction(x);
    density[static_cast<std::size_t>(i)] = charge * std::exp(-x * x) / std::sqrt(std::numbers::pi);
  }
  EnergyTerms<Line>::Terms list_of_terms;
  list_of_terms.push_back(std::make_unique<HartreeTerm<Line>>(line));
  list_of_terms.push_back(std::make_unique<XcTerm<Line>>(line, Xc::parse("LDA_X_1D_SOFT+LDA_C_1D_CSC", spins, 1)));
  list_of_terms.push_back(std::make_unique<LinearTerm<Line>>("local", line, std::move(ion)));
  EnergyTerms<Line> potential(line, std::move(list_of_terms));
  LineOperator op(line);
  std::vector<std::unique_ptr<KohnShamBands<double>>> bands;
  BandList<double> list;
  for (int spin = 0; spin < spins; ++spin)
    list.push_back(bands.emplace_back(std::make_unique<KohnShamBands<double>>(0, spin, op, eigensolver)).get());
  const ProcessGroups groups(Comm::world(), {});
  const Index num_bands = charge / 2 + 1;
  const BandStart<double> start = [&](KohnShamBands<double>& of) {
    EigenState<double> state(of.op.rows(), num_bands);
    of.op.fill_random(1, state.x.view());
    apply_h_and_s<double>(of.op, state.view());
    rayleigh_ritz<double>(of.op, state);
    return state;
  };
  Density<Line> densities{{density}, {}};
  if (spins == 2) densities.n.emplace_back(density.size(), 0.0);
  const Smearing smearing =
      scf_method == ScfMethod::direct ? Smearing{SmearingKind::fixed, 0} : Smearing{SmearingKind::fermi_dirac, 1e-3};
  const Electrons electrons{static_cast<double>(charge), smearing, spins};
  ScfSystem<double, Line> system{groups, list, line, potential, electrons, {1.0}, num_bands};
  const ScfOptions options{.method = scf_method, .energy_tolerance = 1e-11, .mixer = {.method = method, .beta = 0.5}};
  const auto solver = make_electron_solver<double, Line>(system, start, options);
  return solve_scf<Line>(system.functional(), *solver, densities, options);
}

TEST(LineAtom, HasTheEnergyOfAnIndependentProgram) {
  for (const Eigensolver solver :
       {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::chebyshev, Eigensolver::rmm_diis}) {
    SCOPED_TRACE(to_string(solver));
    for (const auto& [charge, expected] : {std::pair{2, -2.20137555543}, {4, -6.76333135747}}) {
      const ScfResult result = solve_atom(charge, 1, solver);
      EXPECT_TRUE(result.converged);
      EXPECT_NEAR(result.energies.free(), expected, 1e-9) << charge << " electrons";
    }
  }
}

TEST(LineAtom, IsTheSameByDirectMinimisation) {
  for (const auto& [charge, expected] : {std::pair{2, -2.20137555543}, {4, -6.76333135747}}) {
    const ScfResult result = solve_atom(charge, 1, Eigensolver::lobpcg, MixingMethod::pulay, ScfMethod::direct);
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(result.energies.free(), expected, 1e-9) << charge << " electrons";
  }
}

TEST(LineAtom, IsTheSameWithBroydenMixingAndWithSpin) {
  EXPECT_NEAR(solve_atom(2, 1, Eigensolver::lobpcg, MixingMethod::broyden).energies.free(), -2.20137555543, 1e-9);
  const ScfResult polarised = solve_atom(2, 2, Eigensolver::lobpcg);
  EXPECT_NEAR(polarised.energies.free(), -2.20137555543, 1e-9);
  EXPECT_NEAR(polarised.magnetisation.total, 0.0, 1e-9);
}

}  // namespace
}  // namespace wavegrid::test_line_atom
