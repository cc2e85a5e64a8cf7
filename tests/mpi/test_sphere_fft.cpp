// SphereFft compared with FFTW on the whole grid, for every partition, transport, mode and shape.
#include <fftw3.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/fft/sphere_fft.hpp>

namespace wavegrid::test_sphere_fft {
namespace {

using Complex = std::complex<double>;

struct Case {
  const char* name;
  Mat3 cell;
  double ecut;
  Int3 grid;
  Mode mode;
  Vec3 k{0, 0, 0};
  bool threaded = false;  // only tests of threads use them: spinning threads on few cores make a test slow
};

const Mat3 cubic{Vec3{10, 0, 0}, {0, 10, 0}, {0, 0, 10}};
const Mat3 skewed{Vec3{9, 1, -2}, {0.5, 8, 1}, {-1, 2, 10}};

const Case cases[] = {
    {"even", cubic, 4.0, {18, 20, 24}, Mode::gamma},
    {"tight", cubic, 4.0, {9, 9, 9}, Mode::gamma},
    {"odd_prime", skewed, 3.0, {11, 13, 17}, Mode::gamma, {0, 0, 0}, true},
    {"odd_prime_complex", skewed, 3.0, {11, 13, 17}, Mode::complex, {0, 0, 0}, true},
    {"shifted", skewed, 3.0, {12, 15, 14}, Mode::complex, {0.25, -0.5, 0.125}},
    {"tiny", cubic, 0.25, {3, 4, 5}, Mode::gamma},
    {"single", cubic, 0.01, {1, 2, 3}, Mode::complex},
};

Complex coefficient(const Int3& g, int band, Mode mode) {
  const double re = random_at({g[0], g[1], g[2], band, 0});
  const bool real = mode == Mode::gamma && g == Int3{0, 0, 0};
  return {re, real ? 0.0 : random_at({g[0], g[1], g[2], band, 1})};
}

/// The band on the whole grid by dense FFTW, on every rank: (nx, ny, nz), z fastest.
std::vector<Complex> dense(const GSphere& sphere, int band) {
  const Int3 n = sphere.grid();
  std::vector<Complex> grid(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  const auto put = [&](const Int3& g, Complex value) {
    const int x = to_grid_index(g[0], n[0]), y = to_grid_index(g[1], n[1]), z = to_grid_index(g[2], n[2]);
    grid[static_cast<std::size_t>((x * n[1] + y) * n[2] + z)] = value;
  };
  for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick)
    for (int i = 0; i < sphere.counts().count[static_cast<std::size_t>(stick)]; ++i) {
      const Int3 g = sphere.g(stick, i);
      const Complex c = coefficient(g, band, sphere.mode());
      put(g, c);
      if (sphere.mode() == Mode::gamma) put({-g[0], -g[1], -g[2]}, std::conj(c));
    }
  auto* data = reinterpret_cast<fftw_complex*>(grid.data());
  const fftw_plan plan = fftw_plan_dft_3d(n[0], n[1], n[2], data, data, FFTW_BACKWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return grid;
}

struct Recipe {
  Scheme scheme;
  Transport transport;
  int threads;
};
const Recipe setups[] = {{Scheme::greedy, Transport::alltoallv, 1},   {Scheme::cyclic, Transport::pairwise, 2},
                         {Scheme::balanced, Transport::alltoallv, 2}, {Scheme::greedy, Transport::pairwise, 2},
                         {Scheme::balanced, Transport::pairwise, 1},  {Scheme::cyclic, Transport::alltoallv, 1},
                         {Scheme::optimized, Transport::pairwise, 1}, {Scheme::optimized, Transport::alltoallv, 2}};

/// One transform on the ranks of the world, with the data for comparison.
template <class Real>
struct BenchOf {
  GSphere sphere;
  Partition partition;
  ProcessGrid ranks;
  PlaneWaves waves;
  SphereFft<Real> fft;

  BenchOf(const Case& c, const Recipe& s, Index block = 3) : BenchOf(c, s, divide(c, s), block) {}
  BenchOf(const Case& c, const Recipe& s, Partition given, Index block = 3)
      : sphere(sphere_of(c)),
        partition(std::move(given)),
        ranks(Comm::world(), partition.shape.rows, partition.shape.columns),
        waves(sphere, partition, ranks.all().rank()),
        fft(ranks, partition, sphere, {s.transport, c.threaded ? s.threads : 1, block}) {}

  static GSphere sphere_of(const Case& c) { return {Lattice(c.cell), c.ecut, c.grid, c.mode, c.k}; }
  static Partition divide(const Case& c, const Recipe& s) {
    return make_partition(s.scheme, sphere_of(c).counts(), c.grid[0], Comm::world().size());
  }

  std::vector<std::complex<Real>> bands(int count) const {
    std::vector<std::complex<Real>> psi;
    for (int b = 0; b < count; ++b)
      for (const Int3& g : waves.g()) psi.emplace_back(coefficient(g, b, sphere.mode()));
    return psi;
  }
  /// Calls check(local index, index on the whole grid) for every point of this rank.
  template <class Check>
  void for_grid(Check check) const {
    const FftLayout& l = fft.layout();
    Index local = 0;
    for (Index x = l.x.begin; x < l.x.end; ++x)
      for (Index y = l.y.begin; y < l.y.end; ++y)
        for (Index z = 0; z < l.grid[2]; ++z) check(local++, (x * l.grid[1] + y) * l.grid[2] + z);
  }
};
using TransformSetup = BenchOf<double>;

double relative(double difference2, double norm2, const Comm& comm) {
  return std::sqrt(comm.sum(difference2) / std::max(comm.sum(norm2), 1e-300));
}

double distance(const std::vector<Complex>& a, const std::vector<Complex>& b, const Comm& comm) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference += std::norm(a[i] - b[i]), size += std::norm(b[i]);
  return relative(difference, size, comm);
}

/// Relative L2 distance of the first bands on the grid from dense FFTW. Collective.
template <class Real>
double backward_error(BenchOf<Real>& setup, int bands) {
  const auto psi = setup.bands(bands);
  std::vector<std::complex<Real>> values(static_cast<std::size_t>(bands * setup.fft.grid_size()));
  if (setup.sphere.mode() == Mode::gamma) {
    std::vector<Real> real(values.size());
    setup.fft.to_real(psi.data(), real.data(), bands);
    std::copy(real.begin(), real.end(), values.begin());
  } else {
    setup.fft.to_real(psi.data(), values.data(), bands);
  }
  double difference = 0, size = 0;
  for (int b = 0; b < bands; ++b) {
    const std::vector<Complex> whole = dense(setup.sphere, b);
    setup.for_grid([&](Index local, Index global) {
      const Complex expected = whole[static_cast<std::size_t>(global)];
      difference += std::norm(Complex(values[static_cast<std::size_t>(b * setup.fft.grid_size() + local)]) - expected);
      size += std::norm(expected);
    });
  }
  return relative(difference, size, Comm::world());
}

/// Relative L2 distance of forward(potential * backward(psi)) from the same by dense FFTW. Collective.
template <class Real>
double product_error(BenchOf<Real>& setup, int bands) {
  const auto psi = setup.bands(bands);
  std::vector<std::complex<Real>> out(psi.size());
  std::vector<Real> potential(static_cast<std::size_t>(setup.fft.grid_size()));
  setup.for_grid([&](Index local, Index global) {
    potential[static_cast<std::size_t>(local)] = static_cast<Real>(random_at({global}));
  });
  setup.fft.apply_local(psi.data(), potential.data(), out.data(), bands);
  const Int3 n = setup.sphere.grid();
  double difference = 0, size = 0;
  for (int b = 0; b < bands; ++b) {
    std::vector<Complex> whole = dense(setup.sphere, b);
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] *= random_at({static_cast<Index>(i)});
    auto* data = reinterpret_cast<fftw_complex*>(whole.data());
    const fftw_plan plan = fftw_plan_dft_3d(n[0], n[1], n[2], data, data, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    for (Index i = 0; i < setup.waves.size(); ++i) {
      const Int3& g = setup.waves.g()[static_cast<std::size_t>(i)];
      const int x = to_grid_index(g[0], n[0]), y = to_grid_index(g[1], n[1]), z = to_grid_index(g[2], n[2]);
      const Complex expected =
          whole[static_cast<std::size_t>((x * n[1] + y) * n[2] + z)] / static_cast<double>(whole.size());
      difference += std::norm(Complex(out[static_cast<std::size_t>(b * setup.waves.size() + i)]) - expected);
      size += std::norm(expected);
    }
  }
  return relative(difference, size, Comm::world());
}

/// Relative L2 distance of a density with weights 1, 1/2, 1/3, ... from the dense one. Collective.
template <class Real>
double density_error(BenchOf<Real>& setup, int bands) {
  const auto psi = setup.bands(bands);
  std::vector<double> weights, density(static_cast<std::size_t>(setup.fft.grid_size()));
  for (int b = 0; b < bands; ++b) weights.push_back(1.0 / (b + 1));
  setup.fft.accumulate_density(psi.data(), weights, density.data(), bands);
  std::vector<double> expected;
  for (int b = 0; b < bands; ++b) {
    const std::vector<Complex> whole = dense(setup.sphere, b);
    expected.resize(whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i)
      expected[i] += weights[static_cast<std::size_t>(b)] * std::norm(whole[i]);
  }
  double difference = 0, size = 0;
  setup.for_grid([&](Index local, Index global) {
    const double e = expected[static_cast<std::size_t>(global)];
    difference += std::pow(density[static_cast<std::size_t>(local)] - e, 2), size += e * e;
  });
  return relative(difference, size, Comm::world());
}

TEST(SphereFft, BackwardEqualsDenseFftw) {
  for (const Case& c : cases)
    for (const Recipe& s : setups) {
      SCOPED_TRACE(std::string(c.name) + " scheme " + std::to_string(static_cast<int>(s.scheme)) + " transport " +
                   std::to_string(static_cast<int>(s.transport)) + " threads " + std::to_string(s.threads));
      TransformSetup setup(c, s);
      for (const int bands : {1, 2, 5}) EXPECT_LT(backward_error(setup, bands), 1e-14);
    }
}

TEST(SphereFft, OptimizedIsCorrectOnEveryProcessGrid) {
  const int ranks = Comm::world().size();
  for (const Case& c : cases)
    for (int rows = 1; rows <= ranks; ++rows) {
      if (ranks % rows != 0) continue;
      SCOPED_TRACE(std::string(c.name) + " rows " + std::to_string(rows));
      const GSphere sphere = TransformSetup::sphere_of(c);
      TransformSetup setup(c, setups[0],
                           make_partition(Scheme::optimized, sphere.counts(), GridShape{rows, ranks / rows}, ranks));
      EXPECT_LT(backward_error(setup, 3), 1e-14);
    }
}

TEST(SphereFft, GridsOfRealCalculationsEqualDenseFftw) {
  // Al108's 48^3, Al500's 80^3 and the 125^3 of the CP2K report, spheres of 0.32 n grid steps.
  for (const int n : {48, 80, 125}) {
    SCOPED_TRACE(n);
    const double g = 0.32 * n * 2 * std::numbers::pi / 10;
    TransformSetup setup({"real", cubic, 0.5 * g * g, {n, n, n}, Mode::gamma},
                         {Scheme::balanced, Transport::alltoallv, 1});
    EXPECT_LT(backward_error(setup, 2), 1e-14);
  }
}

TEST(SphereFft, RoundTripReturnsTheCoefficients) {
  for (const Case& c : cases)
    for (const Recipe& s : setups) {
      SCOPED_TRACE(c.name);
      TransformSetup setup(c, s);
      const std::vector<Complex> psi = setup.bands(5);
      std::vector<Complex> back(psi.size());
      for (int repeat = 0; repeat < 2; ++repeat) {
        if (c.mode == Mode::gamma) {
          std::vector<double> values(static_cast<std::size_t>(5 * setup.fft.grid_size()));
          setup.fft.to_real(psi.data(), values.data(), 5);
          setup.fft.to_recip(values.data(), back.data(), 5);
        } else {
          std::vector<Complex> values(static_cast<std::size_t>(5 * setup.fft.grid_size()));
          setup.fft.to_real(psi.data(), values.data(), 5);
          setup.fft.to_recip(values.data(), back.data(), 5);
        }
        EXPECT_LT(distance(back, psi, Comm::world()), 1e-14);
      }
    }
}

TEST(SphereFft, FusedPotentialEqualsTheStepsAndTransportsGiveTheSameBits) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized}) {
      TransformSetup setup(c, {scheme, Transport::alltoallv, 1});
      const std::vector<Complex> psi = setup.bands(5);
      std::vector<double> potential(static_cast<std::size_t>(setup.fft.grid_size()));
      setup.for_grid(
          [&](Index local, Index global) { potential[static_cast<std::size_t>(local)] = random_at({global}); });
      std::vector<Complex> fused(psi.size()), stepped(psi.size());
      setup.fft.apply_local(psi.data(), potential.data(), fused.data(), 5);
      std::vector<Complex> complex_values(static_cast<std::size_t>(5 * setup.fft.grid_size()));
      std::vector<double> values(complex_values.size());
      if (c.mode == Mode::gamma) {
        setup.fft.to_real(psi.data(), values.data(), 5);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] *= potential[i % potential.size()];
        setup.fft.to_recip(values.data(), stepped.data(), 5);
      } else {
        setup.fft.to_real(psi.data(), complex_values.data(), 5);
        for (std::size_t i = 0; i < values.size(); ++i) complex_values[i] *= potential[i % potential.size()];
        setup.fft.to_recip(complex_values.data(), stepped.data(), 5);
      }
      EXPECT_LT(distance(fused, stepped, Comm::world()), 1e-15);
      TransformSetup other(c, {scheme, Transport::pairwise, 1});
      std::vector<Complex> pairwise(psi.size());
      other.fft.apply_local(psi.data(), potential.data(), pairwise.data(), 5);
      EXPECT_EQ(pairwise, fused);
    }
  }
}

TEST(SphereFft, DensityIsTheWeightedSumOfSquares) {
  for (const Case& c : cases)
    for (const Recipe& s : setups) {
      SCOPED_TRACE(c.name);
      TransformSetup setup(c, s);
      EXPECT_LT(density_error(setup, 3), 1e-14);
    }
}

TEST(SphereFft, SinglePrecisionHasSixDigits) {
  for (const Case& c : cases)
    for (const Recipe& s : setups) {
      SCOPED_TRACE(std::string(c.name) + " scheme " + std::to_string(static_cast<int>(s.scheme)));
      BenchOf<float> setup(c, s);
      EXPECT_LT(backward_error(setup, 3), 1e-6);
      EXPECT_LT(product_error(setup, 3), 1e-6);
      EXPECT_LT(density_error(setup, 3), 1e-6);
    }
}

TEST(SphereFft, BlocksMayHaveAnyNumberOfBands) {
  // Blocks of one band (a pair in Gamma mode), odd ones, one that ends with the last band, one longer than all bands.
  for (const Case* c : {&cases[2], &cases[3]})
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized})
      for (const Index block : {1, 3, 5, 7, 16}) {
        SCOPED_TRACE(std::string(c->name) + " block " + std::to_string(block));
        TransformSetup setup(*c, {scheme, Transport::alltoallv, 1}, block);
        EXPECT_LT(backward_error(setup, 7), 1e-14);
        EXPECT_LT(product_error(setup, 7), 1e-14);
        EXPECT_LT(density_error(setup, 7), 1e-14);
      }
}

TEST(SphereFft, ThreadsShareBandsOrPlanes) {
  if (Comm::world().size() > 4) return;  // threads belong to a rank: more ranks add time alone
  // 9 bands: on a single rank each thread transforms whole bands; with fewer than two each, and for densities, threads
  // share the planes.
  const Case in_lanes{"in lanes", cubic, 4.0, {18, 20, 24}, Mode::gamma, {0, 0, 0}, true};
  const Case in_lanes_complex{"in lanes, complex", skewed, 3.0, {12, 15, 14}, Mode::complex, {0.25, -0.5, 0.125}, true};
  for (const Case* c : {&cases[2], &cases[3], &in_lanes, &in_lanes_complex})
    for (const Scheme scheme : {Scheme::greedy, Scheme::optimized})
      for (const int bands : {1, 2, 9, 24}) {
        SCOPED_TRACE(std::string(c->name) + " bands " + std::to_string(bands));
        TransformSetup setup(*c, {scheme, Transport::alltoallv, 2});
        EXPECT_LT(backward_error(setup, bands), 1e-14);
        EXPECT_LT(product_error(setup, bands), 1e-14);
        EXPECT_LT(density_error(setup, bands), 1e-14);
      }
}

TEST(SphereFft, RanksWithoutSticksTakePart) {
  const Comm world = Comm::world();
  for (const Mode mode : {Mode::gamma, Mode::complex})
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized}) {
      SCOPED_TRACE(static_cast<int>(scheme));
      const Case one_stick{"one stick", cubic, 0.01, {5, 6, 7}, mode, {0, 0, 0}, true};
      TransformSetup setup(one_stick, {scheme, Transport::pairwise, 2});
      EXPECT_EQ(world.min(setup.fft.size()), world.size() == 1 ? 1 : 0);
      EXPECT_LT(backward_error(setup, 3), 1e-14);
      EXPECT_LT(product_error(setup, 3), 1e-14);
      EXPECT_LT(density_error(setup, 3), 1e-14);
    }
}

TEST(SphereFft, OverlappedBlocksAndAMeasuredTransportGiveTheSameBits) {
  for (const Case& c : {cases[0], cases[3]})
    for (const Scheme scheme : {Scheme::greedy, Scheme::balanced}) {
      SCOPED_TRACE(c.name);
      TransformSetup setup(c, {scheme, Transport::alltoallv, 1});
      constexpr int bands = 14;
      const std::vector<Complex> psi = setup.bands(bands);
      const std::vector<double> potential(static_cast<std::size_t>(setup.fft.grid_size()), 0.75);
      std::vector<Complex> expected(psi.size()), out(psi.size());
      setup.fft.apply_local(psi.data(), potential.data(), expected.data(), bands);
      for (const Transport transport : all_transports()) {
        SphereFft<double> fft(setup.ranks, setup.partition, setup.sphere,
                              {.transport = transport, .block = 2, .overlap = true});
        fft.apply_local(psi.data(), potential.data(), out.data(), bands);
        EXPECT_EQ(out, expected) << to_string(transport);
      }
      SphereFft<double> measured(setup.ranks, setup.partition, setup.sphere, {.block = 2});
      for (int repeat = 0; measured.is_tuning() && repeat < 100; ++repeat) {
        measured.apply_local(psi.data(), potential.data(), out.data(), bands);
        EXPECT_EQ(out, expected);
      }
      EXPECT_EQ(measured.tuning().has_value(), Comm::world().size() > 1);
      measured.apply_local(psi.data(), potential.data(), out.data(), bands);
      EXPECT_EQ(out, expected);
    }
}

/// The message that all ranks get from a transform with this partition; empty if it is made.
std::string refusal(const Case& c, const Partition& partition,
                    const std::optional<Transport>& transport = Transport::alltoallv) {
  const Comm world = Comm::world();
  const ProcessGrid ranks(world, partition.shape.rows, partition.shape.columns);
  std::string message;
  try {
    (void)SphereFft<double>(ranks, partition, TransformSetup::sphere_of(c), {.transport = transport});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    message = error.what();
  }
  std::vector<char> text(message.begin(), message.end());
  Index size = static_cast<Index>(text.size());
  world.broadcast(std::span<Index>(&size, 1));
  text.resize(static_cast<std::size_t>(size));
  world.broadcast(std::span<char>(text));
  EXPECT_EQ(message, std::string(text.begin(), text.end()));
  return message;
}

TEST(SphereFft, APartitionThatLosesPlaneWavesIsRefused) {
  for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized}) {
    const Partition good = TransformSetup::divide(cases[2], {scheme, Transport::alltoallv, 1});
    EXPECT_EQ(refusal(cases[2], good), "");
    Partition no_owner(good), wrong_owner(good), no_planes(good), no_sticks(good), no_row(good);
    no_owner.stick_owner[0] = -1;
    EXPECT_THAT(refusal(cases[2], no_owner),
                testing::HasSubstr("the stick (iy, iz) = (0, 0) with 4 plane waves belongs to no part"));
    wrong_owner.stick_owner[12] = wrong_owner.parts;
    EXPECT_THAT(refusal(cases[2], wrong_owner), testing::HasSubstr("the stick (iy, iz) = (12, 0) with"));
    no_planes.plane_row.clear();
    EXPECT_THAT(refusal(cases[2], no_planes), testing::HasSubstr("plane_row has 0 entries; the sphere has nz = 17"));
    no_sticks.stick_owner.pop_back();
    EXPECT_THAT(refusal(cases[2], no_sticks), testing::HasSubstr("stick_owner has 220 entries"));
    no_row.plane_row[1] = -1;
    EXPECT_THAT(refusal(cases[2], no_row), testing::HasSubstr("the plane iz = 1 with"));
  }
}

TEST(SphereFft, AStickOutsideTheRowOfItsPlaneIsRefused) {
  const Comm world = Comm::world();
  if (world.size() < 2) return;
  Partition partition = make_partition(Scheme::balanced, TransformSetup::sphere_of(cases[2]).counts(),
                                       GridShape{world.size(), 1}, world.size());
  partition.stick_owner[0] = (partition.stick_owner[0] + 1) % world.size();
  EXPECT_THAT(refusal(cases[2], partition), testing::HasSubstr("the balanced scheme needs the same row"));
}

TEST(SphereFft, PartitionsThatDifferBetweenRanksAreRefused) {
  const Comm world = Comm::world();
  const int last = world.size() - 1;
  if (last == 0) return;
  const Partition good = TransformSetup::divide(cases[2], {Scheme::greedy, Transport::alltoallv, 1});
  const auto on_last = [&](auto change) {
    Partition mine(good);
    if (world.rank() == last) change(mine);
    return refusal(cases[2], mine);
  };
  const std::string where = " on rank " + std::to_string(last);
  const int owner = good.stick_owner[13], other = (owner + 1) % world.size();
  EXPECT_EQ(on_last([&](Partition& p) { p.stick_owner[13] = other; }),
            "the ranks have different partitions: the stick (iy, iz) = (0, 1) belongs to part " +
                std::to_string(owner) + " on rank 0 and " + std::to_string(other) + where);
  EXPECT_EQ(on_last([](Partition& p) { p.plane_row[2] = 1; }),
            "the ranks have different partitions: the plane iz = 2 belongs to process row 0 on rank 0 and 1" + where);
  EXPECT_EQ(on_last([](Partition& p) { p.plane_row.clear(); }),
            "the ranks have different partitions: the number of entries of plane_row is 17 on rank 0 and 0" + where);
}

TEST(SphereFft, PartitionsOfDifferentSpheresAreRefused) {
  const Comm world = Comm::world();
  if (world.size() == 1) return;
  Case mine(cases[2]);
  if (world.rank() == 1) mine.ecut *= 0.9;
  const Partition partition = TransformSetup::divide(mine, {Scheme::greedy, Transport::alltoallv, 1});
  EXPECT_THAT(refusal(mine, partition),
              testing::StartsWith("the ranks have different partitions: the number of plane waves on"));
}

TEST(SphereFft, TransportsAndBandsThatDifferBetweenRanksAreRefused) {
  const Comm world = Comm::world();
  if (world.size() == 1) return;
  const bool is_last = world.rank() == world.size() - 1;
  const Partition partition = TransformSetup::divide(cases[2], {Scheme::greedy, Transport::alltoallv, 1});
  const std::optional<Transport> searched;
  const std::string expected = "the ranks name different transports; all ranks must name the same, or none";
  EXPECT_EQ(refusal(cases[2], partition, is_last ? Transport::ring : Transport::alltoallv), expected);
  EXPECT_EQ(refusal(cases[2], partition, is_last ? searched : Transport::alltoallv), expected);
  TransformSetup setup(cases[0], setups[0]);
  std::vector<Complex> psi = setup.bands(2);
  std::vector<double> values(static_cast<std::size_t>(2 * setup.fft.grid_size()));
  EXPECT_THROW(setup.fft.to_recip(std::span(values), psi, is_last ? 1 : 2), Error);
}

TEST(SphereFft, CountsTransforms) {
  TransformSetup setup(cases[0], setups[0]);
  const std::vector<Complex> psi = setup.bands(5);
  std::vector<Complex> out(psi.size());
  const std::vector<double> potential(static_cast<std::size_t>(setup.fft.grid_size()), 1.0);
  setup.fft.apply_local(psi.data(), potential.data(), out.data(), 5);
  EXPECT_EQ(setup.fft.transforms(), 10);
}

}  // namespace
}  // namespace wavegrid::test_sphere_fft
