// Averages of magnetisations over magnetic space groups in reciprocal space, compared with averages over grid points.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/magnetic_group.hpp>
#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/terms/moment_symmetriser.hpp>

#include "../unit/crystals.hpp"

namespace wavegrid::test_moment_symmetriser {
namespace {

using namespace test_data;
using Field = std::vector<double>;  // of the whole grid, at (iz ny + iy) nx + ix
using Moments = std::array<Field, 3>;

struct Case {
  std::string name;
  Crystal crystal;
  std::vector<Vec3> moments;
  Int3 grid;
};

std::vector<Case> cases() {
  Crystal two{cube(5), {"Fe"}, {{0, {0, 0, 0}}, {0, {0.5, 0.5, 0.5}}}};
  const double h = std::sqrt(0.75);
  Crystal three{hexagonal(9, 12), {"Cr"}, {{0, {0.2, 0, 0.5}}, {0, {0, 0.2, 0.5}}, {0, {-0.2, -0.2, 0.5}}}};
  return {{"ferromagnet", fcc_primitive(), {{0, 0, 2}}, {6, 6, 6}},
          {"ferromagnet along a diagonal", fcc_primitive(), {{1, 1, 1}}, {5, 5, 5}},
          {"antiferromagnet", two, {{0, 0, 2}, {0, 0, -2}}, {8, 8, 6}},
          {"canted", two, {{0.5, 0, 2}, {0.5, 0, -2}}, {6, 6, 6}},
          {"diamond", diamond_primitive(), {{1, 0, 0}, {-1, 0, 0}}, {8, 8, 8}},
          {"hexagonal", hcp(), {{2, 0, 0}, {2, 0, 0}}, {6, 6, 8}},
          {"triangle", three, {{2, 0, 0}, {-1, 2 * h, 0}, {-1, -2 * h, 0}}, {6, 6, 4}},
          {"no symmetry", triclinic(), {{0, 0, 2}, {0, 0, 0}, {0, 0, 0}}, {4, 5, 6}}};
}

SpaceGroup group_of(const Case& of) {
  return compatible_subgroup(of.grid, magnetic_group(find_space_group(of.crystal), of.crystal, of.moments)).group;
}

Index num_points(const Int3& n) { return static_cast<Index>(n[0]) * n[1] * n[2]; }
Int3 point_at(const Int3& n, Index i) {
  return {static_cast<int>(i % n[0]), static_cast<int>(i / n[0] % n[1]), static_cast<int>(i / n[0] / n[1])};
}

Moments random_moments(const Int3& n) {
  Moments all;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (Index i = 0; i < num_points(n); ++i) all[axis].push_back(random_at({static_cast<Index>(axis), i}));
  return all;
}

/// At each image of a point the moment of the point, turned.
Moments averaged(const Case& of, const SpaceGroup& group, const Moments& m) {
  const Int3& n = of.grid;
  Moments sum{Field(m[0].size()), Field(m[0].size()), Field(m[0].size())};
  for (const SymmetryOperation& operation : group.operations()) {
    const GridOperation map = on_grid(n, operation);
    const Mat3 turn = moment_rotation(operation, of.crystal.lattice.vectors());
    for (Index i = 0; i < num_points(n); ++i) {
      const Int3 p = point_at(n, i);
      Int3 image = map.translation;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) image[a] += map.matrix[a][b] * p[b];
      const auto to = static_cast<std::size_t>(box_index(n, image)), from = static_cast<std::size_t>(i);
      for (std::size_t a = 0; a < 3; ++a)
        sum[a][to] += dot(turn[a], {m[0][from], m[1][from], m[2][from]}) / group.size();
    }
  }
  return sum;
}

/// The fields of this rank's points.
struct FieldSetup {
  ProcessGrid ranks;
  GridFft fft;

  FieldSetup(const Comm& comm, const Case& from)
      : FieldSetup(comm, from,
                   make_partition(Scheme::greedy, GSphere::box(from.crystal.lattice, from.grid).counts(), from.grid[0],
                                  comm.size())
                       .shape) {}
  FieldSetup(const Comm& comm, const Case& from, GridShape shape)
      : ranks(comm, shape.rows, shape.columns),
        fft(ranks, from.crystal.lattice, from.grid, Scheme::greedy,
            {Transport::alltoallv, 1, 1, PlanEffort::estimate}) {}

  [[nodiscard]] std::vector<double> mine(const Field& all) const {
    const FftLayout& layout = fft.layout();
    std::vector<double> values;
    for (Index x = layout.x.begin; x < layout.x.end; ++x)
      for (Index y = layout.y.begin; y < layout.y.end; ++y)
        for (int z = 0; z < layout.grid[2]; ++z)
          values.push_back(
              all[static_cast<std::size_t>(box_index(layout.grid, {static_cast<int>(x), static_cast<int>(y), z}))]);
    return values;
  }
};

std::array<GridFft::Coefficients, 3> symmetrised(FieldSetup& setup, const SpaceGroup& group, const Moments& m) {
  std::array<GridFft::Coefficients, 3> fields;
  for (std::size_t axis = 0; axis < 3; ++axis) fields[axis] = setup.fft.to_recip(setup.mine(m[axis]));
  MomentSymmetriser(setup.fft, group).symmetrise({&fields[0], &fields[1], &fields[2]});
  return fields;
}

double largest_difference(FieldSetup& setup, const std::array<GridFft::Coefficients, 3>& fields, const Moments& m) {
  double worst = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<double> found = setup.fft.to_real(fields[axis]), wanted = setup.mine(m[axis]);
    for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - wanted[i]));
  }
  return worst;
}

TEST(MomentSymmetriser, EqualsTheAverageOverGridPoints) {
  for (const Case& from : cases()) {
    SCOPED_TRACE(from.name);
    const SpaceGroup group = group_of(from);
    const Moments m = random_moments(from.grid), average = averaged(from, group, m);
    FieldSetup setup(Comm::world(), from);
    EXPECT_LT(largest_difference(setup, symmetrised(setup, group, m), average), 1e-13);
    EXPECT_LT(largest_difference(setup, symmetrised(setup, group, average), average), 1e-13);  // nothing is left to do
  }
}

TEST(MomentSymmetriser, DoesNotDependOnTheRanksBitForBit) {
  for (const Case& from : cases()) {
    SCOPED_TRACE(from.name);
    const SpaceGroup group = group_of(from);
    std::array<std::vector<Field>, 2> found;
    for (const bool alone : {true, false}) {
      FieldSetup setup(alone ? Comm::self() : Comm::world(), from);
      std::array<GridFft::Coefficients, 3> fields;
      for (Index axis = 0; axis < 3; ++axis)
        for (const Int3& g : setup.fft.waves().g())
          fields[static_cast<std::size_t>(axis)].emplace_back(random_at({axis, box_index(from.grid, g), 0}),
                                                              random_at({axis, box_index(from.grid, g), 1}));
      MomentSymmetriser(setup.fft, group).symmetrise({&fields[0], &fields[1], &fields[2]});
      for (const auto& field : fields) {
        Field all(2 * static_cast<std::size_t>(num_points(from.grid)));
        for (std::size_t i = 0; i < field.size(); ++i) {
          const auto at = 2 * static_cast<std::size_t>(box_index(from.grid, setup.fft.waves().g()[i]));
          all[at] = field[i].real();
          all[at + 1] = field[i].imag();
        }
        setup.fft.comm().sum(std::span<double>(all));
        found[alone ? 0 : 1].push_back(std::move(all));
      }
    }
    EXPECT_EQ(found[0], found[1]);
  }
}

}  // namespace
}  // namespace wavegrid::test_moment_symmetriser
