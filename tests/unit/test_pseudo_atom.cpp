// Pseudo-atoms compared with all-electron LDA atoms, their conservation laws, and every entry of the GTH tables.
// All-electron values: S. Kotochigova et al., Phys. Rev. A 55, 191 (1997), 10.1103/PhysRevA.55.191 (NIST, LDA).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/atom/shells.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/radial_table.hpp>
#include <wavegrid/pseudo/gth_potential.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

#include "local_xc.hpp"

namespace wavegrid::test_pseudo_atom {
namespace {

constexpr double free_atom = std::numeric_limits<double>::infinity();

// GTH-PADE parameters: Hartwigsen, Goedecker, Hutter, 10.1103/PhysRevB.58.3641.
const GthPotential& hydrogen() {
  static const GthPotential h({"H", {1}, 0.2, {-4.18023680, 0.72507482}, {}});
  return h;
}
const GthPotential& oxygen() {
  static const GthPotential o({"O", {2, 4}, 0.24762086, {-16.58031797, 2.39570092}, {{0, 0.22178614, {18.26691718}}}});
  return o;
}
const GthPotential& aluminium() {
  static const GthPotential al(
      {"Al",
       {2, 1},
       0.45,
       {-8.49135116},
       {{0, 0.46010427, {5.08833953, -1.03784325, 2.67969975}}, {1, 0.53674439, {2.19343827}}}});
  return al;
}

double integral(const PseudoAtom& atom, const std::vector<double>& f, const std::vector<double>& g) {
  double sum = 0.0;
  for (std::size_t i = 0; i < atom.r.size(); ++i) sum += atom.spacing * atom.r[i] * atom.r[i] * f[i] * g[i];
  return sum;
}

void expect_consistent(const PseudoAtom& atom, double charge) {
  const std::vector<double> ones(atom.r.size(), 1.0);
  EXPECT_TRUE(atom.converged);
  EXPECT_NEAR(4.0 * std::numbers::pi * integral(atom, atom.density, ones), charge, 1e-8 * charge);
  EXPECT_LT(std::abs(atom.density.back()), 1e-9);
  double electrons = 0.0;
  for (const auto& orbital : atom.orbitals) {
    electrons += orbital.occupation;
    for (const auto& other : atom.orbitals) {
      if (other.l != orbital.l) continue;
      EXPECT_NEAR(integral(atom, orbital.radial, other.radial), &other == &orbital ? 1.0 : 0.0, 1e-7);
    }
  }
  EXPECT_NEAR(electrons, charge, 1e-12);
}

std::string shells(const PseudoAtom& atom) {
  std::string out;
  for (const auto& orbital : atom.orbitals) out += "spdf"[orbital.l];
  return out;
}

Index num_orbitals(const PseudoAtom& atom) {
  Index count = 0;
  for (const auto& orbital : atom.orbitals) count += 2 * orbital.l + 1;
  return count;
}

TEST(PseudoAtom, Hydrogen) {
  const PseudoAtom atom = solve_pseudo_atom(hydrogen(), lda(), {.confinement_radius = free_atom});
  expect_consistent(atom, 1.0);
  EXPECT_EQ(shells(atom), "sp");
  EXPECT_NEAR(atom.energy, -0.445671, 5e-4);
  EXPECT_NEAR(atom.orbitals[0].energy, -0.233471, 5e-4);
}

TEST(PseudoAtom, Oxygen) {
  const PseudoAtom atom = solve_pseudo_atom(oxygen(), lda(), {.confinement_radius = free_atom});
  expect_consistent(atom, 6.0);
  EXPECT_NEAR(atom.orbitals[0].energy, -0.871362, 2e-3);
  EXPECT_NEAR(atom.orbitals[1].energy, -0.338381, 2e-3);
}

/// Its levels from the file; from another density than that of its rho_ij a state at -5 Ha is occupied.
TEST(PseudoAtom, PawIron) {
  const std::string path = "/usr/share/gpaw-setups/Fe.PBE.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  const auto iron = read_pseudopotential(path, "Fe");
  const auto functional = std::make_shared<const Xc>(Xc::parse("LDA_XC_TETER93"));
  const auto onsite = std::make_shared<const OnsiteEnergy>(*iron->augmented(), functional);
  const PseudoAtom atom = solve_pseudo_atom(*iron, lda(), {.onsite = onsite});
  EXPECT_TRUE(atom.converged);
  EXPECT_NEAR(atom.orbitals[0].energy, -0.19444, 0.01);  // of PBE
  EXPECT_NEAR(atom.orbitals[2].energy, -0.27580, 0.01);
}

/// Its p level has no projector. The level from the file.
TEST(PseudoAtom, PawHydrogenWithoutProjectorsOfP) {
  const std::string path = "/usr/share/espresso/pseudo/H.pbe-kjpaw.UPF";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  const auto hydrogen = read_pseudopotential(path, "H");
  const auto functional = std::make_shared<const Xc>(Xc::parse("LDA_XC_TETER93"));
  const auto onsite = std::make_shared<const OnsiteEnergy>(*hydrogen->augmented(), functional);
  const PseudoAtom atom = solve_pseudo_atom(*hydrogen, lda(), {.onsite = onsite});
  EXPECT_TRUE(atom.converged);
  EXPECT_NEAR(atom.orbitals[0].energy, -0.2386, 0.01);  // of PBE
}

TEST(PseudoAtom, Aluminium) {
  const PseudoAtom atom = solve_pseudo_atom(aluminium(), lda(), {.confinement_radius = free_atom});
  expect_consistent(atom, 3.0);
  EXPECT_EQ(shells(atom), "sp");
  EXPECT_NEAR(atom.orbitals[0].energy, -0.286883, 2e-3);
  EXPECT_NEAR(atom.orbitals[1].energy, -0.102545, 1e-3);
  EXPECT_NEAR(atom.energy, -1.944, 2e-3);
}

TEST(PseudoAtom, ConfinementLocalisesAndCostsLittle) {
  const PseudoAtom loose = solve_pseudo_atom(aluminium(), lda(), {.confinement_radius = free_atom});
  const PseudoAtom tight = solve_pseudo_atom(aluminium(), lda());
  expect_consistent(tight, 3.0);
  EXPECT_GT(tight.energy, loose.energy);
  EXPECT_LT(tight.energy, loose.energy + 0.01);
  const auto mean_radius = [](const PseudoAtom& atom) {
    std::vector<double> weighted = atom.orbitals.back().radial;
    for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= atom.r[i];
    return integral(atom, weighted, atom.orbitals.back().radial);
  };
  EXPECT_LT(mean_radius(tight), mean_radius(loose));
  const PseudoAtom h = solve_pseudo_atom(hydrogen(), lda());  // its p level is unbound
  EXPECT_LT(mean_radius(h), 6.0);
}

TEST(PseudoAtom, TransformOfTheDensityGivesTheCharge) {
  const PseudoAtom atom = solve_pseudo_atom(aluminium(), lda());
  const RadialTable table(0, atom.spacing, atom.density, 20.0);
  EXPECT_NEAR(table(0.0), 3.0, 1e-8);
  EXPECT_NEAR(table(20.0), 0.0, 1e-7);
  const RadialTable p(1, atom.spacing, atom.orbitals[1].radial, 20.0);
  double norm = 0.0;  // Parseval: int F^2 g^2 dg = 8 pi^3 int R^2 r^2 dr
  const double step = 0.01;
  for (double g = step; g < 20.0; g += step) norm += step * g * g * p(g) * p(g);
  EXPECT_NEAR(norm / (8.0 * std::pow(std::numbers::pi, 3)), 1.0, 1e-6);
}

TEST(PseudoAtom, RefusesOccupationsThatDoNotAddUpToTheCharge) {
  struct Wrong : Pseudopotential {
    std::string name = "X";
    std::vector<double> electrons{2.0};
    [[nodiscard]] const std::string& element() const override { return name; }
    [[nodiscard]] double valence_charge() const override { return 3.0; }
    [[nodiscard]] const std::vector<double>& valence_occupation() const override { return electrons; }
    [[nodiscard]] double local(double) const override { return 0.0; }
    [[nodiscard]] double local_slope(double) const override { return 0.0; }
    [[nodiscard]] double local_core() const override { return 0.0; }
    [[nodiscard]] double local_radial(double r) const override { return -3.0 / (r + 1.0); }
    [[nodiscard]] int num_channels() const override { return 0; }
    [[nodiscard]] int channel_l(int) const override { return 0; }
    [[nodiscard]] int num_projectors(int) const override { return 0; }
    [[nodiscard]] double coupling(int, int, int) const override { return 0.0; }
    [[nodiscard]] double projector(int, int, double) const override { return 0.0; }
    [[nodiscard]] double projector_slope(int, int, double) const override { return 0.0; }
    [[nodiscard]] double projector_radial(int, int, double) const override { return 0.0; }
  };
  EXPECT_THROW((void)solve_pseudo_atom(Wrong{}, lda()), Error);
}

TEST(PseudoAtom, EveryEntryOfTheTables) {
  namespace fs = std::filesystem;
  const fs::path data = fs::path(WAVEGRID_SOURCE_DIR) / "python/wavegrid/data/pseudopotentials";
  int count = 0;
  for (const auto& file : fs::exists(data) ? fs::directory_iterator(data) : fs::directory_iterator()) {
    if (file.path().extension() != ".gth") continue;
    const GthTable table(file.path());
    for (const std::string& element : table.elements())
      for (const int valence : table.entries(element)) {
        SCOPED_TRACE(element + " q" + std::to_string(valence) + " of " + file.path().string());
        const GthPotential potential = table.find(element, valence);
        const PseudoAtom atom = solve_pseudo_atom(potential, lda());
        expect_consistent(atom, valence);
        EXPECT_TRUE(shells(atom).find("sp") != std::string::npos || shells(atom).find("sspp") != std::string::npos);
        EXPECT_EQ(count_orbitals(potential), num_orbitals(atom));
        ++count;
      }
  }
  ASSERT_GT(count, 0) << "no .gth tables in " << data;
}

}  // namespace
}  // namespace wavegrid::test_pseudo_atom
