// Groups of ranks, and fields exchanged between all ranks and groups.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "fft/field_exchange.hpp"
#include "grid_bench.hpp"
#include "mpi/process_groups.hpp"
#include "scf/choose_preconditioner.hpp"
#include "terms/grid_preconditioner.hpp"

namespace wavegrid {
namespace {

const Int3 grid{7, 8, 9};

/// All divisions of the world that fit.
std::vector<GroupCounts> divisions() {
  std::vector<GroupCounts> all;
  const int size = Comm::world().size();
  for (int k = 1; k <= size; ++k)
    for (int b = 1; b <= size / k; ++b) all.push_back({k, b});
  return all;
}

TEST(ProcessGroups, GroupsAreBlocksOfRanksThatCoverTheWorld) {
  const Comm world = Comm::world();
  for (const GroupCounts& counts : divisions()) {
    const ProcessGroups levels(world, counts);
    EXPECT_GE(levels.kgroup().size(), world.size() / counts.kgroups);
    EXPECT_LE(levels.kgroup().size(), (world.size() + counts.kgroups - 1) / counts.kgroups);
    EXPECT_LE(levels.my_kgroup(), counts.kgroups - 1);
    EXPECT_LE(levels.my_bandgroup(), counts.bandgroups - 1);
    // Every group has a first rank, and no other.
    EXPECT_EQ(world.sum(levels.kgroup().rank() == 0 ? 1 : 0), counts.kgroups);
    EXPECT_EQ(world.sum(levels.bandgroup().rank() == 0 ? 1 : 0), counts.kgroups * counts.bandgroups);
    EXPECT_EQ(levels.kgroup().sum(1), levels.kgroup().size());
  }
}

TEST(ProcessGroups, WhatDoesNotFitIsRefused) {
  const int size = Comm::world().size();
  EXPECT_THROW(ProcessGroups(Comm::world(), {size + 1, 1}), Error);
  EXPECT_THROW(ProcessGroups(Comm::world(), {1, size + 1}), Error);
  EXPECT_THROW(ProcessGroups(Comm::world(), {0, 1}), Error);
}

double label(int x, int y, int z) { return 1 + z + 10 * y + 100 * x; }

TEST(FieldExchange, EveryGroupGetsTheWholeFieldAndTheirSumComesBack) {
  for (const GroupCounts& counts : divisions()) {
    const ProcessGroups levels(Comm::world(), counts);
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic}) {
      const Bench whole(Scheme::greedy, skewed, grid);
      const Bench part(scheme, skewed, grid, levels.bandgroup());
      FieldExchange fields(Comm::world(), whole.layout, part.layout, Transport::pairwise);
      EXPECT_EQ(fields.to_groups(whole.field(label)), part.field(label));
      const int group = levels.my_kgroup() * counts.bandgroups + levels.my_bandgroup();
      const std::vector<double> sum =
          fields.sum_of_groups(part.field([&](int x, int y, int z) { return (group + 1) * label(x, y, z); }));
      const int groups = counts.kgroups * counts.bandgroups;
      EXPECT_EQ(sum, whole.field([&](int x, int y, int z) { return groups * (groups + 1) / 2 * label(x, y, z); }));
    }
  }
}

TEST(FieldExchange, AWholeFieldIsGatheredOnTheFirstRank) {
  const Bench bench(Scheme::balanced, skewed, grid);
  const std::vector<double> all = gather_field(Comm::world(), bench.layout, bench.field(label));
  if (Comm::world().rank() != 0) {
    EXPECT_TRUE(all.empty());
    return;
  }
  ASSERT_EQ(all.size(), 7u * 8u * 9u);
  std::size_t i = 0;
  for (int x = 0; x < 7; ++x)
    for (int y = 0; y < 8; ++y)
      for (int z = 0; z < 9; ++z) EXPECT_EQ(all[i++], label(x, y, z));
}

/// A change of the density with all frequencies and no net charge.
GridFft::Coefficients change_on(Bench& bench) {
  auto change = bench.fft.to_recip(bench.field([](int x, int y, int z) { return random_at({x, y, z}); }));
  if (bench.fft.waves().zero() >= 0) change[static_cast<std::size_t>(bench.fft.waves().zero())] = 0;
  return change;
}

TEST(Preconditioner, LdosIsKerkerInAUniformMetal) {
  Bench bench(Scheme::balanced, skewed, {7, 9, 5});  // odd: on Nyquist planes -G is not there to make u real
  const double k0 = 1.1;
  auto by_kerker = change_on(bench), by_ldos = by_kerker;
  precondition_by_kerker(bench.fft.waves(), k0, by_kerker);
  const std::vector<double> uniform = bench.field([=](int, int, int) { return k0 * k0 / (4 * units::pi); });
  precondition_by_ldos(bench.fft, uniform, by_ldos);
  for (std::size_t i = 0; i < by_ldos.size(); ++i) EXPECT_LT(std::abs(by_ldos[i] - by_kerker[i]), 1e-12);
}

TEST(Preconditioner, LdosInvertsItsModelWhereItVaries) {
  Bench bench(Scheme::greedy, skewed, grid);
  const std::vector<double> states = bench.field([](int x, int, int) { return x < 4 ? 0.1 : 0.0; });
  const auto wanted = change_on(bench);
  // F = (1 - chi v) d: the model applied to a known d.
  GridFft::Coefficients u(wanted);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double g2 = 2 * bench.fft.waves().kinetic()[i];
    u[i] = g2 > 0 ? u[i] * (4 * units::pi / g2) : 0.0;
  }
  std::vector<double> induced = bench.fft.to_real(u);
  double weighted = 0, all = 0;
  for (std::size_t i = 0; i < induced.size(); ++i) weighted += induced[i] * states[i], all += states[i];
  const double mean = bench.fft.comm().sum(weighted) / bench.fft.comm().sum(all);
  for (std::size_t i = 0; i < induced.size(); ++i) induced[i] = states[i] * (induced[i] - mean);
  GridFft::Coefficients change = bench.fft.to_recip(induced);
  for (std::size_t i = 0; i < change.size(); ++i) change[i] += wanted[i];
  precondition_by_ldos(bench.fft, states, change);
  double apart = 0, norm = 0;
  for (std::size_t i = 0; i < change.size(); ++i) {
    apart += std::norm(change[i] - wanted[i]);
    norm += std::norm(wanted[i]);
  }
  EXPECT_LT(bench.fft.comm().sum(apart), 1e-3 * bench.fft.comm().sum(norm));  // it is solved to a hundredth
}

TEST(Preconditioner, KnowsVacuumAndInsulators) {
  const Bench bench(Scheme::greedy, skewed, grid);
  const auto slab = bench.field([](int x, int, int) { return x < 4 ? 0.1 : 0.0; });
  const auto bulk = bench.field([](int x, int, int) { return x < 4 ? 0.1 : 0.05; });
  EXPECT_EQ(choose_preconditioner(bench.fields, false, slab), PreconditionerKind::ldos);
  EXPECT_EQ(choose_preconditioner(bench.fields, false, bulk), PreconditionerKind::kerker);
  EXPECT_EQ(choose_preconditioner(bench.fields, true, slab), PreconditionerKind::none);
  EXPECT_EQ(choose_preconditioner(bench.fields, true, bulk), PreconditionerKind::dielectric);
}

}  // namespace
}  // namespace wavegrid
