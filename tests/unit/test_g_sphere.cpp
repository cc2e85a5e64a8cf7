// The sphere of plane waves, its grids and its parts, compared with brute force over all integer points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/fft/fft_layout.hpp>

namespace wavegrid::test_g_sphere {
namespace {

using Complex = std::complex<double>;

const Mat3 cells[] = {{{{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}},
                      {{{7, 1, -0.5}, {2, 9, 1.5}, {-1, 3, 8}}},
                      {{{0, 5, 1}, {6, 0, 0}, {1, 0, 4}}},  // left-handed
                      {{{0, 5, 5}, {5, 0, 5}, {5, 5, 0}}},
                      {{{3, 0, 0}, {2.9, 14, 0}, {1, 1, 7}}}};
constexpr double ecut = 3.7;
constexpr int reach = 14;  // more than the cells above need

Lattice cube(double a) { return Lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}); }
Lattice aluminium(int repeat) { return cube(repeat * 4.05 / units::bohr_in_angstrom); }
constexpr double ecut_240_ev = 240 / units::hartree_in_ev;

double kinetic(const Lattice& lattice, const Vec3& k, const Int3& g) {
  Vec3 q{};
  for (std::size_t i = 0; i < 3; ++i) q = q + (k[i] + g[i]) * lattice.reciprocal()[i];
  return 0.5 * dot(q, q);
}

bool in_half(const Int3& g) {
  for (const std::size_t i : {2u, 1u, 0u})
    if (g[i] != 0) return g[i] > 0;
  return true;
}

/// Every G of the sphere, in no particular order.
std::set<Int3> brute_force(const Lattice& lattice, const Vec3& k, Mode mode) {
  std::set<Int3> all;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z)
        if (kinetic(lattice, k, {x, y, z}) <= ecut && (mode == Mode::complex || in_half({x, y, z})))
          all.insert({x, y, z});
  return all;
}

std::set<Int3> all_of(const GSphere& sphere) {
  std::set<Int3> all;
  for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick)
    for (int n = 0; n < sphere.counts().count[static_cast<std::size_t>(stick)]; ++n) {
      EXPECT_TRUE(all.insert(sphere.g(stick, n)).second) << "a plane wave occurs twice";
      EXPECT_EQ(sphere.g(stick, n)[0], sphere.first_gx(stick) + n);
    }
  return all;
}

/// A grid with all frequencies of `all`.
Int3 grid_for(const std::set<Int3>& all) {
  Int3 grid{1, 1, 1};
  for (const Int3& g : all)
    for (std::size_t i = 0; i < 3; ++i) grid[i] = std::max(grid[i], 2 * std::abs(g[i]) + 1);
  return grid;
}

TEST(GSphere, ContainsTheSameGAsBruteForce) {
  const Vec3 shifts[] = {{0, 0, 0}, {0.25, -0.5, 0.125}, {0.5, 0.5, 0.5}, {-0.3, 0.1, 0.45}};
  for (std::size_t c = 0; c < std::size(cells); ++c)
    for (const Vec3& k : shifts)
      for (const Mode mode : {Mode::complex, Mode::gamma}) {
        if (mode == Mode::gamma && norm2(k) > 0) continue;
        SCOPED_TRACE("cell " + std::to_string(c) + " k " + std::to_string(k[0]));
        const Lattice lattice(cells[c]);
        const std::set<Int3> expected = brute_force(lattice, k, mode);
        const Int3 grid = grid_for(expected);
        for (const int extra : {0, 1, 4}) {
          const GSphere sphere(lattice, ecut, {grid[0] + extra, grid[1] + extra, grid[2]}, mode, k);
          EXPECT_EQ(all_of(sphere), expected);
          EXPECT_EQ(sphere.size(), static_cast<Index>(expected.size()));
        }
        for (const Int3& g : expected) EXPECT_LE(std::max({std::abs(g[0]), std::abs(g[1]), std::abs(g[2])}), reach - 1);
      }
}

TEST(GSphere, GammaHalfAndItsMirrorAreTheWholeSphere) {
  for (const Mat3& cell : cells) {
    const Lattice lattice(cell);
    const Int3 grid = minimum_grid(lattice, ecut);
    const GSphere full(lattice, ecut, grid, Mode::complex), half(lattice, ecut, grid, Mode::gamma);
    EXPECT_EQ(half.size(), (full.size() + 1) / 2);
    std::set<Int3> both = all_of(half);
    for (const Int3& g : all_of(half)) both.insert({-g[0], -g[1], -g[2]});
    EXPECT_EQ(both, all_of(full));
  }
}

TEST(GSphere, PublishedSizes) {
  EXPECT_EQ(GSphere(aluminium(3), ecut_240_ev, {48, 48, 48}, Mode::gamma).size(), 7602);
  EXPECT_EQ(GSphere(aluminium(3), ecut_240_ev, {48, 48, 48}, Mode::complex).size(), 15203);
  EXPECT_EQ(GSphere(aluminium(5), ecut_240_ev, {80, 80, 80}, Mode::gamma).size(), 35160);
}

TEST(GSphere, MinimumAndDefaultGrids) {
  EXPECT_EQ(largest_g(aluminium(3), ecut_240_ev), (Int3{15, 15, 15}));
  EXPECT_EQ(minimum_grid(aluminium(3), ecut_240_ev), (Int3{31, 31, 31}));
  EXPECT_EQ(default_grid(aluminium(3), ecut_240_ev), (Int3{63, 63, 63}));
  EXPECT_EQ(minimum_grid(aluminium(5), ecut_240_ev), (Int3{51, 51, 51}));
  EXPECT_EQ(default_grid(aluminium(5), ecut_240_ev), (Int3{105, 105, 105}));
  EXPECT_EQ(minimum_grid(cube(1), 0.1), (Int3{1, 1, 1}));
  EXPECT_EQ(default_grid(cube(1), 0.1), (Int3{1, 1, 1}));
  for (const Mat3& cell : cells) {
    const Lattice lattice(cell);
    const Int3 expected = grid_for(brute_force(lattice, {0, 0, 0}, Mode::complex));
    EXPECT_EQ(minimum_grid(lattice, ecut), expected);
    const Int3 roomy = default_grid(lattice, ecut);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GE(roomy[i], 2 * expected[i] - 1);
      int rest = roomy[i];
      for (const int factor : {2, 3, 5, 7})
        while (rest % factor == 0) rest /= factor;
      EXPECT_EQ(rest, 1);
    }
  }
}

TEST(GSphere, TooSmallGridNamesTheMinimum) {
  for (const Mat3& cell : cells) {
    const Lattice lattice(cell);
    const Int3 least = minimum_grid(lattice, ecut);
    const std::string wanted =
        std::to_string(least[0]) + " x " + std::to_string(least[1]) + " x " + std::to_string(least[2]);
    EXPECT_NO_THROW(GSphere(lattice, ecut, least, Mode::gamma));
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const Mode mode : {Mode::gamma, Mode::complex}) {
        Int3 grid = least;
        --grid[axis];
        try {
          const GSphere sphere(lattice, ecut, grid, mode);
          ADD_FAILURE() << "a grid too small along axis " << axis << " was accepted";
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::bad_input);
          EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
        }
      }
  }
}

TEST(GSphere, TooSmallGridForADistantKPointNamesWhatThatNeeds) {
  const Lattice lattice = cube(8);
  const Int3 at_gamma = minimum_grid(lattice, 2.0);
  const int more = 2 * 5;  // the sphere around -k begins 5 points further away
  const Int3 needed{at_gamma[0] + more, at_gamma[1], at_gamma[2]};
  EXPECT_NO_THROW(GSphere(lattice, 2.0, needed, Mode::complex, {5, 0, 0}));
  try {
    const GSphere sphere(lattice, 2.0, {needed[0] - 1, needed[1] + 4, needed[2] + 4}, Mode::complex, {5, 0, 0});
    ADD_FAILURE() << "a grid too small for k = (5, 0, 0) was accepted";
  } catch (const Error& error) {
    const std::string wanted = std::to_string(needed[0]) + " x " + std::to_string(needed[1]);
    EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("k = (5, 0, 0)"), std::string::npos) << error.what();
  }
}

TEST(GSphere, RefusesSizesBeforeItAllocates) {
  for (const double edge : {1e100, 1e6, 1e4}) {
    EXPECT_THROW((void)default_grid(cube(edge), 10.0), Error);
    EXPECT_THROW(GSphere(cube(edge), 10.0, {9, 9, 9}, Mode::gamma), Error);
  }
  EXPECT_THROW((void)minimum_grid(cube(8), 1e8), Error);
  EXPECT_THROW((void)minimum_grid(cube(8), INFINITY), Error);
  EXPECT_THROW(GSphere(cube(8), 1.0, {19, 19, 19}, Mode::complex, {1e9, 0, 0}), Error);
  EXPECT_THROW(GSphere(cube(8), 1.0, {19, 19, 19}, Mode::complex, {NAN, 0, 0}), Error);
  EXPECT_THROW(require_valid_grid({5000, 5000, 5000}), Error);
  EXPECT_THROW(require_valid_grid({50001, 1, 1}), Error);
  EXPECT_THROW(require_valid_grid({10000, 2501, 1}), Error);
  EXPECT_THROW(require_valid_grid({9, 0, 9}), Error);
  EXPECT_NO_THROW(require_valid_grid({5000, 600, 600}));
  EXPECT_NO_THROW(require_valid_grid({9, 50000, 500}));
}

TEST(GSphere, FitsLongThinCells) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Mat3 vectors{{{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}};
    vectors[axis][axis] = 9600;
    const Int3 grid = default_grid(Lattice(vectors), 4.0);
    EXPECT_GT(grid[axis], 17000);
    const GSphere sphere(Lattice(vectors), 4.0, grid, Mode::complex);
    const double expected = std::pow(8.0, 1.5) / 6 / (units::pi * units::pi) * 4 * 4 * 9600;
    EXPECT_NEAR(static_cast<double>(sphere.size()) / expected, 1.0, 0.2);
  }
}

TEST(GSphere, RefusesInvalidInput) {
  EXPECT_THROW(GSphere(cube(8), 0.0, {9, 9, 9}, Mode::gamma), Error);
  EXPECT_THROW(GSphere(cube(8), -1.0, {9, 9, 9}, Mode::gamma), Error);
  EXPECT_THROW(GSphere(cube(8), NAN, {9, 9, 9}, Mode::gamma), Error);
  EXPECT_THROW(GSphere(cube(8), 1.0, {19, 19, 19}, Mode::gamma, {0.5, 0, 0}), Error);
  EXPECT_THROW(Lattice({{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}}}), Error);
}

TEST(GSphere, BoxContainsEveryGOnce) {
  for (const Int3& grid : {Int3{7, 8, 9}, Int3{1, 2, 3}, Int3{6, 5, 4}}) {
    const GSphere box = GSphere::box(cube(8), grid);
    EXPECT_EQ(box.size(), grid[0] * grid[1] * grid[2]);
    for (const Int3& g : all_of(box))
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_GE(g[i], -(grid[i] / 2));
        EXPECT_LE(g[i], (grid[i] - 1) / 2);
      }
  }
}

TEST(PlaneWaves, PartsTogetherAreTheSphereAndOneOwnsZero) {
  const Lattice lattice(cells[1]);
  for (const Mode mode : {Mode::complex, Mode::gamma})
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized})
      for (const int parts : {1, 2, 3, 4, 7, 60, 400}) {
        const GSphere sphere(lattice, ecut, minimum_grid(lattice, ecut), mode);
        const Partition partition = make_partition(scheme, sphere.counts(), sphere.grid()[0], parts);
        std::set<Int3> together;
        int zeros = 0;
        for (int part = 0; part < parts; ++part) {
          const PlaneWaves waves(sphere, partition, part);
          EXPECT_TRUE(std::is_sorted(waves.sticks().begin(), waves.sticks().end()));
          ASSERT_EQ(waves.g().size(), waves.kinetic().size());
          for (Index i = 0; i < waves.size(); ++i) {
            const Int3& g = waves.g()[static_cast<std::size_t>(i)];
            EXPECT_TRUE(together.insert(g).second);
            EXPECT_NEAR(waves.kinetic()[static_cast<std::size_t>(i)], kinetic(lattice, {0, 0, 0}, g), 1e-12);
            EXPECT_NEAR(0.5 * norm2(waves.k_plus_g(i)), waves.kinetic()[static_cast<std::size_t>(i)], 1e-12);
          }
          if (waves.zero() < 0) continue;
          ++zeros;
          EXPECT_EQ(waves.g()[static_cast<std::size_t>(waves.zero())], (Int3{0, 0, 0}));
        }
        EXPECT_EQ(together, all_of(sphere));
        EXPECT_EQ(zeros, 1);
      }
}

TEST(PlaneWaves, OrderIsByStickThenBySignedGx) {
  const GSphere sphere(Lattice(cells[0]), ecut, {17, 18, 19}, Mode::complex);
  const PlaneWaves waves(sphere, make_partition(Scheme::greedy, sphere.counts(), 17, 1), 0);
  const auto address = [](const Int3& g) {
    return std::pair{to_grid_index(g[2], 19) * 18 + to_grid_index(g[1], 18), g[0]};
  };
  for (std::size_t i = 1; i < waves.g().size(); ++i) EXPECT_LT(address(waves.g()[i - 1]), address(waves.g()[i]));
}

TEST(PaddedRow, IsLongEnoughAndAnOddNumberOfCacheLines) {
  for (const std::size_t size : {8u, 16u})
    for (Index n = 0; n < 200; ++n) {
      const Index row = padded_row(n, size), per_line = static_cast<Index>(64 / size);
      EXPECT_GE(row, n);
      EXPECT_EQ(row % per_line, 0);
      EXPECT_EQ(row / per_line % 2, 1);
      EXPECT_LT(row, n + 3 * per_line);
    }
  EXPECT_EQ(padded_row(4, 16), 4);
  EXPECT_EQ(padded_row(5, 16), 12);
  EXPECT_EQ(padded_row(64, 16), 68);
}

TEST(StructureFactor, EqualsDirectExponentials) {
  for (const Vec3& k : {Vec3{0, 0, 0}, Vec3{0.25, -0.5, 0.125}}) {
    const Lattice lattice(cells[2]);
    const GSphere sphere(lattice, ecut, grid_for(brute_force(lattice, k, Mode::complex)), Mode::complex, k);
    const Partition partition = make_partition(Scheme::balanced, sphere.counts(), sphere.grid()[0], 3);
    Crystal crystal{lattice, {"Al", "O"}, {}};
    for (int a = 0; a < 7; ++a)
      crystal.atoms.push_back({a % 3 == 0 ? 1 : 0, {2 * random_at({a, 0}), random_at({a, 1}), random_at({a, 2})}});
    for (int part = 0; part < 3; ++part) {
      const PlaneWaves waves(sphere, partition, part);
      const auto phase = [&](Index i, const Vec3& position, const Vec3& shift) {
        const Int3& g = waves.g()[static_cast<std::size_t>(i)];
        double turns = 0;
        for (std::size_t c = 0; c < 3; ++c) turns += (shift[c] + g[c]) * position[c];
        return std::polar(1.0, -2 * std::numbers::pi * turns);
      };
      std::vector<Complex> phases(static_cast<std::size_t>(waves.size()));
      atom_phases(waves, crystal.atoms[3].position, phases.data(), k);
      for (Index i = 0; i < waves.size(); ++i) {
        EXPECT_LT(std::abs(phases[static_cast<std::size_t>(i)] - phase(i, crystal.atoms[3].position, k)), 1e-13);
        EXPECT_LT(std::abs(phases[static_cast<std::size_t>(i)] -
                           std::polar(1.0, -dot(waves.k_plus_g(i), crystal.cartesian(3)))),
                  1e-12);
      }
      for (const int species : {0, 1}) {
        const std::vector<Complex> factor = structure_factor(waves, crystal, species);
        ASSERT_EQ(static_cast<Index>(factor.size()), waves.size());
        for (Index i = 0; i < waves.size(); ++i) {
          Complex expected = 0;
          for (const int a : crystal.species_atoms(species))
            expected += phase(i, crystal.atoms[static_cast<std::size_t>(a)].position, {0, 0, 0});
          EXPECT_LT(std::abs(factor[static_cast<std::size_t>(i)] - expected), 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace wavegrid::test_g_sphere
