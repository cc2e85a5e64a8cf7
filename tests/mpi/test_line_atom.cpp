// A one-dimensional atom solved by the loop, the mixer and the eigensolvers that plane waves use. It shows all that a
// new discretisation has to implement: a field space and an operator. Reference: tests/reference/soft_coulomb.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "line_atom.hpp"

namespace wavegrid::test_line_atom {
namespace {

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
  LineOperator<double> op(line);
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
