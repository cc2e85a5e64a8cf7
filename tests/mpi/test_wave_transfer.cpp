// Transfer of plane-wave coefficients between layouts, spheres and equivalent k-points. Values encode band and G.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

#include "../unit/crystals.hpp"
#include "../unit/spheres.hpp"

namespace wavegrid::test_wave_transfer {
namespace {

using Waves = std::vector<Int3>;

/// Coefficient of band b at G, exact in single precision; c(-G) = conj(c(G)), as those of a real wave function.
template <class T>
T value(Index band, const Int3& g) {
  using Real = typename T::value_type;
  const int odd = 10000 * g[2] + 100 * g[1] + g[0];
  return {static_cast<Real>(1000 * band + std::abs(g[0] + g[1] + g[2])), static_cast<Real>(odd)};
}

/// A value that no coefficient has.
template <class T>
T untouched() {
  return T(-7, 0.5);
}

/// G of this rank where `scheme` divides the sphere over the ranks of `comm`.
Waves share(const Comm& comm, const GSphere& sphere, Scheme scheme) {
  const Partition partition = make_partition(scheme, sphere.counts(), sphere.grid()[0], comm.size());
  return PlaneWaves(sphere, partition, comm.rank()).g();
}

/// All G of the sphere on `owner`, none elsewhere.
Waves all_on(const Comm& comm, const GSphere& sphere, int owner) {
  return comm.rank() == owner ? share(Comm::self(), sphere, Scheme::greedy) : Waves{};
}

/// `sets` sets of the bands of the list; band b of set s counts as band 100 s + b.
template <class T>
std::vector<T> values_of(const WaveList& list, Index sets) {
  std::vector<T> values;
  for (Index set = 0; set < sets; ++set)
    for (Index band = list.bands.begin; band < list.bands.end; ++band)
      for (const Int3& g : list.g) values.push_back(value<T>(100 * set + band, g));
  return values;
}

template <class T>
std::vector<T> blank(const WaveList& list, Index sets) {
  return std::vector<T>(static_cast<std::size_t>(list.size() * sets), untouched<T>());
}

/// Twice on the same arrays.
template <class T>
void expect_carried(const Comm& comm, const WaveList& source, const WaveList& target, Index sets = 3,
                    Transport transport = Transport::alltoallv) {
  WaveTransfer transfer(comm, source, target, {}, transport);
  EXPECT_EQ(transfer.missing(), 0);
  EXPECT_EQ(transfer.unmatched(), 0);
  const std::vector<T> from = values_of<T>(source, sets);
  std::vector<T> there = blank<T>(target, sets);
  for (int repeat = 0; repeat < 2; ++repeat) {
    transfer.forward(from.data(), there.data(), sets);
    EXPECT_EQ(there, values_of<T>(target, sets));
  }
}

constexpr Scheme schemes[] = {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized};

/// Two layouts of one sphere: every scheme to every other, and all on one rank.
std::vector<std::pair<Waves, Waves>> layouts_of(const Comm& comm, const GSphere& sphere) {
  std::vector<std::pair<Waves, Waves>> all;
  for (const Scheme from : schemes)
    for (const Scheme to : schemes) all.emplace_back(share(comm, sphere, from), share(comm, sphere, to));
  all.emplace_back(all_on(comm, sphere, comm.size() - 1), share(comm, sphere, Scheme::balanced));
  all.emplace_back(share(comm, sphere, Scheme::greedy), all_on(comm, sphere, 0));
  return all;
}

TEST(WaveTransfer, ToAnotherPartition) {
  const Comm world = Comm::world();
  for (const Mode mode : {Mode::gamma, Mode::complex}) {
    const GSphere sphere = skewed_sphere(mode);
    for (const auto& [from, to] : layouts_of(world, sphere)) {
      expect_carried<std::complex<double>>(world, {from, {0, 1}, mode}, {to, {0, 1}, mode});
      expect_carried<std::complex<float>>(world, {from, {0, 1}, mode}, {to, {0, 1}, mode});
    }
  }
}

TEST(WaveTransfer, OnSubCommunicatorsAndManyEmptyRanks) {
  const Comm world = Comm::world();
  const Comm part = world.split(world.rank() % 2, -world.rank());
  const GSphere tiny = sphere_of_radius(8, 1.0, Mode::complex);  // seven waves on five sticks
  ASSERT_EQ(tiny.size(), 7);
  for (const auto& [from, to] : layouts_of(part, tiny)) expect_carried<std::complex<double>>(part, {from}, {to});
  for (const auto& [from, to] : layouts_of(world, tiny)) expect_carried<std::complex<double>>(world, {from}, {to});
}

TEST(WaveTransfer, AllTransportsGiveTheSameBits) {
  const Comm world = Comm::world();
  const GSphere sphere = skewed_sphere(Mode::complex, {0.25, 0, 0.5});
  const Waves from = share(world, sphere, Scheme::greedy), to = share(world, sphere, Scheme::optimized);
  for (const Transport transport : all_transports()) {
    SCOPED_TRACE(to_string(transport));
    expect_carried<std::complex<double>>(world, {from}, {to}, 4, transport);
    expect_carried<std::complex<float>>(world, {from}, {to}, 1, transport);
  }
}

TEST(WaveTransfer, MissingCoefficientsStayZero) {
  const Comm world = Comm::world();
  const Lattice lattice = skewed_sphere(Mode::complex).lattice();
  for (const Mode mode : {Mode::gamma, Mode::complex}) {
    const GSphere low(lattice, 4.0, {17, 17, 19}, mode), high(lattice, 6.0, {21, 18, 25}, mode);
    const Waves few = share(world, low, Scheme::cyclic), many = share(world, high, Scheme::greedy);
    std::set<Int3> known;
    for (const Int3& g : share(Comm::self(), low, Scheme::greedy)) known.insert(g);
    const WaveList source{few, {0, 1}, mode}, target{many, {0, 1}, mode};
    using Complex = std::complex<double>;
    WaveTransfer up(world, source, target), down(world, target, source);
    EXPECT_EQ(world.sum(up.missing()), high.size() - low.size());
    EXPECT_EQ(up.unmatched(), high.size() - low.size());
    EXPECT_EQ(down.missing(), 0);
    EXPECT_EQ(down.unmatched(), high.size() - low.size());
    const std::vector<Complex> from = values_of<Complex>(source, 2), all = values_of<Complex>(target, 2);
    std::vector<Complex> raised(all.size(), 0), lowered = blank<Complex>(source, 2), expected = all;
    up.forward(from.data(), raised.data(), 2);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!known.contains(many[i % many.size()])) expected[i] = 0;
    EXPECT_EQ(raised, expected);
    down.forward(all.data(), lowered.data(), 2);
    EXPECT_EQ(lowered, from);
  }
}

/// Complete bands on a few ranks, as on ranks that write files.
TEST(WaveTransfer, CompleteBandsOnAggregators) {
  const Comm world = Comm::world();
  const GSphere sphere = skewed_sphere(Mode::complex);
  const Waves mine = share(world, sphere, Scheme::balanced), whole = share(Comm::self(), sphere, Scheme::greedy);
  constexpr Index bands = 5;
  for (const int aggregators : {1, 2, 7}) {
    const int used = std::min(aggregators, world.size());
    const bool aggregates = world.rank() < used;
    const Range some = aggregates ? BlockLayout(bands, used).range(world.rank()) : Range{0, 0};
    const Waves here = aggregates ? whole : Waves{};
    const WaveList spread{mine, {0, bands}}, gathered{here, some};
    expect_carried<std::complex<double>>(world, spread, gathered, 2);
    expect_carried<std::complex<float>>(world, gathered, spread, 2);
  }
}

TEST(WaveTransfer, BetweenGroupsOfRanks) {
  const Comm world = Comm::world();
  const GSphere sphere = skewed_sphere(Mode::complex);
  const bool first = world.rank() < (world.size() + 1) / 2;  // with one rank it is both
  const Comm group = world.split(first ? 0 : 1, world.rank());
  const Waves mine = share(group, sphere, first ? Scheme::greedy : Scheme::balanced);
  const bool last = world.size() == 1 || !first;
  expect_carried<std::complex<double>>(world, {first ? mine : Waves{}}, {last ? mine : Waves{}});
}

TEST(WaveTransfer, HalfASphereToTheWhole) {
  const Comm world = Comm::world();
  const GSphere half = skewed_sphere(Mode::gamma), whole = skewed_sphere(Mode::complex);
  const Waves from = share(world, half, Scheme::greedy), to = share(world, whole, Scheme::cyclic);
  const WaveList source{from, {0, 1}, Mode::gamma}, target{to, {0, 1}, Mode::complex};
  WaveTransfer transfer(world, source, target);
  EXPECT_EQ(transfer.missing(), 0);
  EXPECT_EQ(transfer.unmatched(), 0);
  using Complex = std::complex<double>;
  const std::vector<Complex> values = values_of<Complex>(source, 3);
  std::vector<Complex> arrived = blank<Complex>(target, 3);
  for (int repeat = 0; repeat < 2; ++repeat) {
    transfer.forward(values.data(), arrived.data(), 3);
    EXPECT_EQ(arrived, values_of<Complex>(target, 3));
  }
}

/// Every operation of diamond and time reversal, to a k-point folded back: coefficients as find_origin says.
TEST(WaveTransfer, ToEquivalentKPoints) {
  const Comm world = Comm::world();
  const Crystal crystal = test_data::diamond_primitive();
  const SpaceGroup group = find_space_group(crystal);
  const Vec3 from{0.125, -0.25, 0.5};
  const auto waves_at = [&](const Vec3& k, Scheme scheme) {
    return share(world, GSphere(crystal.lattice, 2.0, {15, 15, 15}, Mode::complex, k), scheme);
  };
  using Complex = std::complex<double>;
  const Waves source_waves = waves_at(from, Scheme::greedy);
  const std::vector<Complex> values = values_of<Complex>({source_waves}, 2);
  for (const SymmetryOperation& operation : group.operations())
    for (const bool reversed : {false, true}) {
      Vec3 to = on_reciprocal(operation.rotation, from);
      for (double& k : to) k = reversed ? 1 - k : k + 1;
      const WaveMap map = *map_between(from, to, operation, reversed);
      const Waves waves = waves_at(to, Scheme::balanced);
      WaveTransfer transfer(world, {source_waves}, {waves}, map);
      EXPECT_EQ(transfer.unmatched(), 0);
      std::vector<Complex> arrived = blank<Complex>({waves}, 2), expected;
      transfer.forward(values.data(), arrived.data(), 2);
      for (Index set = 0; set < 2; ++set)
        for (const Int3& g : waves) {
          const WaveOrigin origin = find_origin(map, Mode::complex, g);
          const auto c = value<Complex>(100 * set, origin.g);
          expected.push_back((origin.conjugated ? std::conj(c) : c) * origin.factor);
        }
      EXPECT_EQ(arrived, expected);
    }
}

/// The message of the error on this rank.
template <class Work>
std::string message_of(ErrorKind kind, Work work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

TEST(WaveTransfer, ErrorsAreThrownOnAllRanks) {
  const Comm world = Comm::world();
  const GSphere half = skewed_sphere(Mode::gamma), whole = skewed_sphere(Mode::complex);
  const Waves of_half = share(world, half, Scheme::greedy), of_whole = share(world, whole, Scheme::greedy);
  const WaveList real{of_half, {0, 1}, Mode::gamma}, complex{of_whole, {0, 1}, Mode::complex};
  const auto plan = [&](const WaveList& source, const WaveList& target) {
    return message_of(ErrorKind::bad_input, [&] { WaveTransfer(world, source, target); });
  };
  EXPECT_EQ(plan(complex, real),
            "complex wave functions cannot be transferred to half of a sphere, which stores real ones");
  if (world.size() > 1) {
    const Waves everywhere = share(Comm::self(), whole, Scheme::greedy);
    EXPECT_NE(plan({everywhere}, complex).find("owned twice"), std::string::npos);
  }
}

}  // namespace
}  // namespace wavegrid::test_wave_transfer
