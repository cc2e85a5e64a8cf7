// Space groups compared with the International Tables and with a search through all matrices; forces and stress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/symmetrise.hpp>

#include "crystals.hpp"

namespace wavegrid::test_space_group {
namespace {

using namespace test_data;

double distance_to_whole(const Vec3& x) {
  double worst = 0;
  for (const double c : x) worst = std::max(worst, std::abs(c - std::round(c)));
  return worst;
}

bool maps_onto_itself(const Crystal& crystal, const SymmetryOperation& operation) {
  return std::all_of(crystal.atoms.begin(), crystal.atoms.end(), [&](const Atom& from) {
    return std::any_of(crystal.atoms.begin(), crystal.atoms.end(), [&](const Atom& to) {
      return from.species == to.species && distance_to_whole(image_of(operation, from.position) - to.position) < 1e-6;
    });
  });
}

bool is_isometry(const Rotation& w, const Mat3& a) {
  const Mat3 r = cartesian_rotation(w, a);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (std::abs(dot(r[i], r[j]) - (i == j ? 1 : 0)) > 1e-8) return false;
  return true;
}

/// Lattice vectors as long as vector `axis`, in units of the cell vectors, elements -3 to 3: enough for these cells.
std::vector<Int3> as_long_as(const Lattice& lattice, std::size_t axis) {
  std::vector<Int3> found;
  for (int x = -3; x <= 3; ++x)
    for (int y = -3; y <= 3; ++y)
      for (int z = -3; z <= 3; ++z) {
        const Vec3 vector = lattice.cartesian({double(x), double(y), double(z)});
        if (std::abs(norm(vector) - norm(lattice.vectors()[axis])) < 1e-6) found.push_back({x, y, z});
      }
  return found;
}

/// All isometries of the lattice: the columns of W are the images of the cell vectors.
std::vector<Rotation> isometries(const Crystal& crystal) {
  std::vector<Rotation> all;
  for (const Int3& a : as_long_as(crystal.lattice, 0))
    for (const Int3& b : as_long_as(crystal.lattice, 1))
      for (const Int3& c : as_long_as(crystal.lattice, 2)) {
        const Rotation w{{{a[0], b[0], c[0]}, {a[1], b[1], c[1]}, {a[2], b[2], c[2]}}};
        if (is_isometry(w, crystal.lattice.vectors())) all.push_back(w);
      }
  return all;
}

/// The number of operations, found by trying every isometry with every translation between atoms.
int count_by_search(const Crystal& crystal) {
  int count = 0;
  for (const Rotation& w : isometries(crystal))
    for (const Atom& to : crystal.atoms) {
      if (to.species != crystal.atoms.front().species) continue;
      const Vec3 t = to.position - image_of({w, {0, 0, 0}}, crystal.atoms.front().position);
      count += maps_onto_itself(crystal, {w, t}) ? 1 : 0;
    }
  return count;
}

bool same(const SymmetryOperation& a, const SymmetryOperation& b) {
  return a.rotation == b.rotation && distance_to_whole(a.translation - b.translation) < 1e-6;
}

bool contains(const SpaceGroup& group, const SymmetryOperation& operation) {
  return std::any_of(group.operations().begin(), group.operations().end(),
                     [&](const auto& o) { return same(o, operation); });
}

void expect_group_of(const Crystal& crystal, const SpaceGroup& group) {
  const std::size_t stride = std::max<std::size_t>(1, group.operations().size() / 24);
  for (std::size_t i = 0; i < group.operations().size(); ++i) {
    const SymmetryOperation& a = group.operations()[i];
    EXPECT_TRUE(maps_onto_itself(crystal, a));
    EXPECT_TRUE(contains(group, inverse(a)));
    EXPECT_TRUE(same(product(a, inverse(a)), {}));
    for (std::size_t j = i % stride; j < group.operations().size(); j += stride)
      EXPECT_TRUE(contains(group, product(a, group.operations()[j])));
  }
}

Crystal displaced(Crystal crystal) {
  crystal.atoms.back().position[2] += 0.01;
  return crystal;
}

Crystal left_handed(const Crystal& crystal) {
  const Mat3& a = crystal.lattice.vectors();
  Crystal result{Lattice({a[1], a[0], a[2]}), crystal.species, crystal.atoms};
  for (Atom& atom : result.atoms) std::swap(atom.position[0], atom.position[1]);
  return result;
}

Crystal shifted(Crystal crystal, const Vec3& by) {
  for (Atom& atom : crystal.atoms) atom.position = atom.position + by;
  return crystal;
}

struct Known {
  std::string name;
  Crystal crystal;
  int operations, translations;
  std::string symbol;
  int number;
};

std::vector<Known> known_crystals() {
  return {
      {"fcc, one atom", fcc_primitive(), 48, 1, "Fm-3m", 225},
      {"fcc, four atoms", fcc_conventional(), 192, 4, "Fm-3m", 225},
      {"diamond, two atoms", diamond_primitive(), 48, 1, "Fd-3m", 227},
      {"diamond, eight atoms", diamond_conventional(), 192, 4, "Fd-3m", 227},
      {"graphene", graphene(), 24, 1, "P6/mmm", 191},
      {"hcp", hcp(), 24, 1, "P6_3/mmc", 194},
      {"hcp around another origin", shifted(hcp(), {0.123, -1.77, 0.031}), 24, 1, "P6_3/mmc", 194},
      {"hcp, left-handed cell", left_handed(hcp()), 24, 1, "P6_3/mmc", 194},
      {"triclinic", triclinic(), 1, 1, "P1", 1},
      {"fcc, one of four atoms displaced", displaced(fcc_conventional()), 8, 1, "P4mm", 99},
      {"fcc, 1 x 1 x 2 cells of four atoms", supercell(fcc_conventional(), {1, 1, 2}), 128, 8, "Fm-3m", 225},
      {"fcc, 2 x 2 x 2 cells of one atom", supercell(fcc_primitive(), {2, 2, 2}), 384, 8, "Fm-3m", 225},
      {"fcc, 3 x 1 x 1 cells of one atom", supercell(fcc_primitive(), {3, 1, 1}), 36, 3, "Fm-3m", 225},
  };
}

TEST(SpaceGroup, HasTheOperationsOfTheInternationalTables) {
  for (const Known& known : known_crystals()) {
    SCOPED_TRACE(known.name);
    const SpaceGroup group = find_space_group(known.crystal);
    EXPECT_EQ(group.size(), known.operations);
    EXPECT_EQ(group.num_translations(), known.translations);
    EXPECT_EQ(group.symbol(), known.symbol);
    EXPECT_EQ(group.number(), known.number);
    EXPECT_EQ(group.size(), count_by_search(known.crystal));
    expect_group_of(known.crystal, group);
  }
}

TEST(SpaceGroup, OperationsAreOrderedByRotation) {
  const SpaceGroup group = find_space_group(diamond_conventional());
  EXPECT_EQ(group.operations().front().rotation, no_rotation);
  EXPECT_EQ(norm2(group.operations().front().translation), 0);
  EXPECT_EQ(group.num_rotations(), 48);
  for (int i = 0; i < group.size(); ++i)
    EXPECT_EQ(group.operations()[static_cast<std::size_t>(i)].rotation, group.rotation_operation(i / 4).rotation);
  EXPECT_EQ(group.description(), "Fd-3m (227), 192 operations");
  const SpaceGroup proper = group.subgroup([](const auto& o) { return o.rotation == no_rotation; });
  EXPECT_EQ(proper.description(), "4 of the 192 operations of Fd-3m (227)");
  EXPECT_EQ(SpaceGroup::identity().description(), "P1 (1), 1 operation");
}

TEST(SpaceGroup, SubsetsThatAreNotGroupsAreRefused) {
  const SpaceGroup group = find_space_group(diamond_conventional());
  EXPECT_THROW(group.subgroup([](const auto& o) { return o.rotation != no_rotation; }), Error);
  int n = 0;
  EXPECT_THROW(group.subgroup([&](const auto&) { return n++ < 9; }), Error);
}

TEST(SpaceGroup, MagneticMomentsMakeAtomsInequivalent) {
  const Crystal crystal = fcc_conventional();  // atoms 0 and 3 are at z = 0, the others at z = 1/2
  const std::vector<double> layers{2, -2, -2, 2}, equal{2, 2, 2, 2};
  const SpaceGroup group = find_space_group(crystal, layers);
  EXPECT_EQ(group.number(), 123);
  EXPECT_EQ(group.size(), 32);
  EXPECT_EQ(find_space_group(crystal, equal).size(), 192);
}

std::string message_of(const Crystal& crystal, const std::vector<double>& moments, double tolerance) {
  try {
    (void)find_space_group(crystal, moments, tolerance);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(SpaceGroup, InvalidArgumentsAreNamed) {
  EXPECT_THAT(message_of(hcp(), {1}, 1e-5), ::testing::HasSubstr("1 magnetic moments for 2 atoms"));
  EXPECT_THAT(message_of(hcp(), {}, 0), ::testing::HasSubstr("valid: above 0"));
  Crystal doubled = fcc_conventional();
  doubled.atoms[1].position = doubled.atoms[0].position;
  EXPECT_THAT(message_of(doubled, {}, 1e-5), ::testing::HasSubstr("no symmetry is found within"));
}

TEST(SpaceGroup, ImagesOfAtomsAreAPermutationWithShifts) {
  const Crystal crystal = shifted(diamond_conventional(), {0.4, -1.3, 2.2});
  const SpaceGroup group = find_space_group(crystal);
  for (const SymmetryOperation& operation : group.operations()) {
    const std::vector<AtomImage> images = atom_images(crystal, operation);
    std::vector<int> hit(crystal.atoms.size(), 0);
    for (std::size_t a = 0; a < images.size(); ++a) {
      const auto to = static_cast<std::size_t>(images[a].atom);
      ++hit[to];
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(image_of(operation, crystal.atoms[a].position)[d],
                    crystal.atoms[to].position[d] + images[a].shift[d], 1e-6);
    }
    EXPECT_EQ(hit, std::vector<int>(crystal.atoms.size(), 1));
  }
  EXPECT_THROW(atom_images(crystal, {no_rotation, {0.1, 0, 0}}), Error);
}

/// Harmonic forces between all atoms and images within a cutoff: forces with the symmetry of the crystal.
std::vector<Vec3> spring_forces(const Crystal& crystal) {
  std::vector<Vec3> forces;
  for (const Atom& atom : crystal.atoms) {
    Vec3 force{};
    for (const Atom& other : crystal.atoms)
      for (int n = 0; n < 343; ++n) {
        const Vec3 shift{double(n % 7 - 3), double(n / 7 % 7 - 3), double(n / 49 - 3)};
        const Vec3 d = crystal.lattice.cartesian(other.position + shift - atom.position);
        if (norm2(d) > 0) force = force + (1 + other.species) * std::exp(-0.3 * norm2(d)) * d;
      }
    forces.push_back(force);
  }
  return forces;
}

double worst_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, norm(a[i] - b[i]));
  return worst;
}

TEST(Symmetrise, ForcesKeepTheirSymmetricPart) {
  const Crystal crystals[] = {displaced(fcc_conventional()), supercell(displaced(diamond_conventional()), {2, 1, 1}),
                              displaced(hcp()), shifted(displaced(left_handed(hcp())), {0.3, 0.1, 0.7})};
  for (const Crystal& crystal : crystals) {
    const SpaceGroup group = find_space_group(crystal);
    ASSERT_GT(group.size(), 1);
    const std::vector<Vec3> exact = spring_forces(crystal);
    EXPECT_LT(worst_difference(symmetrise_forces(group, crystal, exact), exact), 1e-10);
    std::vector<Vec3> noisy = exact;
    for (std::size_t a = 0; a < noisy.size(); ++a)
      for (std::size_t d = 0; d < 3; ++d) noisy[a][d] += random_at({static_cast<Index>(a), static_cast<Index>(d)});
    const std::vector<Vec3> once = symmetrise_forces(group, crystal, noisy);
    EXPECT_LT(worst_difference(symmetrise_forces(group, crystal, once), once), 1e-12);
    for (const SymmetryOperation& o : group.operations()) {  // covariant under every operation
      const Mat3 r = cartesian_rotation(o.rotation, crystal.lattice.vectors());
      const std::vector<AtomImage> images = atom_images(crystal, o);
      for (std::size_t a = 0; a < once.size(); ++a) {
        const Vec3 turned{dot(r[0], once[a]), dot(r[1], once[a]), dot(r[2], once[a])};
        EXPECT_LT(norm(turned - once[static_cast<std::size_t>(images[a].atom)]), 1e-12);
      }
    }
  }
}

TEST(Symmetrise, StressOfCubicCrystalsIsIsotropic) {
  const Mat3 stress{{{1, 2, 3}, {2, 5, 7}, {3, 7, 9}}};
  const Mat3 cubic = symmetrise_stress(find_space_group(diamond_primitive()), diamond_primitive().lattice, stress);
  const Mat3 uniaxial = symmetrise_stress(find_space_group(hcp()), hcp().lattice, stress);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(cubic[i][j], i == j ? 5 : 0, 1e-12);
      EXPECT_NEAR(uniaxial[i][j], i != j ? 0 : i == 2 ? 9 : 3, 1e-12);
    }
}

}  // namespace
}  // namespace wavegrid::test_space_group
