// The electrostatics of plane waves with free boundaries against sums over point charges, and its strain against
// differences.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/ions/mixed_boundaries.hpp>
#include <wavegrid/problem/free_boundaries.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/terms/hartree.hpp>
#include <wavegrid/terms/local_potential.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_free_boundaries {
namespace {

constexpr double width = 1.6;  // bohr, of the charges
constexpr Int3 grid{36, 40, 45};
const Lattice upright({{{24, 0, 0}, {2, 26, 0}, {0, 0, 28}}});  // z is upright to the others
const Lattice tilted({{{24, 0, 0}, {1, 26, 2}, {1, 2, 28}}});
const std::vector<Vec3> places{{0.01, 0.97, 0.98}, {0.05, 0.02, 0.03}};  // fractional, in one piece across the ends

struct Case {
  Lattice lattice;
  Periodic periodic;
};
const Case cases[] = {{upright, {true, true, false}},
                      {tilted, {true, false, true}},
                      {upright, {false, false, true}},
                      {tilted, {true, false, false}},
                      {tilted, {false, false, false}}};

Crystal crystal_in(const Lattice& lattice) {
  Crystal crystal{lattice, {"H", "Li"}, {}};
  crystal.atoms = {{0, places[0]}, {1, places[1]}};
  return crystal;
}

/// A grid with its fields.
struct Fields {
  GridSetup base;
  GridFields fields;
  Fields(const Lattice& lattice, const Periodic& periodic)
      : base(Scheme::greedy, lattice, grid, Comm::world(), 3.0),
        fields(lattice, grid, 3.0, SpaceGroup::identity(), {base.ranks, Scheme::greedy, base.layout},
               {Transport::alltoallv, 1, 3}, std::nullopt, periodic, cutoff_radius(lattice, periodic)) {}
  /// Gaussian charges, as electrons/bohr^3; the integral over the cell does not depend on the cell.
  GridFft::Coefficients density(const std::vector<double>& charges, const Lattice& of) {
    const PlaneWaves& waves = fields.grid().waves();
    GridFft::Coefficients n(static_cast<std::size_t>(waves.size()));
    for (std::size_t i = 0; i < n.size(); ++i) {
      const Int3& g = waves.g()[i];
      const Vec3 wave = of.g_vector({1.0 * g[0], 1.0 * g[1], 1.0 * g[2]});
      for (std::size_t a = 0; a < charges.size(); ++a)
        n[i] += charges[a] / waves.lattice().volume() * std::exp(-0.25 * width * width * norm2(wave)) *
                std::polar(1.0, -2 * units::pi * (g[0] * places[a][0] + g[1] * places[a][1] + g[2] * places[a][2]));
    }
    return n;
  }
};

TEST(FreeBoundaries, EnergiesAreThoseOfPointsWithoutImages) {
  for (const auto& [lattice, periodic] : cases) {
    Fields setup(lattice, periodic);
    const bool isolated = periodic == Periodic{false, false, false};
    const std::vector<double> charges{1, isolated ? 2.0 : -1.0};
    const Crystal placed = in_one_piece(crystal_in(lattice), periodic);
    const ClusterEnergy points =
        mixed_boundary_energy(lattice, periodic, {placed.cartesian(0), placed.cartesian(1)}, charges);
    double self = 0;
    for (const double q : charges) self += q * q / (std::sqrt(2 * units::pi) * width);
    const Crystal near = in_one_piece(crystal_in(lattice), {false, false, false});
    const double apart = norm(near.cartesian(0) - near.cartesian(1));
    const double overlap = charges[0] * charges[1] * std::erfc(apart / (std::sqrt(2.0) * width)) / apart;
    EXPECT_NEAR(setup.fields.coulomb_energy(setup.density(charges, lattice)), points.energy + self - overlap, 2e-8);
  }
}

Lattice strained(const Lattice& lattice, const Mat3& strain) {
  Mat3 vectors = lattice.vectors();
  for (Vec3& row : vectors) row = row + row * strain;
  return Lattice(vectors);
}

TEST(FreeBoundaries, StrainsAreDerivatives) {
  constexpr double step = 1e-4;
  const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  const Pseudopotentials atoms{std::make_shared<GthPotential>(table.find("H")),
                               std::make_shared<GthPotential>(table.find("Li"))};
  for (const auto& [lattice, periodic] : {cases[1], cases[2]}) {
    const CoulombKernel directions(lattice, periodic, 0);
    const Vec3 first = directions.along({1, 0.3, 0.4}), second = directions.along({0.2, 1, -0.5});
    Mat3 strain{};  // symmetric, along the periodic directions
    for (std::size_t i = 0; i < 3; ++i)
      strain[i] = 0.5 * (first[i] * second + second[i] * first) + (0.7 * first[i]) * first;
    const std::vector<double> charges{1, -1};
    const auto energies = [&](double factor) {
      Mat3 small = strain;
      for (Vec3& row : small) row = factor * row;
      const Lattice at = strained(lattice, small);
      // The interaction keeps the radius of the first cell.
      Fields setup(lattice, periodic);
      GridFields fields(at, grid, 3.0, SpaceGroup::identity(), {setup.base.ranks, Scheme::greedy, setup.base.layout},
                        {Transport::alltoallv, 1, 3}, std::nullopt, periodic, cutoff_radius(lattice, periodic));
      GridFft::Coefficients n = setup.density(charges, lattice);
      for (auto& value : n) value *= lattice.volume() / at.volume();
      const FourierBox box = fields.fourier_box();
      const auto local = local_potential(box, crystal_in(at), atoms);
      double of_local = 0;
      for (std::size_t i = 0; i < n.size(); ++i) of_local += (std::conj(local[i]) * n[i]).real();
      const Crystal placed = in_one_piece(crystal_in(at), periodic);
      return std::array<double, 3>{
          fields.coulomb_energy(n), at.volume() * Comm::world().sum(of_local),
          mixed_boundary_energy(at, periodic, {placed.cartesian(0), placed.cartesian(1)}, {1, 3}).energy};
    };
    const auto at = energies(0), above = energies(step), below = energies(-step);
    Fields setup(lattice, periodic);
    const FourierBox box = setup.fields.fourier_box();
    const auto n = setup.density(charges, lattice);
    const Crystal crystal = crystal_in(lattice), placed = in_one_piece(crystal, periodic);
    const Mat3 found[] = {
        hartree_strain(box, n, at[0]), local_strain(box, crystal, atoms, n, at[1]),
        mixed_boundary_energy(lattice, periodic, {placed.cartesian(0), placed.cartesian(1)}, {1, 3}).strain};
    for (std::size_t term = 0; term < 3; ++term) {
      double slope = 0;
      for (std::size_t i = 0; i < 3; ++i) slope += dot(found[term][i], strain[i]);
      EXPECT_NEAR(slope, (above[term] - below[term]) / (2 * step), 2e-6) << "term " << term;
    }
  }
}

}  // namespace
}  // namespace wavegrid::test_free_boundaries
