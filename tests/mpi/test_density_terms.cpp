// Fields on the whole grid, and the energy terms of a density.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/potential_cut.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/terms/hartree.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_density_terms {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr Scheme schemes[] = {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized};

Lattice cube(double a) { return Lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}); }

const Int3 grids[] = {{7, 8, 9}, {12, 10, 15}, {2, 3, 1}};

TEST(GridFft, RoundTripReturnsTheField) {
  for (const Int3& n : grids)
    for (const Scheme scheme : schemes) {
      GridSetup setup(scheme, skewed, n);
      const std::vector<double> field = setup.field([&](int x, int y, int z) { return 1 + (x * n[1] + y) * n[2] + z; });
      ASSERT_EQ(static_cast<Index>(field.size()), setup.fft.grid_size());
      for (int repeat = 0; repeat < 2; ++repeat) {
        const GridFft::Coefficients recip = setup.fft.to_recip(field);
        EXPECT_LT(largest_difference(setup.fft.to_real(recip), field), 1e-10);
        const double points = n[0] * n[1] * n[2];
        if (setup.fft.waves().zero() >= 0) {
          EXPECT_LT(std::abs(recip[static_cast<std::size_t>(setup.fft.waves().zero())] - (points + 1) / 2), 1e-10);
        }
        EXPECT_NEAR(setup.fft.volume_element() * points, skewed.volume(), 1e-10);
      }
    }
}

/// While the search for a transport goes on and after it.
TEST(GridFft, AMeasuredTransportGivesTheSameBits) {
  const Int3 n{7, 8, 9};
  GridSetup setup(Scheme::greedy, skewed, n);  // with a given transport
  GridFft measured(setup.ranks, skewed, n, Scheme::greedy, {});
  const std::vector<double> field = setup.field([&](int x, int y, int z) { return std::sin(1 + x + 7.0 * y - z * z); });
  const GridFft::Coefficients recip = setup.fft.to_recip(field);
  const std::vector<double> values = setup.fft.to_real(recip);
  EXPECT_FALSE(setup.fft.sphere().tuning());
  EXPECT_EQ(measured.sphere().tuning().has_value(), Comm::world().size() > 1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(measured.to_recip(field), recip);
    EXPECT_EQ(measured.to_real(recip), values);
  }
  EXPECT_FALSE(measured.sphere().is_tuning());
}

/// The field of all ranks, in blocks, and the same field on each rank of the second half of them.
TEST(FieldExchange, AMeasuredTransportGivesTheSameBits) {
  const Comm world = Comm::world();
  constexpr Index size = 101;
  const Range mine = BlockLayout(size, world.size()).range(world.rank());
  const Range part = 2 * world.rank() + 2 > world.size() ? Range{0, size} : Range{0, 0};
  const auto values = [](const Range& range, double factor) {
    std::vector<double> all;
    for (Index i = range.begin; i < range.end; ++i) all.push_back(factor * (1.0 + 0.1 * static_cast<double>(i)));
    return all;
  };
  FieldExchange given(world, {mine}, {part}, Transport::alltoallv), measured(world, {mine}, {part}, std::nullopt);
  const std::vector<double> field = values(mine, 1.0), contribution = values(part, 0.3 + world.rank());
  const std::vector<double> sum = given.sum_over_groups(contribution);
  EXPECT_FALSE(given.plan().tuning());
  EXPECT_EQ(measured.plan().tuning().has_value(), world.size() > 1);
  for (int repeat = 0; repeat < 32; ++repeat) {
    EXPECT_EQ(measured.to_groups(field), values(part, 1.0));
    EXPECT_EQ(measured.sum_over_groups(contribution), sum);
  }
  EXPECT_FALSE(measured.plan().is_tuning());
}

TEST(GridFft, APlaneWaveIsADelta) {
  const Int3 n{7, 8, 9}, wave{2, -3, 4};
  for (const Scheme scheme : schemes) {
    GridSetup setup(scheme, skewed, n);
    const std::vector<double> field = setup.field(
        [&](int x, int y, int z) { return std::cos(2 * pi * (2.0 * x / 7 - 3.0 * y / 8 + 4.0 * z / 9) + 0.7); });
    const GridFft::Coefficients recip = setup.fft.to_recip(field);
    for (std::size_t i = 0; i < recip.size(); ++i) {
      const Int3 minus{-setup.g(i)[0], -setup.g(i)[1], -setup.g(i)[2]};
      const Complex expected = setup.g(i) == wave ? std::polar(0.5, 0.7) : minus == wave ? std::polar(0.5, -0.7) : 0;
      EXPECT_LT(std::abs(recip[i] - expected), 1e-14);
    }
  }
}

/// This rank's G of the box, without a transform.
PlaneWaves box_waves(const Lattice& lattice, const Int3& grid) {
  const GSphere box = GSphere::box(lattice, grid);
  return {box, make_partition(Scheme::balanced, box.counts(), grid[0], Comm::world().size()), Comm::world().rank()};
}

Index count_inside(const PlaneWaves& waves, const Int3& grid, double ecut) {
  const std::vector<char> inside = inside_potential_cut(waves, grid, ecut);
  return Comm::world().sum(static_cast<Index>(std::accumulate(inside.begin(), inside.end(), 0)));
}

/// Integer points of the box of n^3 with |g|^2 <= limit.
Index count_points(int n, double limit) {
  Index count = 0;
  for (int x = -(n / 2); x <= (n - 1) / 2; ++x)
    for (int y = -(n / 2); y <= (n - 1) / 2; ++y)
      for (int z = -(n / 2); z <= (n - 1) / 2; ++z) count += x * x + y * y + z * z <= limit;
  return count;
}

TEST(PotentialCut, KeepsPointsOnTheSphereOnce) {
  // A grid with boxcut below 2: the sphere touches the faces, and (-N/2, 0, 0) is a point of it.
  for (const int n : {12, 18, 48}) {
    const PlaneWaves waves = box_waves(cube(10), {n, n, n});
    EXPECT_EQ(count_inside(waves, {n, n, n}, 1e3), count_points(n, n * n / 4)) << n;
    const std::vector<char> inside = inside_potential_cut(waves, {n, n, n}, 1e3);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const Int3 g = waves.g()[i];
      if ((g[0] == 0) + (g[1] == 0) + (g[2] == 0) == 2) {
        EXPECT_TRUE(inside[i]);
      }
    }
  }
  const PlaneWaves odd = box_waves(cube(10), {15, 15, 15});  // the faces are at 7.5
  EXPECT_EQ(count_inside(odd, {15, 15, 15}, 1e3), count_points(15, 7.5 * 7.5));
}

TEST(PotentialCut, IsTwiceTheRadiusOfTheWaveFunctionsIfTheGridAllows) {
  const double unit = 2 * pi / 10;
  const PlaneWaves waves = box_waves(cube(10), {21, 21, 21});
  for (const double radius : {1.2, 2.5, 4.0, 5.0})  // 4.0 and 5.0: points on the cutoff
    EXPECT_EQ(count_inside(waves, {21, 21, 21}, 0.5 * unit * unit * radius * radius),
              count_points(21, 4 * radius * radius))
        << radius;
}

TEST(PotentialCut, IsLimitedByTheFlattestDirectionOfTheBox) {
  const PlaneWaves waves = box_waves(Lattice({{{10, 0, 0}, {0, 20, 0}, {0, 0, 10}}}), {12, 18, 16});
  Index expected = 0;  // the shortest reach is 9 / 20 along y
  for (int x = -6; x < 6; ++x)
    for (int y = -9; y < 9; ++y)
      for (int z = -8; z < 8; ++z) expected += 4 * (x * x + z * z) + y * y <= 81;
  EXPECT_EQ(count_inside(waves, {12, 18, 16}, 1e3), expected);
}

/// rho(G) of one periodic Gaussian of charge q and width sigma at fractional tau.
GridFft::Coefficients gaussian(const PlaneWaves& waves, double q, double sigma, const Vec3& tau) {
  GridFft::Coefficients rho;
  for (Index i = 0; i < waves.size(); ++i) {
    const Int3& g = waves.g()[static_cast<std::size_t>(i)];
    rho.push_back(q / waves.lattice().volume() *
                  std::exp(-sigma * sigma * waves.kinetic()[static_cast<std::size_t>(i)]) *
                  std::polar(1.0, -2 * pi * (g[0] * tau[0] + g[1] * tau[1] + g[2] * tau[2])));
  }
  return rho;
}

TEST(Hartree, EnergyOfAGaussianCharge) {
  // Gaussians of width sigma on a simple cubic lattice, in a uniform background: point charges (Wigner's constant
  // 2.8372974794806), plus the charge's own energy, plus the smearing against the background; overlaps are 1e-17.
  const double a = 12, q = 1.7, sigma = 1.0;
  const double expected = -2.8372974794806 * q * q / (2 * a) + q * q / (2 * std::sqrt(pi) * sigma) +
                          2 * pi * sigma * sigma * q * q / (a * a * a);
  for (const Scheme scheme : schemes) {
    GridSetup setup(scheme, cube(a), {27, 25, 28});
    const auto rho = gaussian(setup.fft.waves(), q, sigma, {0.3, -0.1, 0.77});
    const std::vector<char> inside = inside_potential_cut(setup.fft.waves(), {27, 25, 28}, 1e3);
    EXPECT_NEAR(hartree_energy(setup.fft, inside, rho), expected, 1e-9);
    const std::vector<double> density = setup.fft.to_real(rho);
    const std::vector<double> v = setup.fft.to_real(hartree_potential(setup.fft.waves(), inside, rho));
    const double product = std::inner_product(v.begin(), v.end(), density.begin(), 0.0);
    EXPECT_NEAR(0.5 * setup.fft.volume_element() * Comm::world().sum(product), expected, 1e-9);
    EXPECT_NEAR(Comm::world().sum(std::accumulate(density.begin(), density.end(), 0.0)) * setup.fft.volume_element(), q,
                1e-12);
  }
}

TEST(Hartree, PotentialSolvesPoisson) {
  GridSetup setup(Scheme::cyclic, skewed, {7, 8, 9});
  const PlaneWaves& waves = setup.fft.waves();
  const std::vector<char> all(static_cast<std::size_t>(waves.size()), 1), none(all.size(), 0);
  GridFft::Coefficients rho;
  for (const Int3& g : waves.g()) rho.emplace_back(random_at({g[0], g[1], g[2]}), random_at({g[0], g[1], g[2], 1}));
  const auto v = hartree_potential(waves, all, rho);
  for (std::size_t i = 0; i < v.size(); ++i)
    EXPECT_LT(std::abs(norm2(waves.k_plus_g(static_cast<Index>(i))) * v[i] -
                       (static_cast<Index>(i) == waves.zero() ? 0.0 : 4 * pi * rho[i])),
              1e-12);
  EXPECT_EQ(hartree_energy(setup.fft, none, rho), 0.0);
}

double sum_of(const TermEnergies& energies) {
  double sum = 0;
  for (const auto& [name, energy] : energies) sum += energy;
  return sum;
}

TEST(EnergyTerms, IsTheDerivativeOfTheEnergies) {
  const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  const Pseudopotentials atoms{std::make_shared<GthPotential>(table.find("Al")),
                               std::make_shared<GthPotential>(table.find("O"))};
  const Crystal crystal{skewed, {"Al", "O"}, {{0, {0.1, 0.2, -0.3}}, {1, {0.55, 0.6, 0.35}}}};
  const Int3 n{10, 9, 12};  // even sizes: with frequencies -N/2, which have no partner
  for (const Scheme scheme : schemes) {
    GridSetup setup(scheme, skewed, n);
    const GridPotential effective = setup.terms("LDA_XC_TETER93", 1, crystal, atoms);
    const auto rho = [&](double step) {
      return setup.field([&](int x, int y, int z) {
        return 0.05 + 0.02 * random_at({x, y, z}) + step * 0.02 * random_at({x, y, z, 1});
      });
    };
    const auto energies = [&](double step) {
      const std::vector<double> values = rho(step);
      return effective.energies({{{setup.fft.to_recip(values)}, {}}, {{values}, {}}});
    };
    const double step = 1e-3;
    const auto up = energies(step), down = energies(-step), here = energies(0);
    const double slope = (sum_of(up) - sum_of(down)) / (2 * step);
    const std::vector<double> values = rho(0), other = rho(1);
    const GridFft::Coefficients recip = setup.fft.to_recip(values);
    const std::vector<double> v = effective.potential({{{recip}, {}}, {{values}, {}}}).v[0];
    double work = 0;
    for (std::size_t i = 0; i < v.size(); ++i) work += v[i] * (other[i] - values[i]);
    EXPECT_NEAR(slope, setup.fft.volume_element() * Comm::world().sum(work), 1e-7);
    EXPECT_NEAR(here.at("hartree"), setup.fields.coulomb_energy(recip), 1e-14);
    EXPECT_GT(here.at("hartree"), 0);
    EXPECT_LT(here.at("xc"), 0);
  }
}

TEST(EnergyTerms, EnergiesDoNotDependOnTheLayout) {
  const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  const Pseudopotentials atoms{std::make_shared<GthPotential>(table.find("Al"))};
  const Crystal crystal{skewed, {"Al"}, {{0, {0.1, 0.2, -0.3}}}};
  const Int3 n{10, 9, 12};
  std::vector<TermEnergies> all;
  for (const Scheme scheme : schemes) {
    GridSetup setup(scheme, skewed, n);
    const GridPotential effective = setup.terms("LDA_XC_TETER93", 1, crystal, atoms);
    const auto values = setup.field([](int x, int y, int z) { return 0.05 + 0.02 * random_at({x, y, z}); });
    all.push_back(effective.energies({{{setup.fft.to_recip(values)}, {}}, {{values}, {}}}));
    for (const auto& [name, energy] : all.front()) EXPECT_NEAR(all.back().at(name), energy, 1e-13) << name;
  }
}

}  // namespace
}  // namespace wavegrid::test_density_terms
