// Preconditioners of density mixing on the FFT grid, and the choice between them.
#include <gtest/gtest.h>

#include <wavegrid/base/random.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/scf/choose_preconditioner.hpp>
#include <wavegrid/terms/grid_preconditioner.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_grid_preconditioner {
namespace {

const Int3 grid{7, 8, 9};

Lattice cube(double a) { return Lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}); }

/// A change of the density with all frequencies and no net charge.
GridFft::Coefficients change_on(GridSetup& setup) {
  auto change = setup.fft.to_recip(setup.field([](int x, int y, int z) { return random_at({x, y, z}); }));
  if (setup.fft.waves().zero() >= 0) change[static_cast<std::size_t>(setup.fft.waves().zero())] = 0;
  return change;
}

TEST(Preconditioner, LdosIsKerkerInAUniformMetal) {
  GridSetup setup(Scheme::balanced, skewed,
                  {7, 9, 5});  // odd sizes: there are no Nyquist planes, on which G has no partner -G
  const double k0 = 1.1;
  auto by_kerker = change_on(setup), by_ldos = by_kerker;
  precondition_by_kerker(setup.fft.waves(), k0, by_kerker);
  const std::vector<double> uniform = setup.field([=](int, int, int) { return k0 * k0 / (4 * units::pi); });
  precondition_by_ldos(setup.fft, uniform, by_ldos);
  for (std::size_t i = 0; i < by_ldos.size(); ++i) EXPECT_LT(std::abs(by_ldos[i] - by_kerker[i]), 1e-12);
}

TEST(Preconditioner, LdosInvertsItsModelWhereItVaries) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const std::vector<double> states = setup.field([](int x, int, int) { return x < 4 ? 0.1 : 0.0; });
  const auto wanted = change_on(setup);
  // F = (1 - chi v) d, the model applied to a known d.
  GridFft::Coefficients u(wanted);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double g2 = 2 * setup.fft.waves().kinetic()[i];
    u[i] = g2 > 0 ? u[i] * (4 * units::pi / g2) : 0.0;
  }
  std::vector<double> induced = setup.fft.to_real(u);
  double weighted = 0, all = 0;
  for (std::size_t i = 0; i < induced.size(); ++i) weighted += induced[i] * states[i], all += states[i];
  const double mean = setup.fft.comm().sum(weighted) / setup.fft.comm().sum(all);
  for (std::size_t i = 0; i < induced.size(); ++i) induced[i] = states[i] * (induced[i] - mean);
  GridFft::Coefficients change = setup.fft.to_recip(induced);
  for (std::size_t i = 0; i < change.size(); ++i) change[i] += wanted[i];
  precondition_by_ldos(setup.fft, states, change);
  double apart = 0, norm = 0;
  for (std::size_t i = 0; i < change.size(); ++i) {
    apart += std::norm(change[i] - wanted[i]);
    norm += std::norm(wanted[i]);
  }
  EXPECT_LT(setup.fft.comm().sum(apart), 1e-3 * setup.fft.comm().sum(norm));  // it is solved to 1%
}

TEST(Preconditioner, DielectricModelScreensLongWavelengthsOnly) {
  const Lattice lattice(cube(1000));
  const GSphere box = GSphere::box(lattice, {3, 3, 3});
  const PlaneWaves waves(box, make_partition(Scheme::greedy, box.counts(), 3, 1), 0);
  GridFft::Coefficients change(static_cast<std::size_t>(waves.size()), 1.0);
  precondition_by_dielectric(waves, 12.0, change);
  for (const auto& value : change) EXPECT_NEAR(value.real(), 1.0 / 12.0, 1e-2);
  const GSphere fine = GSphere::box(Lattice(cube(0.2)), {3, 3, 3});
  const PlaneWaves short_waves(fine, make_partition(Scheme::greedy, fine.counts(), 3, 1), 0);
  change.assign(static_cast<std::size_t>(short_waves.size()), 1.0);
  precondition_by_dielectric(short_waves, 12.0, change);
  for (Index i = 0; i < short_waves.size(); ++i) {
    if (i == short_waves.zero()) continue;
    EXPECT_NEAR(change[static_cast<std::size_t>(i)].real(), 1.0, 1e-2);
  }
}

TEST(Preconditioner, IsChosenForVacuumAndInsulators) {
  const GridSetup setup(Scheme::greedy, skewed, grid);
  const auto slab = setup.field([](int x, int, int) { return x < 4 ? 0.1 : 0.0; });
  const auto bulk = setup.field([](int x, int, int) { return x < 4 ? 0.1 : 0.05; });
  EXPECT_TRUE(has_vacuum(setup.fields, slab));
  EXPECT_FALSE(has_vacuum(setup.fields, bulk));
  EXPECT_TRUE(is_strongly_polarised(setup.fields, bulk, slab));
  EXPECT_FALSE(
      is_strongly_polarised(setup.fields, bulk, setup.field([](int x, int, int) { return x < 4 ? -0.02 : 0.0; })));
  EXPECT_EQ(choose_preconditioner(true, false, 0.1).kind, PreconditionerKind::ldos);
  EXPECT_EQ(choose_preconditioner(true, false, 0.5).kind, PreconditionerKind::none);
  EXPECT_EQ(choose_preconditioner(false, false, 0.1).kind, PreconditionerKind::kerker);
  EXPECT_EQ(choose_preconditioner(false, false, 0.5).kind, PreconditionerKind::kerker);
  EXPECT_EQ(choose_preconditioner(false, false, 0.5, true).kind, PreconditionerKind::kerker);
  EXPECT_EQ(choose_preconditioner(false, false, 0.7, true).kind, PreconditionerKind::none);
  EXPECT_EQ(choose_preconditioner(true, true, 0.1).kind, PreconditionerKind::none);
  EXPECT_EQ(choose_preconditioner(false, true, 0.1).kind, PreconditionerKind::dielectric);
}

}  // namespace
}  // namespace wavegrid::test_grid_preconditioner
