// Forces and strain derivatives of each term compared with differences of its energy, on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/hamiltonian/kinetic_strain.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/hamiltonian/nonlocal_term.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/terms/core_density.hpp>
#include <wavegrid/terms/hartree.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>
#include <wavegrid/terms/xc_strain.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_derivatives {
namespace {

using Complex = std::complex<double>;

double slope(const std::function<double(double)>& f, double h) {
  return (8 * (f(h) - f(-h)) - f(2 * h) + f(-2 * h)) / (12 * h);
}

/// Two silicons with a core density around an oxygen without, in a skewed cell.
Crystal crystal() {
  return {skewed, {"Si", "O"}, {{0, {0.1, 0.2, -0.3}}, {1, {0.55, 0.6, 0.35}}, {0, {0.8, 0.7, 0.5}}}};
}

const Pseudopotentials& potentials() {
  static const std::string source = WAVEGRID_SOURCE_DIR;
  static const GthTable table(source + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  static const Pseudopotentials value{
      read_pseudopotential(source + "/tests/reference/pseudopotentials/14-Si.nlcc.UPF", "Si"),
      std::make_shared<GthPotential>(table.find("O"))};
  return value;
}

Crystal moved(std::size_t atom, std::size_t axis, double fraction) {
  Crystal other = crystal();
  other.atoms[atom].position[axis] += fraction;
  return other;
}

/// Of atom `a` in `forces`, along a lattice vector.
double along(const std::vector<Vec3>& forces, std::size_t a, std::size_t axis) {
  return dot(forces[a], skewed.vectors()[axis]);
}

Crystal strained(std::size_t a, std::size_t b, double x) {
  Mat3 cell = skewed.vectors();
  for (Vec3& vector : cell) {
    const double along_b = vector[b], along_a = vector[a];
    vector[a] += 0.5 * x * along_b;
    vector[b] += 0.5 * x * along_a;
  }
  Crystal other = crystal();
  other.lattice = Lattice(cell);
  return other;
}

/// The energy terms of a density with given coefficients, |g| <= 2, in a crystal.
struct OfDensity {
  static constexpr Int3 grid{15, 14, 16};
  Crystal atoms;
  GridSetup setup;
  GridPotential effective;
  SpinCoefficients coefficients;
  SpinFields values;

  OfDensity(const Crystal& of, const char* xc, int spins)
      : atoms(of),
        setup(Scheme::balanced, atoms.lattice, grid, Comm::world(), 6.0),
        effective(setup.terms(xc, spins, atoms, potentials())) {
    for (int c = 0; c < spins; ++c) {
      GridFft::Coefficients f;
      for (const Int3& g : setup.fft.waves().g()) f.push_back(electrons(g, c) / atoms.lattice.volume());
      coefficients.push_back(f);
      values.push_back(setup.fft.to_real(f));
    }
  }
  static Complex electrons(const Int3& g, int component) {
    for (const int i : g)
      if (std::abs(i) > 2) return 0;
    if (g == Int3{0, 0, 0}) return component == 0 ? 20.0 : 4.0;
    const bool upper = g > Int3{0, 0, 0};
    const Int3 k = upper ? g : Int3{-g[0], -g[1], -g[2]};
    const Complex f(0.1 * random_at({component, k[0], k[1], k[2], 0}),
                    0.1 * random_at({component, k[0], k[1], k[2], 1}));
    return upper ? f : std::conj(f);
  }
  [[nodiscard]] TermEnergies energies() const { return effective.energies({{coefficients, {}}, {values, {}}}); }
  [[nodiscard]] Gradients gradients() const {
    Gradients sum{.with_forces = true, .with_strain = true};
    const Density<GridFields> fields{coefficients, {}};
    const DensityValues at_points{values, {}};
    for (const auto& term : effective.terms()) term->add_gradients({fields, at_points}, sum);
    return sum;
  }
};

struct Setting {
  const char* xc;
  int spins;
};
constexpr Setting settings[] = {{"LDA_X+LDA_C_PW", 1}, {"LDA_X+LDA_C_PW", 2}, {"PBE", 1}, {"PBE", 2}};

TEST(Derivatives, ForcesOfTheTermsOfADensity) {
  for (const auto& [xc, spins] : {settings[0], settings[3]}) {
    OfDensity at(crystal(), xc, spins);
    const Gradients found = at.gradients();
    const auto &local = found.forces.at("local"), &core = found.forces.at("nlcc");
    for (const std::size_t atom : {0, 1, 2})
      for (const std::size_t axis : {0, 2}) {
        const auto energy = [&](double x, bool of_core) {
          const auto e = OfDensity(moved(atom, axis, x), xc, spins).energies();
          return e.at(of_core ? "xc" : "local");
        };
        EXPECT_NEAR(along(local, atom, axis), -slope([&](double x) { return energy(x, false); }, 4e-4), 1e-8);
        EXPECT_NEAR(along(core, atom, axis), -slope([&](double x) { return energy(x, true); }, 4e-4), 1e-8);
      }
    EXPECT_GT(std::abs(along(core, 0, 0)), 1e-3);
    EXPECT_EQ(norm(core[1]), 0.0);
  }
}

TEST(Derivatives, StrainOfTheTermsOfADensity) {
  for (const auto& [xc, spins] : settings) {
    OfDensity at(crystal(), xc, spins);
    const Gradients found = at.gradients();
    const Mat3 &hartree = found.strains.at("hartree"), &local = found.strains.at("local");
    const Mat3 xc_whole = found.strains.at("xc") + found.strains.at("nlcc");
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 2}, {0, 1}}) {
      const auto energies = [&, a = a, b = b](double x) { return OfDensity(strained(a, b, x), xc, spins).energies(); };
      const double h = 5e-4;
      EXPECT_NEAR(hartree[a][b], slope([&](double x) { return energies(x).at("hartree"); }, h), 1e-8) << a << b;
      EXPECT_NEAR(local[a][b], slope([&](double x) { return energies(x).at("local"); }, h), 2e-8) << a << b;
      EXPECT_NEAR(xc_whole[a][b], slope([&](double x) { return energies(x).at("xc"); }, h), 1e-8)
          << xc << spins << a << b;
    }
  }
}

/// Bands of random coefficients at a k-point of a crystal.
template <class S>
struct OfBands {
  static constexpr Mode mode = ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex;
  static constexpr Index count = 5;
  Crystal atoms;
  Vec3 k;
  GSphere sphere;
  PlaneWaves waves;
  NonlocalPotential<S> nonlocal;
  InnerProduct product;
  Bands<S> psi;
  std::vector<double> occupations{2.0, 1.5, -0.1, 0.7, 0.0};

  explicit OfBands(const Crystal& of)
      : atoms(of),
        k(mode == Mode::gamma ? Vec3{0, 0, 0} : Vec3{0.25, -0.4, 0.125}),
        sphere(atoms.lattice, 3.0, {15, 14, 16}, mode, k),
        waves(sphere, make_partition(Scheme::balanced, sphere.counts(), 15, Comm::world().size()),
              Comm::world().rank()),
        nonlocal(waves, k, atoms, potentials()),
        product(wave_product(Comm::world(), waves)),
        psi(waves.size() * rows_per_wave<S>, count) {
    for (Index b = 0; b < count; ++b)
      for (Index i = 0; i < waves.size(); ++i) {
        const Int3& g = waves.g()[static_cast<std::size_t>(i)];
        const bool real = mode == Mode::gamma && i == waves.zero();
        coefficients(psi.view())[b * waves.size() + i] = {random_at({b, g[0], g[1], g[2], 0}),
                                                          real ? 0.0 : random_at({b, g[0], g[1], g[2], 1})};
      }
  }
  [[nodiscard]] NonlocalDerivatives derivatives() {
    return NonlocalTerm<S>(nonlocal).derivatives(product, psi.view(), occupations, true);
  }
  /// sum_n f_n <psi_n|V_nl|psi_n> by the operator itself.
  [[nodiscard]] double nonlocal_energy() {
    Bands<S> image(psi.rows(), count);
    std::fill_n(image.view().data, psi.rows() * count, S(0));
    NonlocalTerm<S>(nonlocal).apply(product, psi.view(), image.view());
    const std::vector<double> of_bands = diagonal_overlaps<S>(product, psi.view(), std::as_const(image).view());
    return std::inner_product(of_bands.begin(), of_bands.end(), occupations.begin(), 0.0);
  }
  [[nodiscard]] double kinetic_energy() {
    double sum = 0;
    for (Index b = 0; b < count; ++b)
      for (Index i = 0; i < waves.size(); ++i)
        sum += (mode == Mode::gamma ? 2.0 : 1.0) * occupations[static_cast<std::size_t>(b)] *
               waves.kinetic()[static_cast<std::size_t>(i)] * std::norm(coefficients(psi.view())[b * waves.size() + i]);
    return Comm::world().sum(sum);
  }
};

template <class S>
class BandsDerivatives : public testing::Test {};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(BandsDerivatives, Scalars);

TYPED_TEST(BandsDerivatives, NonlocalForces) {
  OfBands<TypeParam> at(crystal());
  const NonlocalDerivatives found = at.derivatives();
  EXPECT_NEAR(found.energy, at.nonlocal_energy(), 1e-10 * std::abs(found.energy));
  for (const std::size_t atom : {0, 1, 2})
    for (const std::size_t axis : {0, 1}) {
      const auto energy = [&](double x) { return OfBands<TypeParam>(moved(atom, axis, x)).nonlocal_energy(); };
      EXPECT_NEAR(along(found.forces, atom, axis), -slope(energy, 1e-3), 1e-8 * std::abs(found.energy));
    }
}

TYPED_TEST(BandsDerivatives, Strain) {
  OfBands<TypeParam> at(crystal());
  const NonlocalDerivatives found = at.derivatives();
  const Mat3 kinetic = kinetic_strain<TypeParam>(at.product, at.waves, at.psi.view(), at.occupations);
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 2}, {0, 1}}) {
    const auto other = [&, a = a, b = b](double x) {
      OfBands<TypeParam> bands(strained(a, b, x));
      EXPECT_EQ(bands.sphere.size(), at.sphere.size()) << "the strain moves a plane wave across the cutoff";
      return bands;
    };
    const auto nonlocal = [&](double x) { return other(x).nonlocal_energy(); };
    EXPECT_NEAR(found.strain[a][b], slope(nonlocal, 3e-4), 1e-8 * std::abs(found.energy)) << a << b;
    const auto energy = [&](double x) { return other(x).kinetic_energy(); };
    EXPECT_NEAR(kinetic[a][b], slope(energy, 3e-4), 1e-8 * at.kinetic_energy()) << a << b;
  }
}

}  // namespace
}  // namespace wavegrid::test_derivatives
