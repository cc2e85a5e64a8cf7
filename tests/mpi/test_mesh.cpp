// Meshes in real space: geometry, partitions, halo exchange and finite differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/mesh/mesh_operator.hpp>

#include "allocated_bytes.hpp"
#include "baselines/one_by_one.hpp"

namespace wavegrid::test_mesh {
namespace {

constexpr double pi = 3.141592653589793238;
const Mat3 orthogonal{{{7, 0, 0}, {0, 8, 0}, {0, 0, 9}}};
const Mat3 sheared{{{7, 0.5, -1}, {3.6, 8, 0.7}, {-2, 3, 9}}};
const Periodic none{false, false, false}, everywhere{true, true, true};

/// One mesh, the same on all ranks.
struct Case {
  std::string name;
  MeshGrid grid;
  int order;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"periodic cell", MeshGrid(Lattice(sheared), {7, 8, 9}, everywhere, MeshRegion::cell()), 6});
  all.push_back(
      {"cell narrower than the stencil", MeshGrid(Lattice(sheared), {5, 3, 11}, everywhere, MeshRegion::cell()), 12});
  all.push_back({"box", MeshGrid(Lattice(orthogonal), {7, 8, 9}, none, MeshRegion::box({1, 2, 3}, {3, 4, 5})), 4});
  all.push_back(
      {"two spheres",
       MeshGrid(Lattice(sheared), {10, 10, 10}, none, MeshRegion::spheres({{0, 0, 0}, {4.2, 0.1, 0.3}}, {3.1, 2.7})),
       8});
  all.push_back({"sphere over the edge",
                 MeshGrid(Lattice(orthogonal), {11, 13, 9}, everywhere, MeshRegion::spheres({{6.5, 0.2, 8.9}}, 3.3)),
                 2});
  all.push_back(
      {"wire",
       MeshGrid(Lattice(orthogonal), {7, 8, 23}, {false, false, true}, MeshRegion::cylinder({3, 3, 3}, 2, 3.2, 0)),
       10});
  all.push_back(
      {"slab", MeshGrid(Lattice(sheared), {9, 10, 7}, {true, true, false}, MeshRegion::box({0, 0, 0}, {1, 1, 5})), 6});
  all.push_back(
      {"few points", MeshGrid(Lattice(orthogonal), {7, 8, 9}, none, MeshRegion::box({0, 0, 0}, {0.4, 0.4, 1.4})), 4});
  return all;
}

MeshPartitionOptions by(MeshPartitionMethod method) {
  MeshPartitionOptions options;
  options.method = method;
  options.allow_empty = true;
  return options;
}

/// The global index of a point, wrapped into the cell.
Index wrapped_id(const MeshGrid& grid, Int3 point) {
  const Int3 shift = grid.shift_of(point);
  for (std::size_t d = 0; d < 3; ++d) point[d] -= shift[d] * grid.counts()[d];
  return grid.id(point);
}

/// A block in which every number names its point and state.
template <class S>
std::vector<S> encoded(const Mesh& mesh, Index width) {
  std::vector<S> values(static_cast<std::size_t>((mesh.num_points() + mesh.num_ghosts()) * width), S(-1));
  Index p = 0;
  for (const Int3& point : mesh.points()) {
    for (Index s = 0; s < width; ++s)
      values[static_cast<std::size_t>(p * width + s)] =
          static_cast<S>(static_cast<double>(mesh.grid().id(point) * 8 + s));
    ++p;
  }
  return values;
}

/// Function values on local points and, by a halo exchange, on ghosts.
template <class Function>
std::vector<double> sampled(const Mesh& mesh, const Function& function) {
  std::vector<double> values(static_cast<std::size_t>(mesh.num_points() + mesh.num_ghosts()));
  std::size_t p = 0;
  for (const Int3& point : mesh.points()) values[p++] = function(mesh.grid().position(point));
  Halo(mesh, Transport::pairwise).fill(values, 1);
  return values;
}

TEST(MeshGrid, LinesHoldThePointsOfTheRegion) {
  const MeshGrid grid(Lattice(orthogonal), {14, 16, 18}, none, MeshRegion::spheres({{1, 1, 1}, {3, 1, 1}}, {1.6, 1.2}));
  Index points = 0, expected = 0;
  for (const MeshLine& line : grid.lines()) points += line.k.size();
  for (int i = -9; i < 20; ++i)
    for (int j = -9; j < 20; ++j)
      for (int k = -9; k < 20; ++k) {
        const Vec3 r{0.5 * i, 0.5 * j, 0.5 * k};
        if (norm(r - Vec3{1, 1, 1}) <= 1.6 || norm(r - Vec3{3, 1, 1}) <= 1.2) ++expected;
      }
  EXPECT_EQ(points, expected);
  EXPECT_EQ(mesh_counts(Lattice(orthogonal), {0.5, 0.51, 0.3}), (Int3{14, 16, 30}));
}

TEST(MeshGrid, NamesWhatIsWrong) {
  const auto message = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
    return "";
  };
  const Lattice lattice(orthogonal);
  EXPECT_NE(message([&] {
              (void)MeshGrid(lattice, {7, 8, 9}, none, MeshRegion::spheres({{0.5, 0.5, 0.5}}, 0.1)).lines();
            }).find("no point"),
            std::string::npos);
  EXPECT_NE(message([&] {
              MeshGrid(lattice, {7, 8, 9}, none, MeshRegion::spheres({{0, 0, 0}}, -1));
            }).find("radius"),
            std::string::npos);
  EXPECT_NE(message([&] {
              MeshGrid(lattice, {7, 0, 9}, none, MeshRegion::cell());
            }).find("vector 2"),
            std::string::npos);
  EXPECT_NE(message([&] { StencilPattern(orthogonal, 7); }).find("order"), std::string::npos);
  const Comm world = Comm::world();
  EXPECT_NE(message([&] {
              Mesh(world, MeshGrid(lattice, {14, 16, 18}, none, MeshRegion::spheres({{0, 0, 0}, {9, 9, 9}}, 2)), 4);
            }).find("2 pieces"),
            std::string::npos);
  if (world.size() > 3) {
    EXPECT_NE(message([&] {
                Mesh(world, MeshGrid(lattice, {7, 8, 9}, none, MeshRegion::box({0, 0, 0}, {0.1, 0.1, 1.1})), 4);
              }).find("3 points"),
              std::string::npos);
  }
}

/// Nodes whose ranks are not neighbours in the order of ranks.
TEST(MeshPartition, NodesGetPartsThatExchangeMuch) {
  if (Comm::world().rank() != 0) return;
  const MeshGrid grid(Lattice(orthogonal), {21, 24, 18}, none, MeshRegion::spheres({{0, 0, 0}, {4, 0, 0}}, 4.1));
  const StencilPattern pattern(grid.steps(), 6);
  const std::vector<MeshLine> lines = grid.lines();
  const MeshGraph graph = stencil_graph(grid, lines, pattern);
  const std::vector<int> nodes{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
  const auto found = [&](bool two_level, bool reorder) {
    MeshPartitionOptions options;
    options.two_level = two_level;
    options.reorder = reorder;
    const auto part = partition_mesh(grid, lines, graph, nodes, options);
    const MeshPartitionStatistics statistics = partition_statistics(graph, part, nodes);
    Index points = 0, least = graph.num_vertices(), most = 0;
    for (const MeshPartStatistics& of_part : statistics.parts) {
      points += of_part.points;
      least = std::min(least, of_part.points);
      most = std::max(most, of_part.points);
      EXPECT_LE(of_part.inner, of_part.points);
      EXPECT_LT(of_part.neighbours(), 12);
    }
    EXPECT_EQ(points, graph.num_vertices());
    EXPECT_LT(static_cast<double>(most), 1.03 * static_cast<double>(points) / 12 + 2);
    EXPECT_GT(least, 0);
    return statistics;
  };
  const auto plain = found(false, false), reordered = found(false, true), two_level = found(true, false);
  EXPECT_EQ(reordered.edge_cut, plain.edge_cut);  // the same parts, with other numbers
  EXPECT_LT(reordered.between_nodes, plain.between_nodes * 3 / 4);
  EXPECT_LT(two_level.between_nodes, plain.between_nodes * 3 / 4);
}

TEST(Mesh, EachPointHasOneOwner) {
  const Comm world = Comm::world();
  for (const Case& c : cases())
    for (const MeshPartitionMethod method : {MeshPartitionMethod::metis, MeshPartitionMethod::block}) {
      SCOPED_TRACE(c.name + ", " + to_string(method));
      const Mesh mesh(world, c.grid, c.order, by(method));
      std::vector<Index> owners(static_cast<std::size_t>(c.grid.num_ids()), 0), expected(owners);
      for (const Int3& point : mesh.points()) ++owners[static_cast<std::size_t>(c.grid.id(point))];
      world.sum(std::span(owners));
      for (const MeshLine& line : c.grid.lines())
        for (Index k = line.k.begin; k < line.k.end; ++k)
          ++expected[static_cast<std::size_t>(c.grid.id({line.i, line.j, static_cast<int>(k)}))];
      EXPECT_EQ(owners, expected);
      EXPECT_EQ(mesh.num_all_points(), std::accumulate(expected.begin(), expected.end(), Index{0}));
      EXPECT_EQ(mesh.ids().size(), mesh.num_points());
      if (method == MeshPartitionMethod::block) {
        EXPECT_LE(world.max(mesh.num_points()) - world.min(mesh.num_points()), 2);
      }
    }
}

TEST(Halo, EveryTransportBringsTheSameBits) {
  const Comm world = Comm::world();
  constexpr Index width = 3;
  for (const Case& c : cases())
    for (const MeshPartitionMethod method : {MeshPartitionMethod::metis, MeshPartitionMethod::block}) {
      const Mesh mesh(world, c.grid, c.order, by(method));
      Halo halo(mesh, Transport::alltoallv);
      for (const Transport transport : all_transports()) {
        SCOPED_TRACE(c.name + ", " + to_string(method) + ", " + to_string(transport));
        halo.plan().use(transport);
        auto values = encoded<double>(mesh, width);
        for (int repeat = 0; repeat < 2; ++repeat) {
          auto exchange = halo.start(values.data(), width);
          exchange.test();
          exchange.wait();
          Index wrong = 0;
          for (const LocalLine& line : mesh.ghost_lines())
            for (Index n = 0; n < line.k.size(); ++n)
              for (Index s = 0; s < width; ++s)
                if (values[static_cast<std::size_t>((line.start + n) * width + s)] !=
                    static_cast<double>(wrapped_id(c.grid, line.point(n)) * 8 + s))
                  ++wrong;
          EXPECT_EQ(wrong, 0);
        }
      }
    }
}

/// Small integers, so that products and sums are exact and do not depend on the order; others with `scale`.
template <class S>
std::vector<S> random_block(const Mesh& mesh, Index points, Index width, int seed, double scale = 1) {
  std::vector<S> values(static_cast<std::size_t>(points * width));
  Index n = 0;
  for (S& value : values) {
    const auto number = [&](std::int64_t part) {
      return static_cast<RealOf<S>>(scale * std::round(9 * random_at({seed, mesh.comm().rank(), n, part})));
    };
    if constexpr (ScalarTraits<S>::is_real)
      value = number(0);
    else
      value = {number(0), number(1)};
    ++n;
  }
  return values;
}

template <class S>
S inner_product(const Comm& comm, const std::vector<S>& a, const std::vector<S>& b) {
  S sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += conjugate(a[i]) * b[i];
  comm.sum(std::span(&sum, 1));
  return sum;
}

/// <y, H x> = <H^+ y, x> with the map H from own points to own and ghost points.
template <class S>
void expect_adjoint(const Mesh& mesh, const BlochPhases* phases, double tolerance) {
  constexpr Index width = 3;
  Halo halo(mesh, Transport::alltoallv);
  const Index all = mesh.num_points() + mesh.num_ghosts();
  const auto own = static_cast<std::ptrdiff_t>(mesh.num_points() * width);
  const auto x = random_block<S>(mesh, mesh.num_points(), width, 1), y = random_block<S>(mesh, all, width, 2);
  for (const Transport transport : all_transports()) {
    SCOPED_TRACE(to_string(transport));
    halo.plan().use(transport);
    std::vector<S> filled(x), added(y);
    filled.resize(y.size(), S(-1));
    halo.fill(filled.data(), width, phases);
    for (int repeat = 0; repeat < 2; ++repeat) {
      added = y;
      auto exchange = halo.start_adjoint(added.data(), width, phases);
      for (Index n = 0; n < mesh.num_points() * width; ++n) added[static_cast<std::size_t>(n)] *= 2;
      exchange.test();
      exchange.wait();
      for (Index n = 0; n < mesh.num_points() * width; ++n)
        added[static_cast<std::size_t>(n)] -= y[static_cast<std::size_t>(n)];
    }
    const std::vector<S> result(added.begin(), added.begin() + own);
    const S filled_product = inner_product(mesh.comm(), y, filled),
            added_product = inner_product(mesh.comm(), result, x);
    EXPECT_LE(std::abs(filled_product - added_product), tolerance) << filled_product << " " << added_product;
  }
}

TEST(Halo, AdjointAddsGhostsToTheirOwners) {
  const Comm world = Comm::world();
  for (const Case& c : cases())
    for (const MeshPartitionMethod method : {MeshPartitionMethod::metis, MeshPartitionMethod::block}) {
      SCOPED_TRACE(c.name + ", " + to_string(method));
      const Mesh mesh(world, c.grid, c.order, by(method));
      const BlochPhases half(mesh, {0.5, 0, 0.5}), general(mesh, {0.25, -0.3, 0.1});
      expect_adjoint<std::complex<double>>(mesh, &half, 0);
      if (method == MeshPartitionMethod::block) continue;
      expect_adjoint<double>(mesh, nullptr, 0);
      expect_adjoint<float>(mesh, &half, 0);
      expect_adjoint<std::complex<float>>(mesh, nullptr, 0);
      expect_adjoint<std::complex<double>>(mesh, &general, 1e-8);
    }
}

/// With numbers whose sums are rounded: the bits of additions by rising rank, whatever the transport.
TEST(Halo, AdjointsOfEveryTransportHaveTheSameBits) {
  const Comm world = Comm::world();
  constexpr Index width = 2;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Mesh mesh(world, c.grid, c.order, by(MeshPartitionMethod::metis));
    const auto y = random_block<double>(mesh, mesh.num_points() + mesh.num_ghosts(), width, 3, 0.1);
    std::vector<double> expected(y);
    for (int rank = 0; rank < world.size(); ++rank) {  // the ghosts of one rank after the other
      std::vector<Index> ids;
      std::vector<double> ghosts;
      if (rank == world.rank()) {
        for (const LocalLine& line : mesh.ghost_lines())
          for (Index n = 0; n < line.k.size(); ++n) ids.push_back(wrapped_id(c.grid, line.point(n)));
        ghosts.assign(y.begin() + static_cast<std::ptrdiff_t>(mesh.num_points() * width), y.end());
      }
      Index number = static_cast<Index>(ids.size());
      world.broadcast(std::span(&number, 1), rank);
      ids.resize(static_cast<std::size_t>(number));
      ghosts.resize(static_cast<std::size_t>(number * width));
      world.broadcast(std::span(ids), rank);
      world.broadcast(std::span(ghosts), rank);
      std::map<Index, std::vector<double>> sorted;  // ghosts of a point by its id, in local order
      for (std::size_t g = 0; g < ids.size(); ++g)
        for (Index s = 0; s < width; ++s) sorted[ids[g]].push_back(ghosts[g * width + static_cast<std::size_t>(s)]);
      Index p = 0;
      for (const Int3& point : mesh.points()) {
        const auto found = sorted.find(c.grid.id(point));
        if (found != sorted.end())
          for (std::size_t i = 0; i < found->second.size(); ++i)
            expected[static_cast<std::size_t>(p * width) + i % width] += found->second[i];
        ++p;
      }
    }
    expected.resize(static_cast<std::size_t>(mesh.num_points() * width));
    Halo halo(mesh, Transport::alltoallv);
    for (const Transport transport : all_transports()) {
      halo.plan().use(transport);
      std::vector<double> values(y);
      halo.adjoint(values.data(), width);
      values.resize(expected.size());
      EXPECT_EQ(values, expected) << to_string(transport);
    }
  }
}

/// A bar of 24 planes for each rank, in slices of 36 lines along it; each rank has one or two neighbours.
Mesh bar(const Comm& comm, int reach) {
  const int planes = 24 * comm.size();
  const MeshGrid grid(Lattice({{{6, 0, 0}, {0, 6, 0}, {0, 0, static_cast<double>(planes)}}}), {6, 6, planes}, none,
                      MeshRegion::box({2.5, 2.5, 0.5 * planes - 0.5}, {2.6, 2.6, 0.5 * planes}));
  return {comm, grid, 2 * reach, by(MeshPartitionMethod::block)};
}

/// Bytes of a plan of a mesh that has another one: the mean of many, as the allocator rounds up.
Index bytes_of_plan(const Mesh& mesh) {
  const Halo other(mesh, Transport::pairwise);
  std::vector<std::unique_ptr<Halo>> plans(32);
  const Index before = allocated_bytes();
  for (auto& plan : plans) plan = std::make_unique<Halo>(mesh, Transport::pairwise);
  return (allocated_bytes() - before) / static_cast<Index>(plans.size());
}

TEST(Halo, PlanHasTheBytesOfItsNeighboursAndGhosts) {
  const Comm world = Comm::world();
  const int reach = 2, sides = (world.rank() > 0) + (world.rank() + 1 < world.size());
  const Mesh mesh = bar(world, reach);
  const MatchedRuns& runs = mesh.halo_runs();
  ASSERT_EQ(mesh.num_ghosts(), sides * reach * 36);
  ASSERT_EQ(mesh.num_neighbours(), sides);
  EXPECT_EQ(Halo(mesh, Transport::pairwise).plan().messages_sent(), sides);
  const auto bytes = ExchangePlan::bytes(runs.sends, runs.receives, world.rank(), Transport::pairwise, sizeof(double));
  EXPECT_LE(bytes.runs, 2.0 * 36 * sizeof(wavegrid::Run) * sides);
  EXPECT_EQ(bytes.buffers, 2.0 * sizeof(double) * static_cast<double>(mesh.num_ghosts()));

  // As much on all ranks as on three.
  const Comm three = world.split(world.rank() / 3, world.rank());
  const Index here = bytes_of_plan(mesh), there = bytes_of_plan(bar(three, reach));
  if (three.rank() == 1 && three.size() == 3) {
    EXPECT_NEAR(static_cast<double>(here), static_cast<double>(there), 64);  // an index of each of 16 ranks takes 128
  }
}

/// -Laplacian/2 of a plane wave of the mesh is the wave times StencilPattern::kinetic_energy(), with any k-point.
template <class Real>
void expect_plane_wave(const Comm& world, const MeshGrid& grid, int order, const Vec3& kpoint, double tolerance) {
  using S = std::complex<Real>;
  const Mesh mesh(world, grid, order, by(MeshPartitionMethod::metis));
  const BlochPhases phases(mesh, kpoint);
  constexpr Index width = 5;
  const auto q = [&](Index s) -> Vec3 {  // in units of the reciprocal vectors
    return {kpoint[0] + static_cast<double>(s % 3) - 1, kpoint[1] + static_cast<double>(s % 2),
            kpoint[2] - static_cast<double>(s)};
  };
  std::vector<S> in(static_cast<std::size_t>((mesh.num_points() + mesh.num_ghosts()) * width));
  std::vector<S> out(static_cast<std::size_t>(mesh.num_points() * width));
  const auto wave = [&](const Int3& point, Index s) {
    double turns = 0;
    for (std::size_t d = 0; d < 3; ++d) turns += q(s)[d] * point[d] / grid.counts()[d];
    return std::polar(1.0, 2 * pi * turns);
  };
  const std::vector<Int3> points = mesh.points();
  std::vector<Real> potential(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    potential[p] = static_cast<Real>(0.1 * points[p][0]);
    for (Index s = 0; s < width; ++s) in[p * width + static_cast<std::size_t>(s)] = S(wave(points[p], s));
  }
  Halo halo(mesh, Transport::neighbor);
  halo.fill(in.data(), width, &phases);
  const Stencil stencil(mesh);
  stencil.laplacian(in.data(), out.data(), width, {.scale = -0.5, .potential = potential});
  double worst = 0;
  for (std::size_t p = 0; p < points.size(); ++p)
    for (Index s = 0; s < width; ++s) {
      Vec3 angles;
      for (std::size_t d = 0; d < 3; ++d) angles[d] = 2 * pi * q(s)[d] / grid.counts()[d];
      const double factor = mesh.pattern().kinetic_energy(angles) + static_cast<double>(potential[p]);
      EXPECT_LE(mesh.pattern().kinetic_energy(angles), mesh.pattern().highest_kinetic_energy() * (1 + 1e-12));
      const S value = out[p * width + static_cast<std::size_t>(s)];
      worst = std::max(worst, std::abs(std::complex<double>(value) - factor * wave(points[p], s)));
    }
  EXPECT_LT(world.max(worst), tolerance * mesh.pattern().highest_kinetic_energy());
}

TEST(Stencil, BlochWavesAreEigenfunctions) {
  const Comm world = Comm::world();
  for (const Mat3& cell : {orthogonal, sheared})
    for (const Int3& counts : {Int3{7, 8, 9}, Int3{5, 3, 11}})
      for (const Vec3& kpoint : {Vec3{0, 0, 0}, Vec3{0.5, 0, 0.5}, Vec3{0.25, -0.3, 0.1}}) {
        const MeshGrid grid(Lattice(cell), counts, everywhere, MeshRegion::cell());
        for (const int order : {2, 8, 12}) expect_plane_wave<double>(world, grid, order, kpoint, 1e-14);
        expect_plane_wave<float>(world, grid, 6, kpoint, 1e-5);
      }
}

TEST(Stencil, ConvergesWithTheOrderInShearedCells) {
  const Comm world = Comm::world();
  const double a = 0.6;
  const auto gaussian = [&](const Vec3& r) { return std::exp(-a * norm2(r)); };
  for (const Mat3& cell : {orthogonal, sheared})
    for (const int order : {2, 4, 6, 8, 10, 12}) {
      std::array<double, 2> errors[2];
      for (const int n : {0, 1}) {  // two spacings
        const double h = n == 0 ? 0.5 : 0.4;
        const MeshGrid grid(Lattice(cell), mesh_counts(Lattice(cell), {h, h, h}), none,
                            MeshRegion::spheres({{0, 0, 0}}, 6.5));
        const Mesh mesh(world, grid, order, by(MeshPartitionMethod::block));
        const Stencil stencil(mesh);
        const std::vector<double> f = sampled(mesh, gaussian);
        std::vector<double> laplacian(static_cast<std::size_t>(mesh.num_points())), slope(laplacian);
        stencil.laplacian(f.data(), laplacian.data(), 1, {});
        double squares[2] = {0, 0};
        const std::vector<Int3> points = mesh.points();
        for (const int direction : {0, 1, 2}) {
          stencil.gradient(direction, f.data(), slope.data(), 1);
          for (std::size_t p = 0; p < points.size(); ++p) {
            const Vec3 r = grid.position(points[p]);
            squares[0] += std::pow(slope[p] + 2 * a * r[static_cast<std::size_t>(direction)] * gaussian(r), 2);
            if (direction == 0) squares[1] += std::pow(laplacian[p] - (4 * a * a * norm2(r) - 6 * a) * gaussian(r), 2);
          }
        }
        for (std::size_t e : {0, 1}) errors[n][e] = std::sqrt(world.sum(squares[e]) * grid.point_volume());
      }
      for (const std::size_t e : {0, 1}) {
        const double rate = std::log(errors[0][e] / errors[1][e]) / std::log(0.5 / 0.4);
        EXPECT_GT(rate, 0.75 * order) << "order " << order << (e == 0 ? " gradient" : " Laplacian") << ", errors "
                                      << errors[0][e] << " and " << errors[1][e];
      }
    }
}

TEST(Stencil, ValuesDoNotDependOnThePartition) {
  const Comm world = Comm::world();
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    constexpr Index width = 7;
    // Sums of the results of all points, weighted by random integers: equal if all are.
    const auto results = [&](const Comm& comm, MeshPartitionMethod method) {
      const Mesh mesh(comm, c.grid, c.order, by(method));
      const Stencil stencil(mesh, 2);
      std::vector<double> in(static_cast<std::size_t>((mesh.num_points() + mesh.num_ghosts()) * width));
      std::vector<double> out(static_cast<std::size_t>(mesh.num_points() * width)), slope(out);
      const std::vector<Int3> points = mesh.points();
      for (std::size_t p = 0; p < points.size(); ++p)
        for (Index s = 0; s < width; ++s)
          in[p * width + static_cast<std::size_t>(s)] = random_at({c.grid.id(points[p]), s});
      Halo(mesh, Transport::pairwise).fill(in.data(), width);
      stencil.laplacian(in.data(), out.data(), width, {.scale = -0.5});
      stencil.gradient(1, in.data(), slope.data(), width);
      std::vector<double> all(static_cast<std::size_t>(2 * c.grid.num_ids() * width), 0);
      for (std::size_t p = 0; p < points.size(); ++p)
        for (std::size_t s = 0; s < width; ++s) {
          const auto place = (static_cast<std::size_t>(c.grid.id(points[p])) * width + s) * 2;
          all[place] = out[p * width + s];
          all[place + 1] = slope[p * width + s];
        }
      comm.merge(std::span(all));
      return all;
    };
    const std::vector<double> alone = results(Comm::self(), MeshPartitionMethod::block);
    EXPECT_TRUE(results(world, MeshPartitionMethod::metis) == alone);
    EXPECT_TRUE(results(world, MeshPartitionMethod::block) == alone);
  }
}

TEST(MeshOperator, OverlapDoesNotChangeABit) {
  const Comm world = Comm::world();
  constexpr Index width = 4;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Mesh mesh(world, c.grid, c.order, by(MeshPartitionMethod::metis));
    const BlochPhases phases(mesh, {0.5, 0, 0.25});
    MeshOperator h(mesh, {Transport::pairwise, HaloOverlap::off});
    const std::vector<Int3> points = mesh.points();
    std::vector<double> potential;
    for (const Int3& point : points) potential.push_back(random_at({mesh.grid().id(point)}));
    using S = std::complex<double>;
    auto in = encoded<S>(mesh, width);
    std::vector<S> expected(points.size() * width), out(expected);
    h.apply(in.data(), expected.data(), width, {.scale = -0.5, .potential = potential}, &phases);
    for (const HaloOverlap overlap : {HaloOverlap::polling, HaloOverlap::thread, HaloOverlap::automatic}) {
      h.use(overlap);
      for (int repeat = 0; repeat < (overlap == HaloOverlap::automatic ? 11 : 2); ++repeat) {
        std::fill(out.begin(), out.end(), S(-7));
        h.apply(in.data(), out.data(), width, {.scale = -0.5, .potential = potential}, &phases);
        EXPECT_TRUE(out == expected) << to_string(overlap);
      }
      EXPECT_GE(h.hidden_share(), 0);
      EXPECT_LE(h.hidden_share(), 1);
    }
    EXPECT_NE(h.overlap(), HaloOverlap::automatic);
    EXPECT_FALSE(h.reason().empty());
    h.halo().plan().use(transport_named("alltoallv_blocking"));
    bench::apply_one_by_one<S>(h, in, out, width, -0.5, potential, &phases);
    double worst = 0;
    for (std::size_t n = 0; n < out.size(); ++n)
      worst = std::max(worst, std::abs(out[n] - expected[n]) / (1 + std::abs(expected[n])));
    EXPECT_LT(worst, 1e-11);
  }
}

/// Narrower blocks in between are not timed.
TEST(MeshOperator, ChoosesATransportWithoutChangingABit) {
  const Case c = cases()[0];
  const Mesh mesh(Comm::world(), c.grid, c.order, by(MeshPartitionMethod::metis));
  constexpr Index width = 3;
  auto in = encoded<double>(mesh, width);
  auto narrow = encoded<double>(mesh, 1);
  std::vector<double> expected(static_cast<std::size_t>(mesh.num_points() * width)), out(expected);
  MeshOperator(mesh, {Transport::alltoallv, HaloOverlap::off}).apply<double>(in.data(), expected.data(), width, {});
  MeshOperator h(mesh);
  for (int n = 0; n < 60; ++n) {
    std::fill(out.begin(), out.end(), -7.0);
    h.apply<double>(in.data(), out.data(), width, {});
    ASSERT_TRUE(out == expected) << n;
    if (n % 4 == 0) h.apply<double>(narrow.data(), out.data(), 1, {});
  }
  EXPECT_NE(h.overlap(), HaloOverlap::automatic);
  const auto tuning = h.halo().plan().tuning();
  EXPECT_EQ(tuning.has_value(), mesh.comm().size() > 1);
  if (tuning) {
    EXPECT_EQ(h.halo().plan().transport(), tuning->chosen);
  }
}

}  // namespace
}  // namespace wavegrid::test_mesh
