// Wave functions mapped to equivalent k-points: the map must commute with H.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/irreducible_kpoints.hpp>
#include <wavegrid/discretisation/band_origin.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/initial_wavefunctions.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/planewaves/superposed_density.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/terms/density_symmetriser.hpp>
#include <wavegrid/terms/hartree_term.hpp>
#include <wavegrid/terms/local_term.hpp>
#include <wavegrid/terms/xc_term.hpp>
#include <wavegrid/wavefunctions/random_waves.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

#include "../unit/crystals.hpp"
#include "overlap_error.hpp"

namespace wavegrid::test_equivalent_kpoints {
namespace {

template <class S>
constexpr double within(double bound, double bound_in_single) {
  return is_single<S> ? bound_in_single : bound;
}

using Complex = std::complex<double>;
const Vec3 somewhere{0.125, -0.25, 0.3};

/// P 2_1/c: a screw axis and a glide plane, with translations that no choice of the origin removes.
Crystal monoclinic() {
  const Lattice lattice({{{7, 0, 0}, {0, 6, 0}, {-1.5, 0, 6.5}}});
  const Vec3 p{0.13, 0.21, 0.34};
  return {
      lattice,
      {"Al"},
      {{0, p}, {0, {-p[0], p[1] + 0.5, 0.5 - p[2]}}, {0, {-p[0], -p[1], -p[2]}}, {0, {p[0], 0.5 - p[1], p[2] + 0.5}}}};
}

/// P -1 with the centre of inversion away from the origin: (0.1, 0.125, 0.25).
Crystal centred_triclinic() {
  return {Lattice({{{6, 0.5, 0}, {0.2, 5.5, 1}, {-0.5, 0, 6.5}}}),
          {"Al", "Si"},
          {{0, {0.11, 0.23, 0.31}}, {0, {0.09, 0.02, 0.19}}, {1, {0.1, 0.125, 0.75}}}};
}

struct Material {
  std::string name;
  Crystal crystal;
  double ecut;
  Int3 grid;  // compatible with the whole group
  std::size_t operations;
};

std::vector<Material> materials() {
  return {{"Si, diamond", test_data::diamond_primitive(), 3.0, {12, 12, 12}, 48},
          {"Al, fcc, four atoms", test_data::fcc_conventional(), 1.5, {10, 10, 10}, 192},
          {"Al, monoclinic", monoclinic(), 3.0, {10, 10, 10}, 4},
          {"Al and Si, triclinic", centred_triclinic(), 4.0, {10, 8, 12}, 2}};
}

/// A crystal on the ranks of a group: its potential, that of superposed atoms, and bases at any k.
struct CrystalSetup {
  Material material;
  ProcessGroups levels;
  SpaceGroup group;
  Pseudopotentials atoms;
  std::vector<PseudoAtom> pseudo_atoms;
  Partition partition;  // of the sphere at k = 0, which gives the shape
  ProcessGrid ranks;
  FftLayout layout;
  GridFields fields;
  GridFft& grid;
  std::vector<double> potential;  // this rank's block of `grid`

  CrystalSetup(const Material& of, Scheme scheme, GroupCounts counts = {})
      : material(of),
        levels(Comm::world(), counts),
        group(find_space_group(of.crystal)),
        atoms(table_of(of.crystal)),
        pseudo_atoms(solve_pseudo_atoms(atoms)),
        partition(make_partition(scheme, GSphere(of.crystal.lattice, of.ecut, of.grid, Mode::complex).counts(),
                                 of.grid[0], levels.band_group().size())),
        ranks(levels.band_group(), partition.shape.rows, partition.shape.columns),
        layout(GSphere::box(of.crystal.lattice, of.grid),
               make_partition(scheme, GSphere::box(of.crystal.lattice, of.grid).counts(), partition.shape,
                              levels.band_group().size()),
               levels.band_group().rank(), sizeof(std::complex<double>)),
        fields(of.crystal.lattice, of.grid, of.ecut, group, {ranks, scheme, layout}, options()),
        grid(fields.grid()) {
    EXPECT_EQ(group.operations().size(), of.operations);
    SpinCoefficients density{superposed_density(grid.waves(), of.crystal, pseudo_atoms)};
    fields.symmetrise(density[0]);
    GridPotential::Terms terms;
    terms.push_back(std::make_unique<HartreeTerm<GridFields>>(fields));
    terms.push_back(std::make_unique<XcTerm<GridFields>>(fields, Xc::parse("LDA_XC_TETER93", 1), of.crystal, atoms));
    terms.push_back(std::make_unique<LocalTerm<GridFields>>(fields, of.crystal, atoms));
    const GridPotential effective(fields, std::move(terms));
    potential = effective.potential({{density, {}}, {{grid.to_real(density[0])}, {}}}).v[0];
  }

  static FftOptions options() { return {.transport = Transport::alltoallv, .effort = PlanEffort::estimate}; }
  static Pseudopotentials table_of(const Crystal& crystal) {
    const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
    Pseudopotentials all;
    for (const std::string& name : crystal.species) all.push_back(std::make_shared<GthPotential>(table.find(name)));
    return all;
  }
  FieldExchange exchange_with(const FftLayout& part) const {
    return {levels.kpoint_group(), grid_indices(grid.layout()), grid_indices(part), Transport::alltoallv};
  }
};

/// H at one k of a setup, on the ranks of its k-point group.
template <class S>
struct AtK {
  PlaneWaveBands<S> bands;
  std::vector<RealOf<S>> potential;

  AtK(const CrystalSetup& setup, const Vec3& k, Mode mode = Mode::complex)
      : bands(basis(setup, k, mode), 0, 0, Eigensolver::lobpcg, nullptr) {
    const std::vector<double> values = setup.exchange_with(bands.basis->fft.layout()).to_groups(setup.potential);
    potential.assign(values.begin(), values.end());
    bands.h.set_potential({potential});
  }
  static std::shared_ptr<KPointBasis<S>> basis(const CrystalSetup& setup, const Vec3& k, Mode mode) {
    const GSphere sphere(setup.material.crystal.lattice, setup.material.ecut, setup.material.grid, mode, k);
    Partition partition =
        make_partition(setup.partition.scheme, sphere.counts(), setup.partition.shape, setup.partition.parts);
    return std::make_shared<KPointBasis<S>>(setup.levels, setup.ranks, sphere, std::move(partition),
                                            CrystalSetup::options(), setup.material.crystal, setup.atoms);
  }
  [[nodiscard]] WaveList waves() const { return {bands.h.waves().g(), {0, 1}, bands.h.waves().mode()}; }
};

/// The objects of each k.
template <class S>
class Cache {
 public:
  explicit Cache(const CrystalSetup& setup, Mode mode = Mode::complex) : bench_(setup), mode_(mode) {}
  AtK<S>& at(const Vec3& k) {
    std::array<long, 3> key{};
    for (std::size_t i = 0; i < 3; ++i) key[i] = std::lround(k[i] * 1e6);
    auto& one = all_[key];
    if (!one) one = std::make_unique<AtK<S>>(bench_, k, mode_);
    return *one;
  }

 private:
  const CrystalSetup& bench_;
  Mode mode_;
  std::map<std::array<long, 3>, std::unique_ptr<AtK<S>>> all_;
};

/// The image of k under an operation, folded to (-1/2, 1/2].
Vec3 image_of_k(const SymmetryOperation& operation, const Vec3& k, bool reversed) {
  Vec3 image = on_reciprocal(operation.rotation, k);
  for (double& x : image) {
    x = reversed ? -x : x;
    x -= std::ceil(x - 0.5 - 1e-9);
  }
  return image;
}

template <class S>
Bands<S> mapped(const Comm& comm, const WaveList& from, BandView<const S> bands, const WaveList& to, Index rows,
                const WaveMap& map) {
  Bands<S> there(rows, bands.count);
  WaveTransfer rotation(comm, from, to, map);
  EXPECT_EQ(rotation.unmatched(), 0);
  rotation.forward(coefficients(bands), coefficients(there.view()), bands.count);
  return there;
}

template <class S>
double largest_norm(const InnerProduct& product, const Bands<S>& bands) {
  const std::vector<double> norms = squared_norms<S>(product, bands.view());
  return std::sqrt(*std::max_element(norms.begin(), norms.end()));
}

/// a -= b.
template <class S>
void subtract(Bands<S>& a, const Bands<S>& b) {
  for (Index i = 0; i < a.rows() * a.count(); ++i) a.view().data[i] -= b.view().data[i];
}

/// All on one rank, a few on more ranks, where the others test nothing new.
std::vector<SymmetryOperation> some_operations(const SpaceGroup& group) {
  std::vector<SymmetryOperation> some;
  const int step = Comm::world().size() == 1 ? 1 : std::max(1, group.size() / 5 - 1);
  for (int n = 0; n < group.size(); n += step) some.push_back(group.operations()[static_cast<std::size_t>(n)]);
  return some;
}

/// H R psi = R H psi for the rotation R and random psi, by every operation and time reversal.
template <class S>
void expect_commutes(const CrystalSetup& setup, const Vec3& k) {
  const Mode mode = ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex;
  Cache<S> cache(setup, mode);
  AtK<S>& from = cache.at(k);
  Bands<S> psi(from.bands.h.rows(), 3), h_psi(from.bands.h.rows(), 3);
  fill_random<S>(from.bands.h.waves(), 0, psi.view());
  normalise<S>(from.bands.h.product(), psi.view());
  from.bands.h.apply(std::as_const(psi).view(), h_psi.view());
  const double size = largest_norm(from.bands.h.product(), h_psi);
  for (const SymmetryOperation& operation : some_operations(setup.group))
    for (const bool reversed : {false, true}) {
      const Vec3 to_k = image_of_k(operation, k, reversed);
      AtK<S>& to = cache.at(to_k);
      const auto map = map_between(k, to_k, operation, reversed);
      ASSERT_TRUE(map.has_value());
      Hamiltonian<S>& h = to.bands.h;
      const auto mapped_bands = [&](const Bands<S>& bands) {
        return mapped<S>(Comm::world(), from.waves(), bands.view(), to.waves(), h.rows(), *map);
      };
      const Bands<S> there = mapped_bands(psi);
      Bands<S> h_there(h.rows(), 3);
      h.apply(there.view(), h_there.view());
      subtract(h_there, mapped_bands(h_psi));
      EXPECT_LT(largest_norm(h.product(), h_there), within<S>(1e-12, 1e-5) * size);
    }
}

TEST(EquivalentKPoints, RotationsCommuteWithTheHamiltonian) {
  for (const Material& material : materials()) {
    SCOPED_TRACE(material.name);
    const CrystalSetup setup(material, Scheme::balanced);
    expect_commutes<Complex>(setup, somewhere);
    expect_commutes<Complex>(setup, {0.5, 0, 0.5});  // images fold back
    expect_commutes<double>(setup, {0, 0, 0});
  }
  const CrystalSetup diamond(materials()[0], Scheme::greedy);
  expect_commutes<std::complex<float>>(diamond, somewhere);
  expect_commutes<float>(diamond, {0, 0, 0});
}

/// Residuals H psi - eps psi of states of norm 1.
template <class S>
std::vector<double> residual_norms(Hamiltonian<S>& h, const Bands<S>& x, const std::vector<double>& values) {
  Bands<S> r(x.rows(), x.count());
  h.apply(x.view(), r.view());
  residuals<S>({x.view(), std::as_const(r).view(), x.view()}, values.data(), r.view());
  std::vector<double> norms = squared_norms<S>(h.product(), std::as_const(r).view());
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

/// The lowest bands of a k-point, residuals below 1e-8, and their values.
Bands<Complex> solve(const CrystalSetup& setup, AtK<Complex>& at, const Vec3& k, Index wanted,
                     std::vector<double>& values) {
  EigenState<Complex>& state = at.bands.state;
  state = initial_bands<Complex>(at.bands.h, InitialWavefunctions::lcao, k, setup.material.crystal, setup.pseudo_atoms,
                                 wanted + 4);
  at.bands.solver.lock_below(LockBounds(static_cast<std::size_t>(wanted + 4), 1e-18));
  double worst = 1;
  for (int round = 0; round < 100 && worst > 1e-8; ++round) {
    at.bands.solver.improve(at.bands.h, state);
    const std::vector<double> squares = squared_residuals(at.bands.h, state);
    worst = std::sqrt(*std::max_element(squares.begin(), squares.begin() + wanted));
  }
  EXPECT_LT(worst, 1e-8);
  values.assign(state.values.begin(), state.values.begin() + wanted);
  Bands<Complex> psi(state.x.rows(), wanted);
  std::copy_n(state.x.view().data, psi.rows() * wanted, psi.view().data);
  return psi;
}

TEST(EquivalentKPoints, MappedStatesAreStates) {
  for (const Material& material : materials()) {
    SCOPED_TRACE(material.name);
    const CrystalSetup setup(material, Scheme::greedy);
    Cache<Complex> cache(setup);
    constexpr Index wanted = 4;
    AtK<Complex>& from = cache.at(somewhere);
    std::vector<double> values;
    const Bands<Complex> psi = solve(setup, from, somewhere, wanted, values);
    const std::vector<double> before = residual_norms(from.bands.h, psi, values);
    EXPECT_LT(*std::max_element(before.begin(), before.end()), 1.1e-8);
    for (const SymmetryOperation& operation : some_operations(setup.group))
      for (const bool reversed : {false, true}) {
        const Vec3 k = image_of_k(operation, somewhere, reversed);
        AtK<Complex>& to = cache.at(k);
        const Bands<Complex> there =
            mapped<Complex>(Comm::world(), from.waves(), psi.view(), to.waves(), to.bands.h.rows(),
                            *map_between(somewhere, k, operation, reversed));
        EXPECT_LT(largest_overlap_error<Complex>(to.bands.h.product(), there.view()), 1e-11);
        const std::vector<double> after = residual_norms(to.bands.h, there, values);
        for (std::size_t b = 0; b < wanted; ++b) EXPECT_NEAR(after[b], before[b], 1e-12);
      }
  }
}

/// From the ranks of one k-point group to those of another, in one plan.
TEST(EquivalentKPoints, BetweenProcessGroups) {
  const Comm world = Comm::world();
  const int groups = std::min(world.size(), 2);
  const CrystalSetup setup(materials()[0], Scheme::balanced, {groups, 1});
  const bool first = setup.levels.my_kpoint_group() == 0, last = setup.levels.my_kpoint_group() == groups - 1;
  for (const int n : {0, 7, 13, 40}) {
    const SymmetryOperation& operation = setup.group.operations()[static_cast<std::size_t>(n)];
    const Vec3 k = image_of_k(operation, somewhere, true);
    const WaveMap map = *map_between(somewhere, k, operation, true);
    std::optional<AtK<Complex>> from, to;
    Bands<Complex> psi, h_psi;
    if (first) {
      from.emplace(setup, somewhere);
      psi = h_psi = Bands<Complex>(from->bands.h.rows(), 5);
      fill_random<Complex>(from->bands.h.waves(), 0, psi.view());
      from->bands.h.apply(std::as_const(psi).view(), h_psi.view());
    }
    if (last) to.emplace(setup, k);
    const WaveList source = from ? from->waves() : WaveList{}, target = to ? to->waves() : WaveList{};
    const Index rows = to ? to->bands.h.rows() : 0;
    const auto mapped_bands = [&](const Bands<Complex>& bands) {
      return mapped<Complex>(world, source, {bands.view().data, bands.rows(), 5}, target, rows, map);
    };
    const Bands<Complex> there = mapped_bands(psi), expected = mapped_bands(h_psi);
    if (!to) continue;
    Hamiltonian<Complex>& h = to->bands.h;
    Bands<Complex> h_there(rows, 5);
    h.apply(there.view(), h_there.view());
    const double size = largest_norm(h.product(), h_there);
    EXPECT_GT(size, 1);
    subtract(h_there, expected);
    EXPECT_LT(largest_norm(h.product(), h_there), 1e-12 * size);
  }
}

/// rho(G) on this rank of sum over bands of `weight` |psi|^2 / volume.
GridFft::Coefficients density_of(CrystalSetup& setup, AtK<Complex>& at, const Bands<Complex>& psi, double weight) {
  auto& fft = at.bands.basis->fft;
  std::vector<double> part(static_cast<std::size_t>(fft.grid_size()), 0.0);
  const std::vector<double> weights(static_cast<std::size_t>(psi.count()),
                                    weight / setup.material.crystal.lattice.volume());
  fft.accumulate_density(coefficients(psi.view()), weights, part.data(), psi.count());
  return setup.grid.to_recip(setup.exchange_with(fft.layout()).sum_over_groups(part));
}

/// The density of all k-points of a mesh, unfolded, is that of the irreducible ones symmetrised.
void expect_density_of_the_mesh(const Material& material, const KMesh& mesh, Index occupied, bool time_reversal) {
  SCOPED_TRACE(material.name);
  CrystalSetup setup(material, Scheme::balanced);
  const IrreducibleKPoints points = irreducible(mesh, setup.group, time_reversal);
  ASSERT_EQ(points.group.size(), setup.group.size());  // else another symmetriser were needed
  const std::vector<KPoint> full = monkhorst_pack(mesh);
  ASSERT_LT(points.kpoints.size(), full.size());
  Cache<Complex> cache(setup);
  std::vector<Bands<Complex>> bands;
  GridFft::Coefficients symmetrised(static_cast<std::size_t>(setup.grid.waves().size())), unfolded(symmetrised);
  const auto add = [](GridFft::Coefficients& sum, const GridFft::Coefficients& part) {
    std::transform(sum.begin(), sum.end(), part.begin(), sum.begin(), std::plus<>());
  };
  for (const KPoint& point : points.kpoints) {
    AtK<Complex>& at = cache.at(point.k);
    std::vector<double> values;
    bands.push_back(solve(setup, at, point.k, occupied, values));
    add(symmetrised, density_of(setup, at, bands.back(), 2 * point.weight));
  }
  setup.fields.symmetrise(symmetrised);
  for (std::size_t n = 0; n < full.size(); ++n) {
    const auto origin = find_origin(full[n].k, points.kpoints, points.group);
    ASSERT_TRUE(origin);
    const auto i = static_cast<std::size_t>(origin->k);
    AtK<Complex>&from = cache.at(points.kpoints[i].k), &to = cache.at(full[n].k);
    const Bands<Complex> there = mapped<Complex>(Comm::world(), from.waves(), std::as_const(bands[i]).view(),
                                                 to.waves(), to.bands.h.rows(), origin->map);
    add(unfolded, density_of(setup, to, there, 2 * full[n].weight));
  }
  double worst = 0;
  for (std::size_t g = 0; g < unfolded.size(); ++g) worst = std::max(worst, std::abs(unfolded[g] - symmetrised[g]));
  const double mean = 2.0 * static_cast<double>(occupied) / material.crystal.lattice.volume();
  EXPECT_LT(worst, 1e-7 * mean);
  const Index zero = setup.grid.waves().zero();
  if (zero < 0) return;
  EXPECT_NEAR(unfolded[static_cast<std::size_t>(zero)].real(), mean, 1e-12);
}

TEST(EquivalentKPoints, UnfoldedDensityIsTheSymmetrisedOne) {
  expect_density_of_the_mesh(materials()[0], {{2, 2, 2}, {}}, 4, true);
  expect_density_of_the_mesh(materials()[2], {{2, 2, 2}, {0.5, 0.5, 0.5}}, 6, false);
  expect_density_of_the_mesh(materials()[3], {{3, 2, 1}, {}}, 5, true);
}

TEST(EquivalentKPoints, SpheresThatDoNotCorrespondAreReported) {
  const Comm world = Comm::world();
  const Crystal crystal = test_data::diamond_primitive();
  const auto waves_at = [&](const Vec3& k, double ecut) {
    const GSphere sphere(crystal.lattice, ecut, {12, 12, 12}, Mode::complex, k);
    return PlaneWaves(sphere, make_partition(Scheme::greedy, sphere.counts(), 12, world.size()), world.rank());
  };
  const Vec3 minus = -1.0 * somewhere;
  const WaveMap map = *map_between(somewhere, minus, SymmetryOperation{}, true);
  const PlaneWaves here = waves_at(somewhere, 2.0), there = waves_at(minus, 2.0), more = waves_at(minus, 2.5);
  EXPECT_EQ(WaveTransfer(world, {here.g()}, {there.g()}, map).unmatched(), 0);
  EXPECT_GT(WaveTransfer(world, {here.g()}, {more.g()}, map).unmatched(), 0);
  EXPECT_GT(WaveTransfer(world, {more.g()}, {here.g()}, map).unmatched(), 0);
}

TEST(EquivalentKPoints, EveryPointOfAMeshHasAnOrigin) {
  const SpaceGroup group = find_space_group(test_data::diamond_primitive());
  const KMesh mesh{{3, 3, 3}, {}};
  const IrreducibleKPoints points = irreducible(mesh, group, true);
  for (const KPoint& point : monkhorst_pack(mesh)) EXPECT_TRUE(find_origin(point.k, points.kpoints, group));
  for (const KPoint& point : points.kpoints)
    EXPECT_TRUE(find_origin(point.k, points.kpoints, group)->map.is_identity());
  EXPECT_FALSE(find_origin({0.25, 0, 0}, points.kpoints, group));
}

}  // namespace
}  // namespace wavegrid::test_equivalent_kpoints
