// Projectors on the points of the FFT grid, compared with those on plane waves and with their own energy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/hamiltonian/grid_projectors.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/hamiltonian/nonlocal_term.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_grid_projectors {
namespace {

using Complex = std::complex<double>;

constexpr double ecut = 4.0, accuracy = 1e-6;
const Int3 grid{25, 21, 26};

Crystal crystal() {
  return {Lattice({{{6, 0.5, 0}, {0.2, 5.5, 1}, {-0.5, 0, 6.5}}}),
          {"Al", "Si"},
          {{0, {0.1, 0.2, -0.3}}, {1, {0.55, 0.6, 0.35}}, {0, {1.7, 0.15, 0.4}}}};
}

const Pseudopotentials& potentials() {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  static const Pseudopotentials value{std::make_shared<GthPotential>(table.find("Al")),
                                      std::make_shared<GthPotential>(table.find("Si"))};
  return value;
}

/// Spheres whose projectors are filtered for `crystal()`. They are filtered once, which takes most of the time.
template <class Real>
std::shared_ptr<ProjectorSpheres<Real>> new_spheres(bool deterministic = false) {
  static const auto filtered = [](bool pieces_are_runs) {
    ProjectorSpheres<Real> spheres({ecut, accuracy, solve_pseudo_atoms(potentials())}, pieces_are_runs);
    spheres.set({grid, {0, grid[0]}, {0, grid[1]}}, crystal(), potentials());
    return spheres;
  };
  static const std::array known{filtered(false), filtered(true)};
  return std::make_shared<ProjectorSpheres<Real>>(known[deterministic ? 1 : 0]);
}

/// How the ranks divide the bands and the grid.
struct Layout {
  int band_groups = 1;
  Scheme scheme = Scheme::greedy;
  bool deterministic = false;
  Comm comm = Comm::world();
};

/// Both kinds of projectors at a k-point, and bands with few fast waves. Amplitudes are functions of G.
template <class S>
struct BothKinds {
  using Real = RealOf<S>;
  static constexpr Mode mode = ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex;
  static constexpr Index count = 5;
  Crystal atoms;
  Vec3 k;
  GSphere sphere;
  ProcessGroups levels;
  Partition partition;
  ProcessGrid ranks;
  BandFft<Real> fft;
  InnerProduct product;
  NonlocalPotential<S> on_waves;
  GridProjectors<S> on_grid;
  Bands<S> psi;
  std::vector<double> occupations{2.0, 1.5, -0.1, 0.7, 0.0};

  explicit BothKinds(const Crystal& of = crystal(), const Layout& layout = {},
                     std::shared_ptr<ProjectorSpheres<Real>> spheres = nullptr)
      : atoms(of),
        k(mode == Mode::gamma ? Vec3{0, 0, 0} : Vec3{0.25, -0.4, 0.125}),
        sphere(atoms.lattice, ecut, grid, mode, k),
        levels(layout.comm, {1, std::min(layout.band_groups, layout.comm.size())}),
        partition(make_partition(layout.scheme, sphere.counts(), grid[0], levels.band_group().size())),
        ranks(levels.band_group(), partition.shape.rows, partition.shape.columns),
        fft(levels, ranks, sphere, partition,
            {.transport = Transport::alltoallv, .deterministic = layout.deterministic}),
        product(wave_product(layout.comm, fft.rows())),
        on_waves(fft.rows(), k, atoms, potentials()),
        on_grid(fft, k, atoms, potentials(), spheres ? spheres : new_spheres<Real>(layout.deterministic),
                {levels, ranks.all(), layout.deterministic}),
        psi(fft.rows().size() * rows_per_wave<S>, count) {
    const PlaneWaves& waves = fft.rows();
    for (Index b = 0; b < count; ++b)
      for (Index i = 0; i < waves.size(); ++i) {
        const Int3& g = waves.g()[static_cast<std::size_t>(i)];
        const bool real = mode == Mode::gamma && i == waves.zero();
        const double fall = std::exp(-waves.kinetic()[static_cast<std::size_t>(i)]);
        coefficients(psi.view())[b * waves.size() + i] = ComplexOf<S>(Complex(
            fall * random_at({b, g[0], g[1], g[2], 0}), real ? 0.0 : fall * random_at({b, g[0], g[1], g[2], 1})));
      }
  }

  /// V_nl psi, on the grid without a local potential.
  [[nodiscard]] Bands<S> applied_on_grid() {
    const std::vector<Real> zero(static_cast<std::size_t>(fft.grid_size()), Real(0));
    Bands<S> out(psi.rows(), count);
    const auto projectors = on_grid.on_grid(on_grid.couplings());
    fft.apply_on_grid(coefficients(std::as_const(psi).view()), {zero.data(), {projectors.get()}},
                      coefficients(out.view()), count);
    return out;
  }
  [[nodiscard]] Bands<S> applied_on_waves() {
    Bands<S> out(psi.rows(), count);
    std::fill_n(out.view().data, psi.rows() * count, S(0));
    NonlocalTerm<S>(on_waves).apply(product, std::as_const(psi).view(), out.view());
    return out;
  }
  [[nodiscard]] double energy() {
    const std::vector<double> of_bands = NonlocalTerm<S>(on_grid).energies(product, std::as_const(psi).view());
    return std::inner_product(of_bands.begin(), of_bands.end(), occupations.begin(), 0.0);
  }
};

template <class S>
double largest_difference(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  Bands<S> difference(a.rows, a.count);
  for (Index i = 0; i < a.rows * a.count; ++i) difference.view().data[i] = a.data[i] - b.data[i];
  double largest = 0;
  for (const double norm : squared_norms<S>(product, std::as_const(difference).view()))
    largest = std::max(largest, std::sqrt(norm));
  return largest;
}

template <class S>
class GridProjectorsOf : public testing::Test {};
using Scalars = testing::Types<double, Complex, float, std::complex<float>>;
TYPED_TEST_SUITE(GridProjectorsOf, Scalars);

TYPED_TEST(GridProjectorsOf, AreThoseOnPlaneWaves) {
  using S = TypeParam;
  const double rounding = is_single<S> ? 2e-5 : 1e-12;
  for (const int band_groups : {1, 2})
    for (const Scheme scheme : {Scheme::greedy, Scheme::optimized}) {
      BothKinds<S> at(crystal(), {band_groups, scheme});
      const Bands<S> on_grid = at.applied_on_grid(), on_waves = at.applied_on_waves();
      EXPECT_LT(largest_difference<S>(at.product, on_grid.view(), on_waves.view()), 3e-5);
      const auto energies = NonlocalTerm<S>(at.on_grid).energies(at.product, std::as_const(at.psi).view());
      const auto expected = diagonal_overlaps<S>(at.product, std::as_const(at.psi).view(), on_grid.view());
      const auto exact = NonlocalTerm<S>(at.on_waves).energies(at.product, std::as_const(at.psi).view());
      for (std::size_t b = 0; b < energies.size(); ++b) {
        EXPECT_NEAR(energies[b], expected[b], rounding) << b;
        EXPECT_NEAR(energies[b], exact[b], 1e-5) << b;
        EXPECT_GT(std::abs(exact[b]), 0.01);
      }
    }
}

template <class S>
class DerivativesOnGridOf : public testing::Test {};
using Doubles = testing::Types<double, Complex>;
TYPED_TEST_SUITE(DerivativesOnGridOf, Doubles);

/// (f(h) - f(-h)) / 2h to fourth order.
template <class F>
double slope(F f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

TYPED_TEST(DerivativesOnGridOf, AreThoseOfTheirEnergyAndNearThoseOnPlaneWaves) {
  using S = TypeParam;
  BothKinds<S> at(crystal(), {2});
  const auto found =
      NonlocalTerm<S>(at.on_grid).derivatives(at.product, std::as_const(at.psi).view(), at.occupations, true);
  const auto exact =
      NonlocalTerm<S>(at.on_waves).derivatives(at.product, std::as_const(at.psi).view(), at.occupations, true);
  EXPECT_NEAR(found.energy, at.energy(), 1e-12);
  for (std::size_t atom = 0; atom < 3; ++atom)
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found.forces[atom][axis], exact.forces[atom][axis], 3e-5);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(found.strain[a][b], exact.strain[a][b], 1e-4);
  for (const std::size_t atom : {0, 1}) {
    const auto energy = [&, atom = atom](double x) {
      Crystal moved = crystal();
      moved.atoms[atom].position = moved.atoms[atom].position + Vec3{x, 0, 0};
      at.on_grid.set_crystal(moved, potentials());
      return at.energy();
    };
    const double along = dot(found.forces[atom], at.atoms.lattice.vectors()[0]);
    // A small step: second derivatives of a filtered function jump at its radius.
    EXPECT_NEAR(along, -slope(energy, 1e-5), 1e-7) << atom;
  }
  at.on_grid.set_crystal(crystal(), potentials());
  const auto spheres = std::make_shared<ProjectorSpheres<double>>(at.on_grid.spheres());
  const auto strained_energy = [&](double x) {
    Mat3 vectors = crystal().lattice.vectors();
    for (Vec3& vector : vectors) vector[0] += x * vector[2];
    Crystal strained = crystal();
    strained.lattice = Lattice(vectors);
    BothKinds<S> other(strained, {2}, spheres);
    for (Index i = 0; i < other.psi.rows() * other.count; ++i) other.psi.view().data[i] = at.psi.view().data[i];
    return other.energy();
  };
  // The filter follows the wave numbers of the cell, which the derivative leaves out.
  EXPECT_NEAR(found.strain[0][2], slope(strained_energy, 1e-4), 3e-5);
}

/// Hermitian matrices that are not diagonal, complex where S is.
template <class S>
AtomMatrices made_up(const std::vector<Range>& atom_projectors, int seed) {
  AtomMatrices all;
  for (std::size_t a = 0; a < atom_projectors.size(); ++a) {
    const Index n = atom_projectors[a].size();
    Matrix<Complex> m(n, n);
    for (Index j = 0; j < n; ++j) {
      m(j, j) = 1 + random_at({seed, static_cast<Index>(a), j});
      for (Index i = 0; i < j; ++i) {
        const double imaginary = ScalarTraits<S>::is_real ? 0.0 : random_at({seed, static_cast<Index>(a), i, j, 1});
        m(i, j) = Complex(random_at({seed, static_cast<Index>(a), i, j, 0}), imaginary);
        m(j, i) = std::conj(m(i, j));
      }
    }
    all.push_back(std::move(m));
  }
  return all;
}

TYPED_TEST(DerivativesOnGridOf, MatricesOfCouplingsAndOverlaps) {
  using S = TypeParam;
  BothKinds<S> at(crystal(), {2});
  const BandView<const S> psi = std::as_const(at.psi).view();
  NonlocalTerm<S> grid(at.on_grid), waves(at.on_waves);
  for (NonlocalTerm<S>* one : {&grid, &waves}) {
    Projectors<S>& form = one == &grid ? static_cast<Projectors<S>&>(at.on_grid) : at.on_waves;
    one->set_couplings(made_up<S>(form.atom_projectors(), 1));
    one->set_overlaps(made_up<S>(form.atom_projectors(), 2));
  }
  // S psi, by the operator on the grid, by <p|psi> and p c, and on plane waves
  Bands<S> found(psi.rows, psi.count), apart(psi.rows, psi.count), exact(psi.rows, psi.count);
  grid.apply_overlap(at.fft, at.product, psi, found.view());
  waves.apply_overlap(at.fft, at.product, psi, exact.view());
  const Couplings q = couplings_for<S>(made_up<S>(at.on_grid.atom_projectors(), 2), at.on_grid.atom_projectors());
  Matrix<S> c = at.on_grid.overlaps(at.product, psi);
  q.multiply(projections_in(c));
  std::copy_n(psi.data, psi.rows * psi.count, apart.view().data);
  at.on_grid.add(at.product, c, apart.view());
  EXPECT_LT(largest_difference<S>(at.product, std::as_const(found).view(), std::as_const(apart).view()), 1e-12);
  EXPECT_LT(largest_difference<S>(at.product, std::as_const(found).view(), std::as_const(exact).view()), 1e-4);
  EXPECT_GT(largest_difference<S>(at.product, std::as_const(found).view(), psi), 0.1);
  // energies and derivatives
  const std::vector<double> energies = grid.energies(at.product, psi), others = waves.energies(at.product, psi);
  for (std::size_t b = 0; b < energies.size(); ++b) EXPECT_NEAR(energies[b], others[b], 1e-4) << b;
  const std::vector<double> eigenvalues{-0.3, 0.1, 0.4, 0.7, 1.0};
  const auto d = grid.derivatives(at.product, psi, at.occupations, true, eigenvalues);
  const auto e = waves.derivatives(at.product, psi, at.occupations, true, eigenvalues);
  EXPECT_NEAR(d.energy, e.energy, 1e-4);
  for (std::size_t a = 0; a < d.forces.size(); ++a) EXPECT_LT(norm(d.forces[a] - e.forces[a]), 1e-3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(d.strain[i][j], e.strain[i][j], 3e-3);
}

TEST(GridProjectors, DeterministicSumsGiveTheBitsOfOneRank) {
  using S = Complex;
  BothKinds<S> at(crystal(), {1, Scheme::optimized, true});
  const auto psi = std::as_const(at.psi).view();
  const auto numbers_of = [](BothKinds<S>& of, BandView<const S> bands) {
    std::vector<double> numbers = NonlocalTerm<S>(of.on_grid).energies(of.product, bands);
    const auto derivatives = NonlocalTerm<S>(of.on_grid).derivatives(of.product, bands, of.occupations, true);
    for (const Vec3& force : derivatives.forces) numbers.insert(numbers.end(), force.begin(), force.end());
    for (const Vec3& row : derivatives.strain) numbers.insert(numbers.end(), row.begin(), row.end());
    const Bands<S> image = of.applied_on_grid();
    for (const double norm : squared_norms<S>(of.product, image.view())) numbers.push_back(norm);
    return numbers;
  };
  std::vector<double> numbers = numbers_of(at, psi);
  BothKinds<S> alone(crystal(), {1, Scheme::greedy, true, Comm::self()});
  const std::vector<double> expected = numbers_of(alone, std::as_const(alone.psi).view());
  for (std::size_t i = 0; i + 5 < numbers.size(); ++i) EXPECT_EQ(numbers[i], expected[i]) << i;
  for (std::size_t i = numbers.size() - 5; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], 1e-12);
}

TEST(GridProjectors, AnAccuracyThatTheGridCannotGiveIsRefused) {
  const GridWaves waves{3.0, 6.1};
  const PseudoAtom solved = solve_pseudo_atoms(potentials())[0];
  EXPECT_THROW((void)filter_to_accuracy(*potentials()[0], solved, waves, {1e-6, 100}), Error);
}

}  // namespace
}  // namespace wavegrid::test_grid_projectors
