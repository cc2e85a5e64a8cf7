// Matrices and densities of functions in boxes against sums over the whole grid, which every rank computes for itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/orbitals/box_filter.hpp>
#include <wavegrid/orbitals/box_neighbours.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/box_waves.hpp>
#include <wavegrid/orbitals/curve_order.hpp>
#include <wavegrid/orbitals/line_kinetic.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>

namespace wavegrid::test_box_orbitals {
namespace {

using Complex = std::complex<double>;

constexpr Int3 grid{12, 10, 9};
constexpr double volume_element = 0.3;

Crystal crystal() {
  Crystal found{Lattice({{{6, 0, 0}, {0.5, 5, 0}, {0, 0.3, 4.5}}}), {"A", "B"}, {}};
  found.atoms = {{0, {0.1, 0.2, 0.3}}, {1, {0.6, 0.9, 0.1}}, {0, {0.45, 0.5, 0.95}}, {1, {0.95, 0.05, 0.6}}};
  return found;
}

/// Reproducible numbers from -1 to 1.
double number(Index key, Index i) { return random_at({key, i}); }

template <class S>
S value(Index atom, Index i) {
  if constexpr (ScalarTraits<S>::is_real)
    return number(atom, i);
  else
    return {number(atom, 2 * i), number(atom, 2 * i + 1)};
}

/// All functions on the whole grid.
template <class S>
std::vector<std::vector<S>> whole_functions(const OrbitalLayout& layout) {
  std::vector<std::vector<S>> functions;
  for (Index a = 0; a < layout.num_atoms(); ++a)
    for (Index f = 0; f < layout.functions(a).size(); ++f) {
      std::vector<S>& whole = functions.emplace_back(std::size_t{12} * 10 * 9, S(0));
      for_rows(layout.box(a), grid, [&](Index first, Index at, Index length) {
        for (Index i = 0; i < length; ++i)
          whole[static_cast<std::size_t>(first + i)] = value<S>(a, f * layout.box(a).points() + at + i);
      });
    }
  return functions;
}

std::vector<double> potential() {
  std::vector<double> v;
  for (Index i = 0; i < Index{12} * 10 * 9; ++i) v.push_back(number(77, i));
  return v;
}

/// A field in the boxes of a rank.
std::vector<double> in_boxes(const OrbitalLayout& layout, Range atoms, const std::vector<double>& field) {
  std::vector<double> values;
  for (Index a = atoms.begin; a < atoms.end; ++a) {
    const std::size_t before = values.size();
    values.resize(before + static_cast<std::size_t>(layout.box(a).points()));
    for_rows(layout.box(a), grid, [&](Index first, Index at, Index length) {
      for (Index i = 0; i < length; ++i)
        values[before + static_cast<std::size_t>(at + i)] = field[static_cast<std::size_t>(first + i)];
    });
  }
  return values;
}

template <class S>
void compare(double radius) {
  const Comm world = Comm::world();
  const OrbitalLayout layout(crystal(), grid, {3, 1}, {radius, 0.8 * radius}, world.size());
  BoxOrbitals<S> orbitals(world, layout, [&](Index a, std::span<S> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value<S>(a, static_cast<Index>(i));
  });
  const auto functions = whole_functions<S>(layout);
  const std::vector<double> v = potential();
  const std::vector<double> mine = in_boxes(layout, layout.atoms(world.rank()), v);
  ASSERT_EQ(orbitals.box_values(), std::ssize(mine));
  const BlockSparse<S> v_blocks = orbitals.matrix(mine, volume_element);
  const Matrix<S> found[] = {whole_matrix(orbitals.matrix(std::span<const double>(), volume_element)),
                             whole_matrix(v_blocks)};
  const Index n = layout.num_functions();
  ASSERT_EQ(n, 8);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      S overlap(0), element(0);
      for (std::size_t p = 0; p < v.size(); ++p) {
        const S product = volume_element * conjugate(functions[static_cast<std::size_t>(i)][p]) *
                          functions[static_cast<std::size_t>(j)][p];
        overlap += product;
        element += v[p] * product;
      }
      EXPECT_NEAR(std::abs(found[0](i, j) - overlap), 0, 1e-12) << i << " " << j;
      EXPECT_NEAR(std::abs(found[1](i, j) - element), 0, 1e-12) << i << " " << j;
    }
  // The density of the matrix V itself, which is Hermitian.
  std::vector<double> density(mine.size(), 0.0), sum(v.size(), 0.0);
  orbitals.add_density(v_blocks, density);
  std::size_t at = 0;
  for (Index a = layout.atoms(world.rank()).begin; a < layout.atoms(world.rank()).end; ++a)
    for_rows(layout.box(a), grid, [&](Index first, Index, Index length) {
      for (Index i = 0; i < length; ++i) sum[static_cast<std::size_t>(first + i)] += density[at++];
    });
  world.sum(std::span<double>(sum));
  for (std::size_t p = 0; p < v.size(); ++p) {
    Complex expected(0);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        expected += found[1](i, j) * functions[static_cast<std::size_t>(i)][p] *
                    conjugate(functions[static_cast<std::size_t>(j)][p]);
    EXPECT_NEAR(sum[p], expected.real(), 1e-10) << p;
  }
}

TEST(BoxOrbitals, MatricesAndDensityAreThoseOfTheWholeGrid) {
  for (const double radius : {1.2, 2.0, 9.0}) {  // far from each other; overlapping; the whole cell
    compare<double>(radius);
    compare<Complex>(radius);
  }
}

/// Functions that end at spheres, and their kinetic energy by lines and by transforms of wide boxes.
template <class S>
void compare_kinetic_energies(const Vec3& k, const Int3& points, double radius) {
  const std::vector<double> radii{radius, 0.8 * radius};
  Crystal cell{Lattice({{{8, 0, 0}, {0, 5, 0}, {0, 0, 7}}}), {"A", "B"}, {}};
  cell.atoms = {{0, {0.1, 0.2, 0.3}}, {1, {0.3, 0.1, 0.4}}, {0, {0.95, 0.9, 0.25}}, {1, {0.6, 0.6, 0.9}}};
  const Comm world = Comm::world();
  const OrbitalLayout layout(cell, points, {5, 2}, radii, world.size());
  const SphereRows rows(cell, layout, radii);
  const auto fill = [&](Index a, std::span<S> values) {
    const Atom& atom = cell.atoms[static_cast<std::size_t>(a)];
    const std::vector<double> r = distances(cell.lattice, points, atom.position, layout.box(a));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          r[i % r.size()] <= radii[static_cast<std::size_t>(atom.species)] ? value<S>(a, static_cast<Index>(i)) : S(0);
  };
  BoxOrbitals<S> in_spheres(world, layout, fill, &rows), in_boxes(world, layout, fill);
  const WideBoxes wide(layout, 3);
  LineKinetic<S> lines(cell.lattice, k, layout, wide, rows);
  BoxFilter<S> filter(wide.size(), PlanEffort::fixed);
  const std::vector<double> kernel = filter.kernel(BoxWaves(cell.lattice, points, wide.size(), k).kinetic());
  const std::vector<OrbitalOperator<S>> by_transforms{
      {.box = [&](Index a) { return BoxPart{wide.box(a)}; },
       .apply =
           [&](Index a, std::span<const S> from, std::span<S> to) {
             filter.apply(kernel, common_points(wide.box(a), layout.box(a), points), layout.box(a).points(), from, to);
           }}};
  const std::vector<OrbitalOperator<S>> by_lines = lines.parts();
  const BlockSparse<S> t = in_boxes.matrix(std::span(by_transforms), volume_element);
  const Matrix<S> expected[] = {whole_matrix(in_boxes.matrix(std::span<const double>(), volume_element)),
                                whole_matrix(t)};
  const Matrix<S> found[] = {whole_matrix(in_spheres.matrix(std::span<const double>(), volume_element)),
                             whole_matrix(in_spheres.matrix(std::span(by_lines), volume_element))};
  for (std::size_t m = 0; m < 2; ++m) {
    double error = 0;
    for (Index i = 0; i < expected[m].size(); ++i)
      error = std::max(error, std::abs(found[m].data()[i] - expected[m].data()[i]));
    EXPECT_LT(error, 1e-10) << (m == 0 ? "overlaps" : "kinetic energies");
  }
  Index values = 0;
  for (Index a = layout.atoms(world.rank()).begin; a < layout.atoms(world.rank()).end; ++a) values += layout.values(a);
  std::vector<S> sums(static_cast<std::size_t>(values), S(0)), all(sums), inside;
  in_spheres.combine(by_lines, t, sums);
  in_boxes.combine(by_transforms, t, all);
  for (Index a = layout.atoms(world.rank()).begin; a < layout.atoms(world.rank()).end; ++a) {
    std::vector<S> functions(static_cast<std::size_t>(layout.values(a)));
    fill(a, functions);
    inside.insert(inside.end(), functions.begin(), functions.end());
  }
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    largest = std::max(largest, std::abs(all[i]));
    if (inside[i] != S(0)) error = std::max(error, std::abs(sums[i] - all[i]));
  }
  EXPECT_LE(error, 1e-12 * largest);  // both 0 on a rank without atoms
}

TEST(LineKinetic, IsThatOfTransforms) {
  for (const double radius : {1.2, 2.3, 2.7, 9.0}) {  // in wide boxes; in the cell; as long as the cell; all of it
    compare_kinetic_energies<double>({0, 0, 0}, {24, 15, 20}, radius);
    compare_kinetic_energies<Complex>({0.1, -0.2, 0.3}, {24, 15, 20}, radius);
  }
}

TEST(OrbitalLayout, EveryAtomHasOneOwner) {
  for (int ranks = 1; ranks < 8; ++ranks) {
    const OrbitalLayout layout(crystal(), grid, {3, 1}, {2.0, 2.0}, ranks);
    Index next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(layout.atoms(rank).begin, next);
      next = layout.atoms(rank).end;
    }
    EXPECT_EQ(next, layout.num_atoms());
  }
}

TEST(BoxNeighbours, AreThoseOfAllPairs) {
  const Int3 size{14, 9, 40};
  std::vector<Box> boxes;
  for (Index i = 0; i < 60; ++i) {
    Box box{.number = i};
    for (std::size_t d = 0; d < 3; ++d) {
      box.begin[d] = static_cast<int>(60 * number(5 * i, static_cast<Index>(d)));
      box.size[d] = 1 + static_cast<int>(3 * (1 + number(5 * i + 1, static_cast<Index>(d))));
    }
    boxes.push_back(box);
  }
  boxes[7].size = size;
  const auto near = box_neighbours(boxes, boxes, size);
  for (std::size_t a = 0; a < boxes.size(); ++a) {
    std::vector<Index> expected;
    for (std::size_t b = 0; b < boxes.size(); ++b)
      if (have_common_points(boxes[a], boxes[b], size)) expected.push_back(static_cast<Index>(b));
    EXPECT_EQ(near[a], expected) << a;
  }
}

TEST(CurveOrder, GoesFromNeighbourToNeighbour) {
  const Crystal cube =
      supercell({Lattice({{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}}), {"A"}, {{0, {0.2, 0.2, 0.2}}}}, {4, 4, 4});
  const Crystal found = reordered(cube, curve_order(cube));
  for (int a = 1; a < found.num_atoms(); ++a)
    EXPECT_NEAR(norm(found.cartesian(a) - found.cartesian(a - 1)), 3, 1e-9) << a;
}

}  // namespace
}  // namespace wavegrid::test_box_orbitals
