// Radial meshes: what a file contains must not depend on how finely its mesh is divided. Quintic splines through the
// points of a logarithmic mesh give values on a finer one. And potentials that differ from -Z/r far from the atom.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <numbers>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/pseudo/radial_potential.hpp>
#include <wavegrid/pseudo/readers.hpp>

namespace wavegrid::test_radial_meshes {
namespace {

namespace fs = std::filesystem;
constexpr double pi = std::numbers::pi;
using Vector = std::vector<double>;

/// The quintic spline through y at 0, 1, ..., even about both ends.
class QuinticSpline {
 public:
  explicit QuinticSpline(const Vector& y) : c_(y) {
    const std::size_t n = y.size();
    std::vector<std::array<double, 5>> rows(n);  // row i: columns i-2 to i+2
    for (std::size_t i = 0; i < n; ++i)
      for (int k = -2; k <= 2; ++k) rows[i][column(inside(i, k), i)] += std::array{66.0, 26.0, 1.0}[std::abs(k)] / 120;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < std::min(i + 3, n); ++j) {
        const double factor = rows[j][column(i, j)] / rows[i][2];
        for (std::size_t k = i; k < std::min(i + 3, n); ++k) rows[j][column(k, j)] -= factor * rows[i][column(k, i)];
        c_[j] -= factor * c_[i];
      }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < std::min(i + 3, n); ++k) c_[i] -= rows[i][column(k, i)] * c_[k];
      c_[i] /= rows[i][2];
    }
  }

  double operator()(double x) const {
    const auto i = static_cast<std::size_t>(x);
    double sum = 0.0;
    for (int k = -2; k <= 3; ++k) sum += c_[inside(i, k)] * basis(std::abs(x - static_cast<double>(i) - k));
    return sum;
  }

 private:
  static std::size_t column(std::size_t k, std::size_t i) { return k + 2 - i; }
  /// i + k, reflected at the ends.
  [[nodiscard]] std::size_t inside(std::size_t i, int k) const {
    const auto last = static_cast<std::ptrdiff_t>(c_.size()) - 1, j = std::abs(static_cast<std::ptrdiff_t>(i) + k);
    return static_cast<std::size_t>(j > last ? 2 * last - j : j);
  }
  static double basis(double t) {
    double sum = 0.0;
    for (const auto& [width, weight] : {std::pair(3, 1.0), {2, -6.0}, {1, 15.0}})
      if (t < width) sum += weight * std::pow(width - t, 5) / 120;
    return sum;
  }

  Vector c_;
};

constexpr std::size_t times = 4;

/// y on a mesh of `times` as many points.
Vector refined(const Vector& y) {
  const QuinticSpline spline(y);
  Vector fine;
  for (std::size_t i = 0; i <= times * (y.size() - 1); ++i) fine.push_back(spline(static_cast<double>(i) / times));
  return fine;
}

Vector map(const Vector& y, const std::function<double(double, std::size_t)>& f) {
  Vector result;
  for (std::size_t i = 0; i < y.size(); ++i) result.push_back(f(y[i], i));
  return result;
}

RadialData refined(const RadialData& data) {
  RadialData fine = data;
  const Vector logarithm = map(data.r, [](double r, std::size_t) { return std::log(r); });
  fine.r = map(refined(logarithm), [](double x, std::size_t) { return std::exp(x); });
  const Vector times_r = refined(map(data.local, [&](double v, std::size_t i) { return v * data.r[i]; }));
  fine.local = map(times_r, [&](double v, std::size_t i) { return v / fine.r[i]; });
  for (auto& channel : fine.channels)
    for (Vector& p : channel.r_projectors) p = refined(p);
  if (!data.core.empty()) fine.core = refined(data.core);
  fine.orbitals.clear();
  return fine;
}

/// The largest differences of transforms at wave vectors up to 12/bohr: of the local potential (Ha bohr^3), of
/// projectors times the root of their coupling, and of core densities.
struct Change {
  double local = 0.0, projectors = 0.0, core = 0.0;
};

Change change(const RadialPotential& a, const RadialPotential& b) {
  Change found{std::abs(a.local_core() - b.local_core())};
  for (double g = 0.4; g < 12.0; g += 0.7) {
    found.local = std::max(found.local, std::abs(a.local(g) - b.local(g)));
    for (int c = 0; c < a.num_channels(); ++c)
      for (int i = 0; i < a.num_projectors(c); ++i)
        found.projectors = std::max(found.projectors, std::sqrt(std::abs(a.coupling(c, i, i))) *
                                                          std::abs(a.projector(c, i, g) - b.projector(c, i, g)));
    found.core = std::max(found.core, std::abs(a.core_density(g) - b.core_density(g)));
  }
  return found;
}

Vector logarithmic(double first, double ratio, double end) {
  Vector r{first};
  while (r.back() < end) r.push_back(r.back() * ratio);
  return r;
}

/// Silicon with four electrons and V_loc = -4 erf(r)/r; without projectors.
RadialData silicon(Vector r) {
  RadialData data{.element = "Si", .charge = 4, .r = std::move(r)};
  data.local = map(data.r, [](double x, std::size_t) { return x > 0.0 ? -4 * std::erf(x) / x : -8 / std::sqrt(pi); });
  return data;
}

// The projectors of Troullier and Martins end where theirs meet the local potential.
TEST(RadialMeshes, ProjectorsThatEndWithAKink) {
  for (const double ratio : {1.03, 1.065})
    for (const double power : {1.0, 3.0}) {
      RadialData data = silicon(logarithmic(1e-4, ratio, 60.0));
      const auto projector = [&](double x, std::size_t) { return x * std::pow(std::max(1 - x / 1.31, 0.0), power); };
      data.channels.push_back({0, {map(data.r, projector)}, {10.0}});
      const RadialPotential coarse(data), fine(refined(data));
      EXPECT_LT(change(coarse, fine).projectors, 1e-5) << ratio << " " << power;
      data.channels[0].r_projectors[0].resize(  // a reader cuts them behind their radius
          static_cast<std::size_t>(std::lower_bound(data.r.begin(), data.r.end(), 1.31) - data.r.begin()) + 1);
      EXPECT_LT(change(coarse, RadialPotential(data)).projectors, 1e-12) << ratio << " " << power;
    }
}

// Those of JTH's datasets go straight to a zero at a mesh point.
TEST(RadialMeshes, KinksAtAMeshPointCostNothing) {
  RadialData data = silicon(logarithmic(1e-4, 1.006, 60.0));
  const double end = *std::lower_bound(data.r.begin(), data.r.end(), 1.31);
  const auto projector = [&](double x, std::size_t) { return x * std::max(1 - x / end, 0.0); };
  data.channels.push_back({0, {map(data.r, projector)}, {10.0}});
  const RadialPotential potential(data);
  for (const double g : {0.5, 2.0, 5.0}) {  // 4 pi / g int_0^end (1 - x / end) x sin(g x) dx
    const double a = g * end, expected = 4 * pi * (2 - 2 * std::cos(a) - a * std::sin(a)) / (end * std::pow(g, 4));
    EXPECT_NEAR(potential.projector(0, 0, g), expected, 1e-9) << g;
  }
}

// In PAW XML the first zero is the end of a projector also where it jumps.
TEST(RadialMeshes, ProjectorsThatJumpEndAtTheirFirstZero) {
  const Vector r = logarithmic(1e-4, 1.006, 60.0);
  const double end = *std::lower_bound(r.begin(), r.end(), 1.31);
  const Vector jump = map(r, [&](double x, std::size_t) { return x < end ? x * (1.1 - x / end) : 0.0; });
  const RadialFunction anywhere(r, jump, 1), there(r, jump, 1, OuterEnd::first_zero);
  EXPECT_GT(anywhere.r_max(), end);
  EXPECT_EQ(there.r_max(), end);
  EXPECT_EQ(there(1.001 * end), 0.0);
  for (const double x : {0.3, 1.0, 1.2}) EXPECT_NEAR(there(x), x * (1.1 - x / end), 1e-12) << x;
  RadialData data = silicon(r);
  data.channels.push_back({0, {jump}, {10.0}, {}, OuterEnd::first_zero});
  EXPECT_EQ(RadialPotential(data).projector_radial(0, 0, 1.001 * end), 0.0);
}

// r = a i / (n - i), as in GPAW's datasets.
TEST(RadialMeshes, AFunctionEndsWhereItIsNegligibleOnAMeshThatEndsFarAway) {
  Vector r;
  for (int i = 0; i < 450; ++i) r.push_back(0.6 * i / (450 - i));
  RadialData data = silicon(r);
  data.orbitals.push_back({0, map(r, [](double x, std::size_t) { return 2 * x * std::exp(-x); })});
  const RadialPotential potential(data);
  for (const double g : {0.0, 0.5, 2.0, 8.0, 20.0})
    EXPECT_NEAR(potential.orbital(0, g), 16 * pi / std::pow(1 + g * g, 2), 1e-6) << g;  // of the splines
}

// Measured: 8.8e-7 of local potentials but for the constant, 1.1e-5 of that (the mesh point of the cut at 10
// bohr), 2.8e-4 for Si.rel-pbe-rrkj.UPF; 2.5e-6 of projectors, 2.2e-4 for Si.pbe-rrkj.UPF: values of these change their
// sign from point to point.
TEST(RadialMeshes, FilesOfQuantumEspresso) {
  const fs::path folder = "/usr/share/espresso/pseudo";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "quantum-espresso-data is not installed";
  int checked = 0;
  for (const auto& file : fs::directory_iterator(folder)) try {
      const TextFile text(file.path());
      if (!looks_like_upf(text)) continue;
      RadialData data = read_upf(text).data;
      const bool augmented = data.augmented != nullptr;
      if (augmented) data.channels.clear();  // these projectors jump to 0 at their end
      const Change found = change(RadialPotential(data), RadialPotential(refined(data)));
      const bool has_noise = augmented || file.path().filename() == "Si.rel-pbe-rrkj.UPF";  // at the cut
      EXPECT_LT(found.local, has_noise ? 3e-4 : 2e-5) << file.path();
      EXPECT_LT(found.projectors, file.path().filename() == "Si.pbe-rrkj.UPF" ? 5e-4 : 1e-5) << file.path();
      EXPECT_LT(found.core, augmented ? 5e-8 : 1e-8) << file.path();
      ++checked;
    } catch (const Error&) {  // of a kind that is not read
    }
  EXPECT_GE(checked, 12);
}

// V = -(Z/r) (1 - exp(-k r)): its transform is -4 pi Z / g^2 + 4 pi Z / (g^2 + k^2). At 10 bohr r V + Z is still 0.03.
TEST(RadialMeshes, LocalPotentialsThatEndBeyondTenBohr) {
  constexpr double k = 0.5;
  Vector uniform;
  for (int i = 0; i <= 4500; ++i) uniform.push_back(0.01 * i);
  for (const Vector& mesh : {uniform, logarithmic(1e-4, 1.02, 90.0)}) {
    RadialData data = silicon(mesh);
    data.local = map(mesh, [](double x, std::size_t) { return x > 0.0 ? 4 * std::expm1(-k * x) / x : -4 * k; });
    const RadialPotential potential(data);
    EXPECT_NEAR(potential.local_core(), 16 * pi / (k * k), 2e-4);
    for (const double g : {0.3, 0.9, 2.0, 6.0})
      EXPECT_NEAR(potential.local(g), 16 * pi * (1 / (g * g + k * k) - 1 / (g * g)), 1e-5) << g;
    EXPECT_NEAR(potential.local_radial(14.0), 4 * std::expm1(-7.0) / 14.0, 1e-9);
  }
}

// Errors of generators beyond 10 bohr are cut: small ones and those that do not vanish.
TEST(RadialMeshes, ErrorsOfTheTailAreCut) {
  const RadialData exact = silicon(logarithmic(1e-4, 1.02, 90.0));
  for (const double error : {9e-5, 2e-3}) {
    RadialData data = exact;
    for (std::size_t i = 0; i < data.r.size(); ++i)
      if (data.r[i] > 10.5) data.local[i] += error / data.r[i];
    EXPECT_EQ(RadialPotential(data).local_core(), RadialPotential(exact).local_core()) << error;
  }
}

}  // namespace
}  // namespace wavegrid::test_radial_meshes
