// The operator -1/2 div(v_tau grad) and the kinetic-energy density on plane waves, compared with gradients of the bands
// and with each other.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/hamiltonian/grid_projectors.hpp>
#include <wavegrid/hamiltonian/hamiltonian.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_kinetic_density {
namespace {

using Complex = std::complex<double>;
using SingleComplex = std::complex<float>;

constexpr double ecut = 4.0;
constexpr Index count = 7;

const Crystal& crystal() {
  static const Crystal value{Lattice({{{6, 0.5, 0}, {0.2, 5.5, 1}, {-0.5, 0, 6.5}}}),
                             {"Al", "Si"},
                             {{0, {0.1, 0.2, -0.3}}, {1, {0.55, 0.6, 0.35}}}};
  return value;
}

const Pseudopotentials& pseudopotentials() {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  static const Pseudopotentials value{std::make_shared<GthPotential>(table.find("Al")),
                                      std::make_shared<GthPotential>(table.find("Si"))};
  return value;
}

/// A few waves, some of them faster than bands of this cutoff can follow, and the Laplacian of their sum.
struct Waves {
  double value = 0.4, laplacian = 0;
  Waves(const Vec3& fractional, int seed) {
    for (const Int3& g : {Int3{1, 0, 0}, {0, 2, -1}, {3, 1, 2}, {-2, 4, 5}, {0, 0, 7}}) {
      const Vec3 n{double(g[0]), double(g[1]), double(g[2])};
      const double phase = 2 * std::numbers::pi * (dot(n, fractional) + random_at({seed, g[0], g[1], g[2]}));
      const double term = 0.2 * random_at({seed, g[0], g[1], g[2], 1}) * std::cos(phase);
      value += term;
      laplacian -= norm2(crystal().lattice.g_vector(n)) * term;
    }
  }
};

/// One H without projectors in it, on the ranks of the world.
template <class S>
struct Setup {
  using Real = RealOf<S>;
  static constexpr Mode mode = ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex;
  Vec3 k = mode == Mode::gamma ? Vec3{0, 0, 0} : Vec3{0.25, -0.5, 0.125};
  Int3 grid = default_grid(crystal().lattice, 1.1 * ecut);
  GSphere sphere{crystal().lattice, ecut, grid, mode, k};
  ProcessGroups levels;
  Partition partition;
  ProcessGrid ranks;
  BandFft<Real> fft;
  NonlocalPotential<S> nonlocal;
  Hamiltonian<S> h;
  Bands<S> psi;

  explicit Setup(Scheme scheme = Scheme::balanced, int band_groups = 1)
      : levels(Comm::world(), {1, band_groups}),
        partition(make_partition(scheme, sphere.counts(), grid[0], levels.band_group().size())),
        ranks(levels.band_group(), partition.shape.rows, partition.shape.columns),
        fft(levels, ranks, sphere, partition, {.transport = Transport::alltoallv, .laplacians = true}),
        nonlocal(fft.rows(), k, Crystal{crystal().lattice, {}, {}}, {}),
        h(fft, nonlocal, nullptr),
        psi(fft.rows().size() * rows_per_wave<S>, count) {
    h.fill_random(0, psi.view());
    const std::vector<double> norms = squared_norms<S>(h.product(), std::as_const(psi).view());
    for (Index b = 0; b < count; ++b)
      for (Index i = 0; i < psi.rows(); ++i)
        psi.view().band(b)[i] /= static_cast<Real>(std::sqrt(norms[static_cast<std::size_t>(b)]));
  }

  /// (1/4 Lap v_tau, v_tau) at the points of this rank.
  std::vector<Real> potential(int seed) const {
    std::vector<Real> values, v_tau;
    const FftLayout& l = fft.layout();
    for (Index x = l.x.begin; x < l.x.end; ++x)
      for (Index y = l.y.begin; y < l.y.end; ++y)
        for (Index z = 0; z < l.grid[2]; ++z) {
          const Waves v({double(x) / l.grid[0], double(y) / l.grid[1], double(z) / l.grid[2]}, seed);
          values.push_back(static_cast<Real>(0.25 * v.laplacian));
          v_tau.push_back(static_cast<Real>(v.value));
        }
    values.insert(values.end(), v_tau.begin(), v_tau.end());
    return values;
  }

  /// 1/2 <grad psi_a|v_tau grad psi_b> + <psi_a|T|psi_b>.
  Matrix<S> by_gradients(std::span<const Real> v_tau) {
    Matrix<S> sum(count, count);
    Bands<S> slope(psi.rows(), count), times(psi.rows(), count);
    const PlaneWaves& waves = fft.rows();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (Index b = 0; b < count; ++b)
        for (Index i = 0; i < waves.size(); ++i)
          coefficients(slope.view())[b * waves.size() + i] =
              ComplexOf<S>(0, static_cast<Real>(waves.k_plus_g(i)[axis])) *
              coefficients(psi.view())[b * waves.size() + i];
      fft.apply_local(coefficients(slope.view()), v_tau.data(), coefficients(times.view()), count);
      for (Index i = 0; i < psi.rows() * count; ++i) times.view().data[i] += slope.view().data[i];
      const Matrix<S> part = overlap<S>(h.product(), std::as_const(slope).view(), std::as_const(times).view());
      for (Index a = 0; a < count; ++a)
        for (Index b = 0; b < count; ++b) sum(a, b) += Real(0.5) * part(a, b);
    }
    return sum;
  }
};

template <class S>
class KineticDensity : public testing::Test {
 protected:
  static constexpr double bound = is_single<S> ? 2e-5 : 1e-12;
};
using Scalars = testing::Types<double, Complex, float, SingleComplex>;
TYPED_TEST_SUITE(KineticDensity, Scalars);

TYPED_TEST(KineticDensity, TheOperatorIsThatOfGradients) {
  using S = TypeParam;
  for (const Scheme scheme : {Scheme::greedy, Scheme::optimized})
    for (int groups = 1; groups <= Comm::world().size(); ++groups) {
      Setup<S> setup(scheme, groups);
      const auto v = setup.potential(1);
      setup.h.set_potential({v, 2});
      Bands<S> out(setup.psi.rows(), count);
      setup.h.apply(std::as_const(setup.psi).view(), out.view());
      const Matrix<S> found = overlap<S>(setup.h.product(), std::as_const(setup.psi).view(), std::as_const(out).view());
      const Matrix<S> expected = setup.by_gradients(std::span(v).subspan(v.size() / 2));
      for (Index a = 0; a < count; ++a)
        for (Index b = 0; b < count; ++b) EXPECT_LT(std::abs(found(a, b) - expected(a, b)), this->bound);
    }
}

TYPED_TEST(KineticDensity, AChangeOfThePotentialIsApplied) {
  using S = TypeParam;
  Setup<S> setup;
  const auto first = setup.potential(1), second = setup.potential(2);
  auto change(second);
  for (std::size_t i = 0; i < change.size(); ++i) change[i] -= first[i];
  Bands<S> updated(setup.psi.rows(), count), anew(setup.psi.rows(), count);
  setup.h.set_potential({first, 2});
  setup.h.apply(std::as_const(setup.psi).view(), updated.view());
  setup.h.apply_change(change, std::as_const(setup.psi).view(), updated.view());
  setup.h.set_potential({second, 2});
  setup.h.apply(std::as_const(setup.psi).view(), anew.view());
  for (Index i = 0; i < updated.rows() * count; ++i)
    ASSERT_LT(std::abs(updated.view().data[i] - anew.view().data[i]), this->bound);
}

/// int v_tau tau + int 1/4 Lap v_tau n, where tau is what bands add to it, is the sum of f <psi|H|psi>: the operator is
/// the derivative of an energy that depends on these densities.
TYPED_TEST(KineticDensity, DensitiesBelongToTheOperator) {
  using S = TypeParam;
  const std::vector<double> weights{2.0, 1.5, 0.0, 0.3, 1.0, 0.7, 0.2};
  for (const int groups : {1, std::min(2, Comm::world().size())}) {
    Setup<S> setup(Scheme::cyclic, groups);
    const auto v = setup.potential(3);
    const std::size_t points = v.size() / 2;
    std::vector<double> n(points), tau(points), alone(points);
    setup.h.accumulate_densities(std::as_const(setup.psi).view(), weights, n, tau);
    setup.h.accumulate_density(std::as_const(setup.psi).view(), weights, alone);
    double found = 0;
    for (std::size_t i = 0; i < points; ++i) {
      ASSERT_NEAR(n[i], alone[i], this->bound);
      found += double(v[i]) * n[i] + double(v[points + i]) * tau[i];
    }
    found = Comm::world().sum(found) * crystal().lattice.volume() /
            (double(setup.grid[0]) * double(setup.grid[1]) * double(setup.grid[2]));
    setup.h.set_potential({v, 2});
    Bands<S> out(setup.psi.rows(), count);
    setup.h.apply(std::as_const(setup.psi).view(), out.view());
    const std::vector<double> energies =
        diagonal_overlaps<S>(setup.h.product(), std::as_const(setup.psi).view(), std::as_const(out).view());
    const std::vector<double> kinetic = setup.h.kinetic_energies(std::as_const(setup.psi).view());
    double expected = 0;
    for (std::size_t b = 0; b < weights.size(); ++b) expected += weights[b] * (energies[b] - kinetic[b]);
    EXPECT_NEAR(found, expected, 10 * this->bound);
  }
}

/// One object for all k-points: the projectors are filtered once.
template <class Real>
std::shared_ptr<ProjectorSpheres<Real>> spheres() {
  static const auto all = std::make_shared<ProjectorSpheres<Real>>(
      ProjectorFilter{ecut, 1e-6, solve_pseudo_atoms(pseudopotentials())}, false);
  return all;
}

TYPED_TEST(KineticDensity, ProjectorsOnTheGridAreAdded) {
  using S = TypeParam;
  using Real = RealOf<S>;
  Setup<S> setup;
  GridProjectors<S> projectors(setup.fft, setup.k, crystal(), pseudopotentials(), spheres<Real>(),
                               {setup.levels, setup.ranks.all()});
  const auto v = setup.potential(4);
  const std::vector<Real> zero(v.size() / 2, Real(0));
  Bands<S> both(setup.psi.rows(), count), nonlocal(setup.psi.rows(), count), local(setup.psi.rows(), count);
  const auto on_grid = projectors.on_grid(projectors.couplings());
  const auto apply = [&](const GridOperators<Real>& operators, Bands<S>& out) {
    setup.fft.apply_on_grid(coefficients(std::as_const(setup.psi).view()), operators, coefficients(out.view()), count);
  };
  apply({v.data(), {on_grid.get()}, true, v.data() + zero.size()}, both);
  apply({zero.data(), {on_grid.get()}}, nonlocal);
  apply({v.data(), {}, true, v.data() + zero.size()}, local);
  for (Index i = 0; i < both.rows() * count; ++i)
    ASSERT_LT(std::abs(both.view().data[i] - nonlocal.view().data[i] - local.view().data[i]), this->bound);
}

}  // namespace
}  // namespace wavegrid::test_kinetic_density
