// Deterministic mode: the same bits on any number of ranks, rows x columns, partition and transport.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/layout/wave_blocks.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_deterministic {
namespace {

/// Four atoms of fcc aluminium, displaced so that no two states are degenerate by symmetry.
Problem displaced_aluminium() {
  const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  const double a = 7.65;
  Problem problem{
      .crystal = {Lattice({Vec3{a, 0, 0}, Vec3{0.1, a, 0}, Vec3{0, 0, a}}),
                  {"Al"},
                  {{0, {0.01, 0.02, 0}}, {0, {0, 0.49, 0.51}}, {0, {0.5, 0.03, 0.47}}, {0, {0.52, 0.5, 0}}}},
      .pseudopotentials = {std::make_shared<GthPotential>(table.find("Al"))},
      .scf = {}};
  problem.ecut = 4.0;
  problem.grid = {12, 14, 15};
  problem.bands = 10;
  problem.smearing = {SmearingKind::fermi_dirac, 0.01};
  problem.scf.energy_tolerance = 1e-6;
  problem.precision = Precision::double_only;
  problem.keep_density = true;
  problem.derivatives = {.forces = true, .stress = true};
  problem.deterministic = true;
  return problem;
}

Problem magnetic_with_kpoints() {
  Problem problem = displaced_aluminium();
  problem.mode = Mode::complex;
  problem.xc = "PBE";
  problem.kpoints = {{{0.1, 0.2, 0.3}, 0.75}, {{-0.4, 0.25, 0.0}, 0.25}};
  problem.spins = 2;
  problem.initial_magnetic_moments = {0.5, 0.2, 0.1, 0.3};
  problem.bands = 9;
  problem.scf.max_steps = 5;  // bits must agree in every step, not only at the end
  problem.band_path = {{{0.0, 0.1, 0.5}, 0}};
  return problem;
}

std::vector<double> numbers_of(const CalculationResult& result) {
  const Energies& e = result.scf.energies;
  std::vector<double> numbers{e.free()};
  for (const auto& [name, energy] : e) numbers.push_back(energy);
  numbers.push_back(result.scf.error_estimate);
  numbers.push_back(result.scf.steps);
  for (const auto* list :
       {&result.scf.eigenvalues, &result.scf.occupations, &result.scf.fermi, &result.path.eigenvalues})
    numbers.insert(numbers.end(), list->begin(), list->end());
  const auto add = [&](const auto& vectors) {
    for (const Vec3& vector : vectors) numbers.insert(numbers.end(), vector.begin(), vector.end());
  };
  if (const auto& forces = result.derivatives.forces) {
    add(forces->total);
    for (const auto& [name, part] : forces->terms) add(part);
  }
  if (const auto& stress = result.derivatives.stress) {
    add(stress->total);
    for (const auto& [name, part] : stress->terms) add(part);
  }
  return numbers;
}

/// The number of values that differ in a bit; all if the numbers of values differ.
std::size_t different_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += std::memcmp(&a[i], &b[i], sizeof(double)) != 0 ? 1 : 0;
  return different;
}

struct Run {
  const char* name;
  std::optional<GridShape> shape;
  std::optional<Scheme> scheme;
  std::optional<Transport> transport;
};

/// All shapes of the ranks, each with another scheme and transport.
std::vector<Run> runs_on(int ranks) {
  std::vector<Run> runs{{"chosen", std::nullopt, std::nullopt, std::nullopt},
                        {"greedy", std::nullopt, Scheme::greedy, Transport::pairwise}};
  const Scheme schemes[] = {Scheme::balanced, Scheme::optimized, Scheme::cyclic};
  for (int rows = 1, i = 0; rows <= ranks; ++rows)
    if (ranks % rows == 0)
      runs.push_back({"shape", GridShape{rows, ranks / rows}, schemes[i++ % 3], Transport::alltoallv});
  return runs;
}

struct Reference {
  std::vector<double> numbers;  // on all ranks
  SpinFields density;           // on rank 0
};

/// The calculation on rank 0 alone. Collective: were each rank to repeat it, they would wait for each other's
/// processor.
Reference of_one_rank(const Problem& problem) {
  const Comm world = Comm::world();
  Reference alone;
  if (world.rank() == 0) {
    const CalculationResult result = run_calculation(Comm::self(), problem);
    EXPECT_TRUE(std::isfinite(result.scf.energies.free()));
    alone = {numbers_of(result), result.density.values};
  }
  auto count = static_cast<Index>(alone.numbers.size());
  world.broadcast(std::span<Index>(&count, 1));
  alone.numbers.resize(static_cast<std::size_t>(count));
  world.broadcast(std::span<double>(alone.numbers));
  return alone;
}

void compare_with_one_rank(const Problem& problem, std::size_t most_runs) {
  const Comm world = Comm::world();
  const Reference alone = of_one_rank(problem);
  std::vector<Run> runs = runs_on(world.size());
  runs.resize(std::min(runs.size(), most_runs));
  for (const Run& run : runs) {
    Problem divided = problem;
    divided.shape = run.shape;
    divided.scheme = run.scheme;
    divided.transport = run.transport;
    const CalculationResult together = run_calculation(world, divided);
    SCOPED_TRACE(std::string(run.name) + (run.shape ? " rows " + std::to_string(run.shape->rows) : ""));
    EXPECT_EQ(different_bits(numbers_of(together), alone.numbers), 0u);
    if (world.rank() != 0) continue;
    for (std::size_t c = 0; c < alone.density.size(); ++c)
      EXPECT_EQ(different_bits(together.density.values[c], alone.density[c]), 0u);
  }
}

TEST(Deterministic, GammaGivesTheBitsOfOneRank) { compare_with_one_rank(displaced_aluminium(), 99); }

TEST(Deterministic, KPointsAndSpinsGiveTheBitsOfOneRank) { compare_with_one_rank(magnetic_with_kpoints(), 3); }

TEST(Deterministic, EigensolversGiveTheBitsOfOneRank) {
  Problem problem = displaced_aluminium();
  problem.preconditioner = PreconditionerKind::ldos;
  for (const Eigensolver solver : {Eigensolver::rmm_diis, Eigensolver::davidson, Eigensolver::chebyshev}) {
    SCOPED_TRACE(static_cast<int>(solver));
    problem.eigensolver = solver;
    compare_with_one_rank(problem, 1);
  }
  problem.mode = Mode::complex;
  problem.initial_wavefunctions = InitialWavefunctions::random;
  problem.eigensolver = Eigensolver::rmm_diis;
  problem.scf.max_steps = 6;
  compare_with_one_rank(problem, 1);
}

TEST(Deterministic, DirectMinimisationGivesTheBitsOfOneRank) {
  Problem problem = displaced_aluminium();
  problem.smearing = {SmearingKind::fixed, 0};
  problem.bands = 6;
  problem.derivatives = {};
  problem.scf.method = ScfMethod::direct;
  problem.scf.max_steps = 3;
  compare_with_one_rank(problem, 1);
}

/// With fixed numbers of k-point groups and band groups of several ranks each.
TEST(Deterministic, GroupsGiveTheirBitsOnAnyShape) {
  const Comm world = Comm::world();
  if (world.size() != 4) GTEST_SKIP() << "for 4 ranks, in groups of 1 and 2";
  Problem problem = magnetic_with_kpoints();
  for (const bool by_kpoints : {true, false}) {
    (by_kpoints ? problem.groups.kpoint_groups : problem.groups.band_groups) = 2;
    (by_kpoints ? problem.groups.band_groups : problem.groups.kpoint_groups) = 1;
    const CalculationResult four = run_calculation(world, problem);
    const CalculationResult two = run_calculation(world.split(world.rank() % 2, world.rank()), problem);
    EXPECT_EQ(different_bits(numbers_of(four), numbers_of(two)), 0u) << "k-point groups " << by_kpoints;
    for (std::size_t c = 0; world.rank() == 0 && c < two.density.values.size(); ++c)
      EXPECT_EQ(different_bits(four.density.values[c], two.density.values[c]), 0u);
  }
}

TEST(Deterministic, AgreesWithTheDefault) {
  Problem problem = displaced_aluminium();
  const double deterministic = run_calculation(Comm::world(), problem).scf.energies.free();
  problem.deterministic = false;
  EXPECT_NEAR(run_calculation(Comm::world(), problem).scf.energies.free(), deterministic, 1e-6);
}

TEST(Deterministic, RefusesMixedPrecision) {
  Problem problem = displaced_aluminium();
  problem.precision = Precision::mixed;
  EXPECT_THROW((void)run_calculation(Comm::world(), problem), Error);
}

TEST(Deterministic, OrderedSumDoesNotDependOnTheRanks) {
  // 13 parts of very different size: any other order of addition gives another result.
  constexpr Index parts = 13, length = 5;
  const auto value = [](Index part, Index i) {
    return std::ldexp(random_at({part, i}), static_cast<int>(7 * part % 50));
  };
  const auto sum_over = [&](const Comm& comm, std::vector<Index> starts) {
    std::vector<double> result(length, std::numeric_limits<double>::quiet_NaN());
    const OrderedSum sum(comm, std::move(starts));
    sum(std::span<double>(result), [&](Index part, std::span<double> out) {
      for (Index i = 0; i < length; ++i) out[static_cast<std::size_t>(i)] = value(part, i);
    });
    return result;
  };
  const Comm world = Comm::world();
  const std::vector<double> alone = sum_over(Comm::self(), {0, parts});
  for (Index i = 0; i < length; ++i) {
    double expected = 0;
    for (Index part = 0; part < parts; ++part) expected += value(part, i);
    EXPECT_NEAR(alone[static_cast<std::size_t>(i)], expected, 1e-12 * std::ldexp(1.0, 50));
  }
  for (int skew = 0; skew < 4; ++skew) {
    std::vector<Index> starts{0};
    for (int rank = 1; rank < world.size(); ++rank)
      starts.push_back(skew == 3 ? parts : std::min(parts, parts * rank * (skew + 1) / world.size()));
    starts.push_back(parts);
    EXPECT_EQ(different_bits(sum_over(world, starts), alone), 0u) << skew;
  }
}

/// Equal elements have equal sums, whether a loop handles them in its vector body or in its remainder.
template <class S>
void expect_sums_without_position(S factor, S from, S to) {
  for (Index rows = 1; rows <= 33; ++rows) {
    Bands<S> x(rows, 1), y(rows, 1);
    std::fill_n(x.view().data, rows, from);
    std::fill_n(y.view().data, rows, to);
    add_scaled<S>(std::as_const(x).view(), &factor, y.view());
    for (Index i = 1; i < rows; ++i) EXPECT_EQ(y.view().data[i], y.view().data[0]) << i << " of " << rows;
  }
}

TEST(Deterministic, ProductsDoNotDependOnThePosition) {
  for (int n = 0; n < 20; ++n) {
    const auto number = [&](Index i) { return std::complex<double>(random_at({n, i, 0}), random_at({n, i, 1})); };
    const auto single = [&](Index i) { return std::complex<float>(number(i)); };
    expect_sums_without_position<double>(number(0).real(), number(1).real(), number(2).real());
    expect_sums_without_position<float>(single(0).real(), single(1).real(), single(2).real());
    expect_sums_without_position<std::complex<double>>(number(0), number(1), number(2));
    expect_sums_without_position<std::complex<float>>(single(0), single(1), single(2));
  }
}

/// Overlaps, norms and a rotation of `rows` rows that begin at row `first` of bands with `local` rows; the others are
/// zero.
template <class S>
std::vector<double> products_of_rows(Index rows, Index first, Index local) {
  const Index count = 11;
  const auto element = [](Index i, Index band) {
    const std::complex<double> value(random_at({i, band, 0}), random_at({i, band, 1}));
    if constexpr (ScalarTraits<S>::is_real)
      return static_cast<S>(value.real());
    else
      return S(value);
  };
  Bands<S> bands(local, count), rotated(local, count);
  std::fill_n(bands.view().data, local * count, S(0));
  for (Index band = 0; band < count; ++band)
    for (Index i = 0; i < rows; ++i) bands.view().band(band)[first + i] = element(i, band);
  Matrix<S> c(count, count);
  for (Index i = 0; i < c.size(); ++i) c.data()[i] = element(i, count);

  const RowBlocks blocks{OrderedSum(Comm::self(), {0, 3}), {0, first, first + rows, local}};
  const InnerProduct product{Comm::self(), 2.0, first, std::make_shared<const RowBlocks>(blocks)};
  const BandView<const S> view = std::as_const(bands).view();
  std::vector<double> numbers = squared_norms(product, view);
  const auto keep = [&](const auto& value) {
    numbers.push_back(std::real(value));
    numbers.push_back(std::imag(value));
  };
  const Matrix<S> overlaps = overlap(product, view, view), upper = upper_overlap(product, view, view);
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i < count; ++i) keep(overlaps.data()[i + j * count]);
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i <= j; ++i) keep(upper.data()[i + j * count]);
  for (const auto& value : pair_overlaps(product, view, view)) keep(value);
  rotate(product, view, c, rotated.view());
  for (Index band = 0; band < count; ++band)
    for (Index i = 0; i < rows; ++i) keep(rotated.view().band(band)[first + i]);
  return numbers;
}

/// A block of rows has the same products wherever it lies in memory and however many rows a rank has.
template <class S>
void expect_products_without_place() {
  for (const Index rows : {1, 7, 33, 130, 601}) {
    const std::vector<double> alone = products_of_rows<S>(rows, 0, rows);
    for (Index first = 0; first < 9; ++first)
      for (const Index after : {0, 1, 700})
        EXPECT_EQ(different_bits(products_of_rows<S>(rows, first, first + rows + after), alone), 0u)
            << rows << " rows from " << first << ", " << after << " after them";
  }
}

TEST(Deterministic, ProductsDoNotDependOnThePlaceOfABlock) {
  if (Comm::world().rank() != 0) return;  // local
  expect_products_without_place<double>();
  expect_products_without_place<float>();
  expect_products_without_place<std::complex<double>>();
  expect_products_without_place<std::complex<float>>();
}

TEST(Deterministic, BlocksOfPlaneWavesCoverTheSphere) {
  const Problem problem = displaced_aluminium();
  for (const Mode mode : {Mode::gamma, Mode::complex}) {
    const GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, mode);
    const WaveBlocks blocks(sphere.counts());
    EXPECT_EQ(blocks.waves.back(), sphere.size());
    EXPECT_EQ(blocks.sticks.size(), blocks.waves.size());
    for (Index b = 0; b < blocks.count(); ++b)
      EXPECT_LT(blocks.waves[static_cast<std::size_t>(b)], blocks.waves[static_cast<std::size_t>(b + 1)]);
    EXPECT_GE(blocks.count(), 12);
    for (const int ranks : {1, 2, 3, 7, 100}) {
      const auto load = loads(blocks.partition(sphere.counts(), ranks), sphere.counts());
      EXPECT_EQ(std::accumulate(load.begin(), load.end(), Index{0}), sphere.size());
      const double mean = static_cast<double>(sphere.size()) / ranks;
      const auto most = static_cast<double>(*std::max_element(load.begin(), load.end()));
      EXPECT_TRUE(ranks > 3 || most < 1.3 * mean) << most << " of a mean of " << mean;
    }
  }
}

/// The transform of a row depends neither on its position in the batch nor on earlier plans.
TEST(Deterministic, FixedPlansTreatAllRowsAlike) {
  if (Comm::world().rank() != 0) return;  // local
  for (const int n : {1, 2, 5, 12, 15, 16, 27, 36, 48, 49, 64, 90, 97, 144}) {
    const int row = n + 3;
    for (const int count : {1, 2, 4, 8}) {
      const FftShape shape{n, count, 1, row, 1, row};
      const FftwPlan<double> plan(shape, FftDirection::backward, false, PlanEffort::fixed);
      const FftwPlan<double> other(shape, FftDirection::backward, false, PlanEffort::measure);  // creates wisdom
      const FftwPlan<double> again(shape, FftDirection::backward, false, PlanEffort::fixed);
      std::vector<std::complex<double>> in(static_cast<std::size_t>(row * count)), out(in), second(in);
      for (int t = 0; t < count; ++t)
        for (int j = 0; j < n; ++j) in[static_cast<std::size_t>(t * row + j)] = {random_at({j, 1}), random_at({j, 2})};
      plan.run(in.data(), out.data());
      again.run(in.data(), second.data());
      for (int t = 0; t < count; ++t)
        EXPECT_EQ(std::memcmp(&out[static_cast<std::size_t>(t * row)], out.data(),
                              sizeof(out[0]) * static_cast<std::size_t>(n)),
                  0);
      EXPECT_EQ(std::memcmp(out.data(), second.data(), sizeof(out[0]) * static_cast<std::size_t>(n)), 0);
    }
  }
}

}  // namespace
}  // namespace wavegrid::test_deterministic
