#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/harmonic_rotation.hpp>
#include <wavegrid/paw/onsite_energy.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>
#include <wavegrid/pseudo/readers.hpp>

namespace wavegrid::test_onsite_energy {
namespace {

using Square = Matrix<std::complex<double>>;

RadialFile dataset(const std::string& path) {
  const TextFile file(path);
  return looks_like_paw_xml(file) ? read_paw_xml(file) : read_upf(file);
}
std::string made_up(const std::string& name) {
  return std::string(WAVEGRID_SOURCE_DIR) + "/tests/reference/ultrasoft/" + name;
}

std::shared_ptr<const Xc> functional(const std::string& name, int spins) {
  return std::make_shared<const Xc>(Xc::parse(name, spins));
}

/// The electrons of the dataset in states near its partial waves: positive, without symmetry.
Square occupied(const AugmentedDataset& set, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> electrons;
  for (const PartialWave& wave : set.waves)
    electrons.insert(electrons.end(), static_cast<std::size_t>(2 * wave.l + 1), wave.occupation / (2 * wave.l + 1));
  const auto size = static_cast<Index>(electrons.size());
  Square rho(size, size);
  for (Index n = 0; n < size; ++n) {
    std::vector<double> c;
    for (Index i = 0; i < size; ++i) c.push_back((i == n ? 1.0 : 0.0) + 0.05 * normal(generator));
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < size; ++j)
        rho(i, j) +=
            electrons[static_cast<std::size_t>(n)] * c[static_cast<std::size_t>(i)] * c[static_cast<std::size_t>(j)];
  }
  return rho;
}

ComponentMatrices scaled(const Square& rho, double share) {
  ComponentMatrices components{rho, rho};
  for (auto& element : components[1].elements()) element *= share;
  return components;
}

void expect_derivative(const std::string& name, const std::string& xc, int spins) {
  const RadialFile file = dataset(made_up(name));
  const OnsiteEnergy onsite(*file.data.augmented, functional(xc, spins));
  const Square rho = occupied(*file.data.augmented, 1), away = occupied(*file.data.augmented, 2);
  ComponentMatrices at = scaled(rho, 0.3);
  at.resize(static_cast<std::size_t>(spins));
  const OnsiteResult found = onsite.evaluate(at);
  EXPECT_DOUBLE_EQ(found.energy, onsite.energy(at));
  constexpr double step = 1e-4;
  for (int component = 0; component < spins; ++component) {
    double slope = 0, change = 0;
    for (Index i = 0; i < rho.size(); ++i) {
      const double direction = (away.data()[i] - rho.data()[i]).real();
      const double up = found.d[0].data()[i].real(), down = found.d.back().data()[i].real();
      slope += direction * (spins == 1 ? up : 0.5 * (component == 0 ? up + down : up - down));
    }
    for (const double side : {-1.0, 1.0}) {
      ComponentMatrices moved = at;
      for (Index i = 0; i < rho.size(); ++i)
        moved[static_cast<std::size_t>(component)].data()[i] += side * step * (away.data()[i] - rho.data()[i]);
      change += side * onsite.energy(moved);
    }
    EXPECT_NEAR(slope, change / (2 * step), 1e-7) << name << " " << xc << " component " << component;
  }
}

TEST(OnsiteEnergy, DIsTheDerivative) {
  for (const char* name : {"Si-paw.UPF", "Si-paw.xml"}) {
    expect_derivative(name, "LDA_X+LDA_C_PZ", 1);
    expect_derivative(name, "PBE", 1);
    expect_derivative(name, "PBE", 2);
  }
}

TEST(OnsiteEnergy, ItsInteractionIsAnInnerProduct) {
  const RadialFile file = dataset(made_up("Si-paw.UPF"));
  const OnsiteEnergy onsite(*file.data.augmented, functional("LDA_X", 1));
  const Square a = occupied(*file.data.augmented, 1), b = occupied(*file.data.augmented, 2);
  Square sum(a);
  for (Index i = 0; i < a.size(); ++i) sum.data()[i] += b.data()[i];
  EXPECT_NEAR(onsite.coulomb_product(sum, sum),
              onsite.coulomb_product(a, a) + 2 * onsite.coulomb_product(a, b) + onsite.coulomb_product(b, b), 1e-12);
  EXPECT_NEAR(onsite.coulomb_product(a, b), onsite.coulomb_product(b, a), 1e-13);
  for (Index i = 0; i < a.size(); ++i) sum.data()[i] = a.data()[i] - b.data()[i];
  EXPECT_GT(onsite.coulomb_product(sum, sum), 0.0);
}

/// Directions are a quadrature: what they leave of the freedom to turn the atom is their error.
void expect_invariance(const std::string& path, double tolerance, const std::string& xc = {}) {
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  const RadialFile file = dataset(path);
  const AugmentedDataset& set = *file.data.augmented;
  const Square rho = occupied(set, 3);
  const double c = std::cos(0.7), s = std::sin(0.7), c2 = std::cos(0.4), s2 = std::sin(0.4);
  const Mat3 turn{{{c, -s, 0}, {s * c2, c * c2, -s2}, {s * s2, c * s2, c2}}};
  Square d(rho.rows(), rho.rows()), turned(rho.rows(), rho.rows());
  Index first = 0;
  for (const PartialWave& wave : set.waves) {
    const Matrix<double> block = harmonic_rotation(turn, wave.l);
    for (Index i = 0; i < block.rows(); ++i)
      for (Index j = 0; j < block.rows(); ++j) d(first + i, first + j) = block(i, j);
    first += block.rows();
  }
  for (Index i = 0; i < d.rows(); ++i)
    for (Index j = 0; j < d.rows(); ++j)
      for (Index k = 0; k < d.rows(); ++k)
        for (Index l = 0; l < d.rows(); ++l) turned(i, j) += d(i, k) * rho(k, l) * d(j, l);
  const std::string name = xc.empty() ? file.functional : xc;
  const OnsiteEnergy onsite(set, functional(name, 1)), fine(set, functional(name, 1), {.radii = 200, .degree = 30});
  EXPECT_NEAR(onsite.energy({rho}), onsite.energy({turned}), tolerance) << path;
  EXPECT_NEAR(onsite.energy({rho}), fine.energy({rho}), tolerance) << path;
}

/// With PBE the nodes of made-up waves would need more points.
TEST(OnsiteEnergy, StaysAsTheAtomTurns) {
  expect_invariance(made_up("Si-paw.UPF"), 1e-7, "LDA_X+LDA_C_PZ");
  expect_invariance(made_up("Si-paw.xml"), 1e-7, "LDA_X+LDA_C_PZ");
}
TEST(OnsiteEnergy, StaysAsIronTurns) {
  expect_invariance("/usr/share/espresso/pseudo/Fe.pbesol-spn-kjpaw_psl.1.0.0.UPF", 1e-6);
}
TEST(OnsiteEnergy, StaysAsOxygenTurns) { expect_invariance("/usr/share/espresso/pseudo/O.pz-kjpaw.UPF", 1e-6); }
TEST(OnsiteEnergy, StaysAsVanadiumTurns) {
  expect_invariance("/usr/share/abinit/psp/Pseudodojo_paw_pw_standard/V.xml", 1e-6);
}
/// Its mesh is coarse at the nucleus.
TEST(OnsiteEnergy, StaysAsCopperTurns) { expect_invariance("/usr/share/gpaw-setups/Cu.PBE.gz", 1e-7); }

/// Also where moments of Q_ij are not those of the waves.
TEST(OnsiteEnergy, DoesNotDependOnWavesBeyondTheSphere) {
  AugmentedDataset set = *dataset(made_up("Si-paw.UPF")).data.augmented;
  for (double& q : set.augmentation[0].r2_q) q *= 1.0 + 1e-5;
  const Square rho = occupied(set, 4);
  const auto energy = [&] { return OnsiteEnergy(set, functional("LDA_X+LDA_C_PZ", 1)).energy({rho}); };
  const double before = energy();
  for (PartialWave& wave : set.waves)
    for (std::vector<double>* values : {&wave.r_all_electron, &wave.r_pseudo}) {
      values->resize(set.r.size(), 1.0);
      for (std::size_t k = 0; k < set.r.size(); ++k)
        if (set.r[k] > 1.2 * set.paw->integration_radius) (*values)[k] = 2.0 * set.r[k];
    }
  EXPECT_NEAR(energy(), before, 1e-12);
}

/// Heavy atoms have cores whose density at the nucleus is 1e10 times that in a tail that still counts.
TEST(OnsiteEnergy, SubtractsTheWholeCore) {
  AugmentedDataset set = *dataset(made_up("Si-paw.xml")).data.augmented;
  PawData& paw = *set.paw;
  paw.all_electron_core.clear();
  for (const double r : set.r) paw.all_electron_core.push_back(1e5 * std::exp(-100.0 * r) + 0.05 * std::exp(-2.0 * r));
  paw.pseudo_core = paw.all_electron_core;
  const auto size = occupied(set, 1).rows();
  const double energy = OnsiteEnergy(set, functional("LDA_X", 1)).energy({Square(size, size)});
  const RadialQuadrature mesh(set.r);
  std::vector<double> integrand;
  for (std::size_t k = 0; k < set.r.size(); ++k)
    integrand.push_back(4.0 * units::pi * set.r[k] * set.r[k] * std::pow(paw.all_electron_core[k], 4.0 / 3.0));
  const double exchange = -0.75 * std::cbrt(3.0 / units::pi) * mesh.integrate(integrand, 2);
  EXPECT_FALSE(paw.has_core_xc);
  EXPECT_NEAR(energy, -exchange, 1e-7);
}

}  // namespace
}  // namespace wavegrid::test_onsite_energy
