// The pure parts of checkpoints: the order of G-vectors, blocks and their positions, which ranks write.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include <wavegrid/checkpoint/atomic_file.hpp>
#include <wavegrid/checkpoint/berkeleygw_tables.hpp>
#include <wavegrid/checkpoint/file_layout.hpp>
#include <wavegrid/checkpoint/g_order.hpp>

#include "crystals.hpp"
#include "spheres.hpp"

namespace wavegrid::test_checkpoint_layout {
namespace {

using ::testing::ElementsAre;

TEST(GOrder, IsByGzThenGyThenGxInAnyPart) {
  for (const Mode mode : {Mode::complex, Mode::gamma}) {
    const GSphere sphere = skewed_sphere(mode);
    const GOrder order(sphere);
    ASSERT_EQ(order.size(), sphere.size());
    const std::vector<Int3> all = order.range({0, order.size()});
    const auto before = [](const Int3& a, const Int3& b) {
      return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    };
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), before));
    EXPECT_EQ(std::set<Int3>(all.begin(), all.end()).size(), all.size());
    for (const Int3& g : all) EXPECT_LE(sphere.kinetic(g), sphere.kinetic_bound());
    for (const Index width : {1, 7, 100}) {
      std::vector<Int3> pieces;
      for (Index begin = 0; begin < order.size(); begin += width) {
        const std::vector<Int3> piece = order.range({begin, std::min(begin + width, order.size())});
        pieces.insert(pieces.end(), piece.begin(), piece.end());
      }
      EXPECT_EQ(pieces, all);
    }
  }
}

TEST(GOrder, OfABoxOfEvenAndOddSizes) {
  EXPECT_THAT(box_order({2, 3, 1}, {0, 6}), ElementsAre(Int3{-1, -1, 0}, Int3{0, -1, 0}, Int3{-1, 0, 0}, Int3{0, 0, 0},
                                                        Int3{-1, 1, 0}, Int3{0, 1, 0}));
  EXPECT_THAT(box_order({2, 3, 4}, {7, 8}), ElementsAre(Int3{0, -1, -1}));
}

CheckpointHeader small_header() {
  CheckpointHeader header{.crystal = test_data::diamond_primitive()};
  header.grid = {4, 5, 6};
  header.kpoints = {{{0, 0, 0}, 0.25}, {{0.5, 0, 0}, 0.75}};
  header.spins = 2;
  header.bands = 3;
  header.block = 100;
  return header;
}

TEST(FileLayout, BlocksOfRowsFollowEachOther) {
  FileLayout layout(small_header(), {250, 99});
  Offsets offsets;
  Index end = 1000;
  for (const ArrayShape& array : layout.bulk()) {
    offsets[array.name] = end;
    end += array.bytes();
  }
  EXPECT_EQ(layout.bytes(), end - 1000);
  layout.set_offsets(offsets);
  EXPECT_EQ(layout.num_blocks(250), 3);
  EXPECT_EQ(layout.block(250, 2), (Range{200, 250}));
  const Index coeffs = offsets["/wfns/coeffs"], sums = offsets["/wavegrid/checksums/coeffs"];
  EXPECT_EQ(layout.coefficients(0, 0, 0, 0).values, coeffs);
  EXPECT_EQ(layout.coefficients(0, 0, 1, 0).values, coeffs + 16 * 250);
  EXPECT_EQ(layout.coefficients(2, 1, 0, 1).values, coeffs + 16 * (5 * 349 + 100));
  EXPECT_EQ(layout.coefficients(2, 1, 1, 0).checksum, sums + 8 * (5 * 4 + 3));
  EXPECT_EQ(layout.gvecs(1, 0).values, offsets["/wfns/gvecs"] + 12 * 250);
  EXPECT_EQ(layout.field(GridField::density, 1, 1).values, offsets["/wavegrid/density"] + 8 * (120 + 100));
  EXPECT_EQ(layout.field(GridField::potential, 1, 1).checksum, offsets["/wavegrid/checksums/potential"] + 8 * 3);
}

TEST(BerkeleyGw, HasRydbergsAndOccupationsOfOneState) {
  CheckpointHeader header = small_header();
  header.ecut = 5;
  for (Index i = 0; i < header.num_states(); ++i) {
    header.eigenvalues.push_back(static_cast<double>(i));
    header.occupations.push_back((i / 6 == 0 ? 0.25 : 0.75) * (i % 3 < 2 ? 1 : 0));
  }
  const std::vector<Index> waves{250, 99};
  const std::vector<Table> tables = berkeleygw_tables(header, waves);
  const auto find = [&](const std::string& name) {
    return *std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.array.name == name; });
  };
  const Table el = find("/mf_header/kpoints/el"), occ = find("/mf_header/kpoints/occ");
  EXPECT_EQ(find("/mf_header/kpoints/ecutwfc").doubles()[0], 10);
  EXPECT_THAT(el.array.shape, ElementsAre(2, 2, 3));
  EXPECT_EQ(el.doubles()[3], 12);  // up, second k-point, first band: state 6
  EXPECT_THAT(std::vector<double>(occ.doubles().begin(), occ.doubles().end()),
              ElementsAre(1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0));
  const Table highest = find("/mf_header/kpoints/ifmax");
  EXPECT_THAT(std::vector<int>(highest.ints().begin(), highest.ints().end()), ElementsAre(2, 2, 2, 2));
  EXPECT_EQ(find("/mf_header/crystal/atyp").ints()[1], 14);
  const Table a = find("/mf_header/crystal/avec"), b = find("/mf_header/crystal/bvec");
  double dot = 0;  // alat blat = 2 pi, so a_i b_i = 1
  for (std::size_t i = 0; i < 3; ++i) dot += a.doubles()[i] * b.doubles()[i];
  EXPECT_NEAR(dot, 1, 1e-14);
}

TEST(Generations, HaveNumbersBeforeTheSuffix) {
  EXPECT_EQ(generation("x/checkpoint.h5", 2), "x/checkpoint.2.h5");
  EXPECT_EQ(generation("checkpoint.h5", 1), "./checkpoint.1.h5");
}

}  // namespace
}  // namespace wavegrid::test_checkpoint_layout
