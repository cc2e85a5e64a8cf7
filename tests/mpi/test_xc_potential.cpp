// Exchange and correlation on the grid, compared with analytic gradients and finite differences of the energy, and the
// core density.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/terms/core_density.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_xc_potential {
namespace {

constexpr double pi = std::numbers::pi;
constexpr Scheme schemes[] = {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized};

/// A density of a few cosines, with its gradient.
struct Waves {
  struct Wave {
    double coefficient;
    Int3 g;
    double phase;
  };
  double mean;
  std::vector<Wave> waves;

  double value(const Vec3& fractional) const {
    double sum = mean;
    for (const Wave& w : waves) sum += w.coefficient * std::cos(angle(w, fractional));
    return sum;
  }
  Vec3 gradient(const Vec3& fractional) const {
    Vec3 sum{};
    for (const Wave& w : waves)
      sum = sum + (-w.coefficient * std::sin(angle(w, fractional))) *
                      skewed.g_vector({1.0 * w.g[0], 1.0 * w.g[1], 1.0 * w.g[2]});
    return sum;
  }
  static double angle(const Wave& w, const Vec3& x) {
    return 2 * pi * (w.g[0] * x[0] + w.g[1] * x[1] + w.g[2] * x[2]) + w.phase;
  }
};
const Waves smooth_n{0.12, {{0.007, {1, 0, 0}, 0.3}, {0.005, {0, 1, 1}, -1.0}, {0.003, {1, 1, -1}, 2.0}}};
const Waves smooth_m{0.03, {{0.004, {0, 1, 0}, 0.8}, {0.003, {1, 0, -1}, 0.1}}};
const Waves no_m{0.0, {}};

/// e, de/dn_s and the fluxes de/d(grad n_s) at a point, from the analytic density.
struct AtPoint {
  double energy;
  std::array<double, 2> vrho;
  std::array<Vec3, 2> flux{};
};
AtPoint at_point(const Xc& xc, const Vec3& x) {
  const Waves& magnetisation = xc.spins() == 2 ? smooth_m : no_m;
  const double n = smooth_n.value(x), m = magnetisation.value(x);
  const Vec3 gn = smooth_n.gradient(x), gm = magnetisation.gradient(x);
  const Vec3 up = 0.5 * (gn + gm), down = 0.5 * (gn - gm);
  const std::vector<double> rho = xc.spins() == 1 ? std::vector{n} : std::vector{(n + m) / 2, (n - m) / 2};
  std::vector<double> sigma;
  if (xc.needs_gradient())
    sigma = xc.spins() == 1 ? std::vector{norm2(gn)} : std::vector{norm2(up), dot(up, down), norm2(down)};
  std::vector<double> exc(1), vrho(rho.size()), vsigma(sigma.size());
  xc.evaluate({rho, sigma}, {exc, vrho, vsigma});
  AtPoint out{exc[0], {vrho[0], vrho.back()}};
  if (sigma.size() == 1) out.flux = {2 * vsigma[0] * gn, {}};
  if (sigma.size() == 3) out.flux = {2 * vsigma[0] * up + vsigma[1] * down, 2 * vsigma[2] * down + vsigma[1] * up};
  return out;
}

/// The divergence of the flux by differences of sixth order in fractional coordinates.
double divergence(const Xc& xc, const Vec3& x, std::size_t spin) {
  const double h = 4e-3;
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto along = [&](double step) {
      Vec3 moved = x;
      moved[axis] += step * h;
      return dot(at_point(xc, moved).flux[spin], skewed.reciprocal()[axis]) / (2 * pi);
    };
    sum += (45 * (along(1) - along(-1)) - 9 * (along(2) - along(-2)) + along(3) - along(-3)) / (60 * h);
  }
  return sum;
}

/// The same density in both spaces.
struct BothForms {
  Density<GridFields> coefficients;
  DensityValues values;
  BothForms(GridFft& fft, SpinFields n, SpinFields tau = {}) : values{std::move(n), std::move(tau)} {
    for (const auto& field : values.n) coefficients.n.push_back(fft.to_recip(field));
    for (const auto& field : values.tau) coefficients.tau.push_back(fft.to_recip(field));
  }
};

Vec3 place(const Int3& grid, int x, int y, int z) { return {1.0 * x / grid[0], 1.0 * y / grid[1], 1.0 * z / grid[2]}; }

SpinFields smooth_fields(const GridSetup& setup, int spins) {
  SpinFields fields;
  for (const Waves* waves : {&smooth_n, &smooth_m})
    if (static_cast<int>(fields.size()) < spins)
      fields.push_back(
          setup.field([&](int x, int y, int z) { return waves->value(place(setup.fft.grid(), x, y, z)); }));
  return fields;
}

TEST(XcPotential, ASmoothDensityAgainstItsAnalyticGradient) {
  const Int3 n{24, 25, 26};
  for (const char* name : {"LDA-PW", "PBE", "BLYP"})
    for (const int spins : {1, 2}) {
      const Xc xc = Xc::parse(name, spins);
      GridSetup setup(Scheme::balanced, skewed, n);
      const BothForms density(setup.fft, smooth_fields(setup, spins));
      const XcPotential<GridFields> on_grid = setup.xc(name, spins);
      const XcResult result = on_grid.evaluate(density.coefficients, density.values);
      const auto energies = setup.field([&](int x, int y, int z) { return at_point(xc, place(n, x, y, z)).energy; });
      const double energy =
          setup.fft.volume_element() * Comm::world().sum(std::accumulate(energies.begin(), energies.end(), 0.0));
      EXPECT_NEAR(result.energy, energy, 1e-13 * std::abs(energy)) << name;
      EXPECT_NEAR(on_grid.energy(density.coefficients, density.values), energy, 1e-13 * std::abs(energy)) << name;
      for (std::size_t s = 0; s < result.potential.v.size(); ++s) {
        std::size_t i = 0;
        double worst = 0;
        (void)setup.field([&](int x, int y, int z) {
          const Vec3 r = place(n, x, y, z);
          const double found = result.potential.v[s][i++];
          if ((x + 3 * y + 5 * z) % 17 == 0)
            worst = std::max(worst, std::abs(found - at_point(xc, r).vrho[s] + divergence(xc, r, s)));
          return 0.0;
        });
        EXPECT_LT(worst, 1e-8) << name << ", spin " << s << " of " << spins;
      }
    }
}

/// A density with all frequencies of the grid, the same for every layout.
SpinFields rough_fields(const GridSetup& setup, int spins) {
  SpinFields fields{setup.field([](int x, int y, int z) { return 0.1 + 0.02 * random_at({x, y, z}); })};
  if (spins == 2) fields.push_back(setup.field([](int x, int y, int z) { return 0.02 * random_at({x, y, z, 2}); }));
  return fields;
}

GridFft::Coefficients rough_core(const GridSetup& setup) {
  GridFft::Coefficients core;
  for (std::size_t i = 0; i < static_cast<std::size_t>(setup.fft.waves().size()); ++i)
    core.emplace_back(0.02 * std::exp(-1.0 * setup.fft.waves().kinetic()[i]) * std::polar(1.0, 0.4 * setup.g(i)[0]));
  return core;
}

/// The derivative of E_xc along `change`, by differences of sixth order.
double energy_slope(GridSetup& setup, const XcPotential<GridFields>& xc, const SpinFields& at, const SpinFields& change,
                    double h) {
  const auto energy = [&](double step) {
    SpinFields moved = at;
    for (std::size_t c = 0; c < at.size(); ++c)
      for (std::size_t i = 0; i < at[c].size(); ++i) moved[c][i] += step * h * change[c][i];
    const BothForms density(setup.fft, std::move(moved));
    return xc.energy(density.coefficients, density.values);
  };
  return (45 * (energy(1) - energy(-1)) - 9 * (energy(2) - energy(-2)) + energy(3) - energy(-3)) / (60 * h);
}

/// dV sum_r sum_s v_s dn_s for a change of n and m.
double work(const GridSetup& setup, const SpinFields& v, const SpinFields& change) {
  double sum = 0;
  for (std::size_t i = 0; i < v[0].size(); ++i)
    sum += v.size() == 1 ? v[0][i] * change[0][i]
                         : 0.5 * (v[0][i] + v[1][i]) * change[0][i] + 0.5 * (v[0][i] - v[1][i]) * change[1][i];
  return setup.fft.volume_element() * Comm::world().sum(sum);
}

TEST(XcPotential, IsTheDerivativeOfTheEnergy) {
  for (const Int3& n : {Int3{10, 9, 12}, Int3{2, 3, 4}, Int3{4, 1, 2}})  // even sizes, more ranks than planes
    for (const char* name : {"LDA-PZ", "PBE"})
      for (const int spins : {1, 2})
        for (const bool core : {false, true}) {
          GridSetup setup(schemes[static_cast<std::size_t>(n[0] + spins) % 4], skewed, n);
          const XcPotential<GridFields> xc = setup.xc(name, spins, core ? rough_core(setup) : GridFft::Coefficients{});
          const SpinFields at = rough_fields(setup, spins);
          const BothForms density(setup.fft, at);
          const SpinFields v = xc.evaluate(density.coefficients, density.values).potential.v;
          for (int trial = 0; trial < 3; ++trial) {
            SpinFields change;
            for (int c = 0; c < spins; ++c)
              change.push_back(setup.field([&](int x, int y, int z) {
                if (trial == 2) return x + y == 0 && z == n[2] / 2 && c == spins - 1 ? 1.0 : 0.0;  // a single value
                return random_at({x, y, z, 5 + c, trial});
              }));
            const double slope = energy_slope(setup, xc, at, change, trial == 2 ? 1e-3 : 1e-4);
            const double expected = work(setup, v, change);
            EXPECT_NEAR(slope, expected, 1e-7 * std::max(std::abs(expected), 1e-3)) << name << spins << core << trial;
          }
        }
}

/// dE_xc = int sum_s (v_s dn_s + v_tau,s dtau_s) of a meta-GGA.
TEST(XcPotential, OfAMetaGgaIsTheDerivativeOfTheEnergy) {
  for (const char* name : {"R2SCAN", "TPSS"})
    for (const int spins : {1, 2}) {
      GridSetup setup(schemes[static_cast<std::size_t>(spins)], skewed, {10, 9, 12});
      const XcPotential<GridFields> xc = setup.xc(name, spins);
      const SpinFields n = rough_fields(setup, spins);
      SpinFields tau{setup.field([](int x, int y, int z) { return 0.2 + 0.05 * random_at({x, y, z, 3}); })};
      if (spins == 2) tau.push_back(setup.field([](int x, int y, int z) { return 0.03 * random_at({x, y, z, 4}); }));
      const auto random = [&](int seed) {
        SpinFields change;
        for (int c = 0; c < spins; ++c)
          change.push_back(setup.field([&](int x, int y, int z) { return random_at({x, y, z, c, seed}); }));
        return change;
      };
      const SpinFields dn = random(7), dtau = random(8);
      const auto energy = [&](double step) {
        BothForms moved(setup.fft, n, tau);
        for (std::size_t c = 0; c < n.size(); ++c)
          for (std::size_t i = 0; i < n[c].size(); ++i) {
            moved.values.n[c][i] += step * dn[c][i];
            moved.values.tau[c][i] += step * dtau[c][i];
          }
        const BothForms density(setup.fft, moved.values.n, moved.values.tau);
        return xc.energy(density.coefficients, density.values);
      };
      const double h = 1e-5, slope = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h);
      const BothForms density(setup.fft, n, tau);
      const Potential found = xc.evaluate(density.coefficients, density.values).potential;
      const double expected = work(setup, found.v, dn) + work(setup, found.v_tau, dtau);
      EXPECT_NEAR(slope, expected, 1e-6 * std::abs(expected) + 1e-9) << name << ", " << spins << " spins";
      EXPECT_THROW((void)xc.evaluate({{}, {}}, {density.values.n, {}}), Error);
    }
}

TEST(XcPotential, DoesNotDependOnTheLayout) {
  for (const Int3& n : {Int3{10, 9, 12}, Int3{3, 2, 4}})
    for (const int spins : {1, 2}) {
      GridSetup alone(Scheme::greedy, skewed, n, Comm::self());
      const XcPotential<GridFields> serial = alone.xc("PBE", spins, rough_core(alone));
      const BothForms whole(alone.fft, rough_fields(alone, spins));
      const XcResult expected = serial.evaluate(whole.coefficients, whole.values);
      for (const Scheme scheme : schemes) {
        GridSetup setup(scheme, skewed, n);
        const XcPotential<GridFields> xc = setup.xc("PBE", spins, rough_core(setup));
        const BothForms density(setup.fft, rough_fields(setup, spins));
        const XcResult result = xc.evaluate(density.coefficients, density.values);
        EXPECT_NEAR(result.energy, expected.energy, 1e-13 * std::abs(expected.energy));
        for (std::size_t s = 0; s < result.potential.v.size(); ++s) {
          const auto mine = setup.field([&](int x, int y, int z) {
            return expected.potential.v[s][static_cast<std::size_t>((x * n[1] + y) * n[2] + z)];
          });
          EXPECT_LT(largest_difference(result.potential.v[s], mine), 1e-12);
        }
      }
    }
}

TEST(XcPotential, WithoutMagnetisationIsTheSameAsWithoutSpin) {
  GridSetup setup(Scheme::cyclic, skewed, {8, 9, 7});
  for (const char* name : {"LDA-PW", "PBE"}) {
    const XcPotential<GridFields> one = setup.xc(name, 1), two = setup.xc(name, 2);
    SpinFields fields = rough_fields(setup, 1);
    const BothForms plain(setup.fft, fields);
    fields.emplace_back(fields[0].size(), 0.0);
    const BothForms spin(setup.fft, fields);
    const auto a = one.evaluate(plain.coefficients, plain.values), b = two.evaluate(spin.coefficients, spin.values);
    EXPECT_NEAR(a.energy, b.energy, 1e-13 * std::abs(a.energy));
    EXPECT_LT(largest_difference(a.potential.v[0], b.potential.v[0]), 1e-12);
    EXPECT_LT(largest_difference(a.potential.v[0], b.potential.v[1]), 1e-12);
  }
}

TEST(XcPotential, ACoreDensityIsAddedToTheValence) {
  for (const char* name : {"LDA-PW", "PBE"})
    for (const int spins : {1, 2}) {
      GridSetup setup(Scheme::optimized, skewed, {8, 9, 7});
      const GridFft::Coefficients core = rough_core(setup);
      SpinFields fields = rough_fields(setup, spins);
      const BothForms valence(setup.fft, fields);
      const std::vector<double> core_values = setup.fft.to_real(core);
      for (std::size_t i = 0; i < core_values.size(); ++i) fields[0][i] += core_values[i];
      const BothForms all(setup.fft, fields);
      const XcPotential<GridFields> with = setup.xc(name, spins, core), without = setup.xc(name, spins);
      const auto a = with.evaluate(valence.coefficients, valence.values),
                 b = without.evaluate(all.coefficients, all.values);
      EXPECT_NEAR(a.energy, b.energy, 1e-12 * std::abs(b.energy));
      for (std::size_t s = 0; s < a.potential.v.size(); ++s)
        EXPECT_LT(largest_difference(a.potential.v[s], b.potential.v[s]), 1e-11);
    }
}

TEST(XcPotential, EmptyChannelsGiveFinitePotentials) {
  GridSetup setup(Scheme::greedy, skewed, {8, 9, 7});
  const XcPotential<GridFields> xc = setup.xc("PBE", 2);
  SpinFields fields = rough_fields(setup, 2);
  fields[1] = fields[0];  // fully polarised, and slightly more at some points
  for (std::size_t i = 0; i < fields[0].size(); i += 2) fields[1][i] *= 1.0 + 1e-12;
  const BothForms density(setup.fft, fields);
  const auto full = xc.evaluate(density.coefficients, density.values);
  for (const auto& channel : full.potential.v)
    for (const double v : channel) EXPECT_LT(std::abs(v), 100.0);  // false for NaN; see Xc::evaluate on PBE's limit
  EXPECT_TRUE(std::isfinite(full.energy));
  const auto empty = setup.field([](int, int, int) { return 0.0; });
  const BothForms nothing(setup.fft, {empty, empty});
  const auto zero = xc.evaluate(nothing.coefficients, nothing.values);
  EXPECT_EQ(zero.energy, 0.0);
  EXPECT_EQ(largest_difference(zero.potential.v[1], empty), 0.0);
  EXPECT_THROW((void)xc.evaluate({{density.coefficients.n[0]}}, {{density.values.n[0]}}), Error);
}

/// Gaussian charges: an ion of three electrons, with or without a core of `charge` electrons.
class GaussianAtom final : public Pseudopotential {
 public:
  explicit GaussianAtom(double core = 0, double width = 1) : core_(core), width_(width) {}
  [[nodiscard]] const std::string& element() const override { return element_; }
  [[nodiscard]] double valence_charge() const override { return 3; }
  [[nodiscard]] const std::vector<double>& valence_occupation() const override { return occupation_; }
  [[nodiscard]] double local(double g) const override { return -12 * pi / (g * g) * std::exp(-g * g / 2); }
  [[nodiscard]] double local_slope(double g) const override { return -local(g) * (2 / g + g); }
  [[nodiscard]] double local_core() const override { return 6 * pi; }
  [[nodiscard]] double local_radial(double r) const override {
    return r > 0 ? -3 / r * std::erf(r / std::numbers::sqrt2) : -3 * std::sqrt(2 / pi);
  }
  [[nodiscard]] int num_channels() const override { return 0; }
  [[nodiscard]] int channel_l(int) const override { return 0; }
  [[nodiscard]] int num_projectors(int) const override { return 0; }
  [[nodiscard]] double coupling(int, int, int) const override { return 0; }
  [[nodiscard]] double projector(int, int, double) const override { return 0; }
  [[nodiscard]] double projector_slope(int, int, double) const override { return 0; }
  [[nodiscard]] double projector_radial(int, int, double) const override { return 0; }
  [[nodiscard]] bool has_core_density() const override { return core_ > 0; }
  [[nodiscard]] double core_density(double g) const override {
    ++calls;
    return core_ * std::exp(-0.5 * width_ * width_ * g * g);
  }
  [[nodiscard]] double core_density_slope(double g) const override {
    return -core_ * width_ * width_ * g * std::exp(-0.5 * width_ * width_ * g * g);
  }
  mutable int calls = 0;

 private:
  std::string element_ = "Al";
  std::vector<double> occupation_{2, 1};
  double core_, width_;
};

const Crystal two_atoms{skewed, {"Al", "O"}, {{0, {0.1, 0.2, -0.3}}, {1, {0.55, 0.6, 0.35}}, {0, {0.8, 0.7, 0.5}}}};

TEST(CoreDensity, IsTheSumOverAtoms) {
  const double charge = 2.5, width = 0.6;
  const auto al = std::make_shared<GaussianAtom>(charge, width);
  const Pseudopotentials atoms{al, std::make_shared<GaussianAtom>()};
  GridSetup setup(Scheme::balanced, skewed, {30, 27, 32});
  const auto core = core_density(setup.fft.waves(), two_atoms, atoms);
  ASSERT_EQ(core.size(), static_cast<std::size_t>(setup.fft.waves().size()));
  const std::vector<double> values = setup.fft.to_real(core);
  const auto expected = setup.field([&](int x, int y, int z) {
    double sum = 0;
    for (const std::size_t atom : {0, 2})
      for (int image = 0; image < 343; ++image) {
        const Vec3 shift{image % 7 - 3.0, image / 7 % 7 - 3.0, image / 49 - 3.0};
        const Vec3 d = skewed.cartesian(place({30, 27, 32}, x, y, z) - two_atoms.atoms[atom].position + shift);
        sum += charge * std::pow(2 * pi * width * width, -1.5) * std::exp(-0.5 * norm2(d) / (width * width));
      }
    return sum;
  });
  EXPECT_LT(largest_difference(values, expected), 1e-9);
  EXPECT_NEAR(setup.fft.volume_element() * Comm::world().sum(std::accumulate(values.begin(), values.end(), 0.0)),
              2 * charge, 1e-11);
  EXPECT_TRUE(core_density(setup.fft.waves(), two_atoms, {atoms[1], atoms[1]}).empty());
}

TEST(CoreDensity, EvaluatesTheRadialFunctionOncePerShell) {
  const auto al = std::make_shared<GaussianAtom>(1.0, 0.5);
  GridSetup setup(Scheme::greedy, Lattice({{{9, 0, 0}, {0, 9, 0}, {0, 0, 9}}}), {12, 12, 12}, Comm::self());
  const Crystal crystal{setup.fft.waves().lattice(), {"Al"}, {{0, {0, 0, 0}}, {0, {0.5, 0, 0}}}};
  (void)core_density(setup.fft.waves(), crystal, {al});
  EXPECT_LE(al->calls, 6 * 6 * 3 + 1);
}

TEST(EnergyTerms, WithSpinGradientAndCoreIsTheDerivativeOfTheEnergies) {
  const Pseudopotentials atoms{std::make_shared<GaussianAtom>(1.5, 0.7), std::make_shared<GaussianAtom>()};
  for (const int spins : {1, 2}) {
    GridSetup setup(Scheme::cyclic, skewed, {10, 9, 12});
    const GridPotential effective = setup.terms("PBE", spins, two_atoms, atoms);
    const SpinFields at = rough_fields(setup, spins);
    SpinFields change;
    for (int c = 0; c < spins; ++c)
      change.push_back(setup.field([&](int x, int y, int z) { return random_at({x, y, z, 7 + c}); }));
    const auto energy = [&](double step) {
      SpinFields moved = at;
      for (std::size_t c = 0; c < at.size(); ++c)
        for (std::size_t i = 0; i < at[c].size(); ++i) moved[c][i] += step * change[c][i];
      const BothForms density(setup.fft, std::move(moved));
      const auto e = effective.energies({density.coefficients, density.values});
      return e.at("hartree") + e.at("xc") + e.at("local");
    };
    const double h = 2e-4;
    const double slope = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h);
    const BothForms density(setup.fft, at);
    const SpinFields v = effective.potential({density.coefficients, density.values}).v;
    ASSERT_EQ(static_cast<int>(v.size()), spins);
    EXPECT_NEAR(slope, work(setup, v, change), 1e-7 * std::abs(slope));
  }
}

}  // namespace
}  // namespace wavegrid::test_xc_potential
