// Checkpoints that no program wrote: values, shapes and links of an HDF5 file that is sound in itself. Each is refused
// by one sentence with the file's name, before anything of the claimed size is allocated. tests/fuzz looks for more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/hdf5_id.hpp>

#include "small_checkpoint.hpp"

namespace wavegrid::test_crafted_checkpoints {
namespace {

namespace fs = std::filesystem;
using test_data::small_header;
using test_data::small_tables;
using test_data::small_waves;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string complaint(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
    return error.what();
  }
  return "";
}

/// The message on reading the tables of the small header, one of them changed.
std::string with_changed_table(const std::string& name, const std::function<void(Table&)>& change) {
  std::vector<Table> tables = small_tables();
  const auto find = [&](const std::string& wanted) {
    return std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.array.name == wanted; });
  };
  EXPECT_NE(find(name), tables.end()) << name;
  change(*find(name));
  return complaint([&] {
    const TableSource read = [&](const TableRequest& wanted) {
      require_shape(find(wanted.name)->array, wanted, "some.h5");
      return *find(wanted.name);
    };
    (void)layout_from(header_from(read, "some.h5"), read, "some.h5");
  });
}

template <class Number>
std::string with_value(const std::string& name, std::size_t index, Number value) {
  return with_changed_table(
      name, [&](Table& table) { std::memcpy(table.bytes.data() + index * sizeof value, &value, sizeof value); });
}

TEST(CraftedCheckpoint, TheSmallOneIsValid) {
  EXPECT_EQ(with_changed_table("/wavegrid/cell", [](Table&) {}), "");
}

TEST(CraftedCheckpoint, NumbersThatNoCalculationHas) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const std::string name : {"cell", "positions", "ecut", "kpoints", "weights", "translations", "eigenvalues",
                                 "occupations", "fermi", "energy", "matrices"})
    for (const double value : {nan, inf, -inf, 1e300, -1e300})
      EXPECT_THAT(with_value("/wavegrid/" + name, 0, value), HasSubstr("checkpoint some.h5: ")) << name << value;
  EXPECT_THAT(with_value("/wavegrid/eigenvalues", 3, nan),
              HasSubstr("an eigenvalue (Ha) is nan; valid are -1000000000 to"));
  EXPECT_THAT(with_value("/wavegrid/cell", 0, 1e100),
              HasSubstr("cell (bohr) is 1e+100; valid are -1000000 to 1000000"));
  EXPECT_THAT(with_value("/wavegrid/ecut", 0, -1.0), HasSubstr("the cutoff (Ha) is -1; valid are 1e-06 to 100000"));
  EXPECT_THAT(with_value("/mf_header/kpoints/shift", 0, nan), HasSubstr("the shift of the k-point mesh is nan"));
}

TEST(CraftedCheckpoint, MatricesThatNoAtomHas) {
  for (const int n : {-1, 257, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    EXPECT_THAT(with_value("/wavegrid/matrix_sizes", 1, n),
                HasSubstr("the size of an atom's matrix is " + std::to_string(n) + "; valid are 0 to 256"));
  EXPECT_THAT(with_value("/wavegrid/matrix_sizes", 1, 2),
              HasSubstr("/wavegrid/matrices is float64 (2, 5), and has to be float64 (2, 8)"));
  EXPECT_THAT(with_value("/wavegrid/matrices", 1, 1e10),
              HasSubstr("an element of an atom's matrix is 1e+10; valid are -1000000000 to"));
  EXPECT_THAT(with_value("/wavegrid/matrices", 7, 0.5), HasSubstr("is not symmetric: it has 0.5 and 0.125"));
}

TEST(CraftedCheckpoint, AllVersionsUpToTheNewest) {
  for (const int version : {1, 2, 3}) EXPECT_EQ(with_value("/wavegrid@version", 0, version), "");
  for (const int version : {0, 7})
    EXPECT_THAT(with_value("/wavegrid@version", 0, version), HasSubstr("this program reads version 1 to 6"));
}

TEST(CraftedCheckpoint, CountsThatNoCalculationHas) {
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  for (const int n : {0, -1, most, least}) {
    EXPECT_THAT(with_value("/wavegrid/grid", 1, n), HasSubstr("a size of the grid is "));
    EXPECT_THAT(with_value(waves_name, 1, n), HasSubstr("k-point 2 has " + std::to_string(n) + " G-vectors"));
  }
  EXPECT_THAT(with_value(waves_name, 0, 211), HasSubstr("valid are 1 to 210, the points of the grid"));
  for (const int n : {-1, 2, most}) {
    EXPECT_THAT(with_value("/wavegrid/atom_species", 0, n), HasSubstr("has species index " + std::to_string(n)));
    EXPECT_THAT(with_value("/wavegrid@converged", 0, n), HasSubstr("valid are 0 and 1"));
  }
  for (const int n : {0, -1, most}) EXPECT_THAT(with_value("/wavegrid@block", 0, n), HasSubstr("1 to 1048576"));
  for (const int n : {101, most, least}) EXPECT_THAT(with_value("/wavegrid/rotations", 4, n), HasSubstr("a rotation"));
  EXPECT_THAT(with_value("/wavegrid/rotations", 0, 3), HasSubstr("the determinant 3; valid are 1 and -1"));
  EXPECT_THAT(with_value("/wavegrid@half_sphere", 0, 1), HasSubstr("k-points other than Gamma"));
  EXPECT_THAT(with_value("/mf_header/kpoints/kgrid", 1, -2), HasSubstr("a size of the k-point mesh is -2"));
  for (const std::vector<Index>& shape : {std::vector<Index>{2, 3, 2}, {2, 0, 3}, {2, 2, 0}, {0, 2, 3}})
    EXPECT_NE(with_changed_table("/wavegrid/eigenvalues",
                                 [&](Table& table) {
                                   table.array.shape = shape;
                                   table.bytes.resize(static_cast<std::size_t>(table.array.bytes()));
                                 }),
              "");
}

/// The small checkpoint as a file, changed by HDF5 calls.
class CraftedFile : public ::testing::Test {
 protected:
  ~CraftedFile() override { fs::remove(path); }

  std::string changed(const std::function<void(hid_t)>& change) {
    fs::remove(path);
    (void)create_hdf5(path, small_tables(), FileLayout(small_header(), small_waves()).bulk(), {});
    const Hdf5NoMessages quiet;
    {
      const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      change(file);
    }
    const std::string message = complaint([&] { (void)read_header_file(path); });
    EXPECT_THAT(message, AnyOf("", HasSubstr(path.string())));
    return message;
  }
  /// A dataset in place of another one.
  std::string replaced(const char* name, hid_t type, const Hdf5Id& space, hid_t creation = H5P_DEFAULT) {
    return changed([&](hid_t file) {
      H5Ldelete(file, name, H5P_DEFAULT);
      const Hdf5Id made(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
      EXPECT_TRUE(made.valid());
    });
  }
  static Hdf5Id shape(const std::vector<hsize_t>& sizes) {
    return {H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose};
  }

  fs::path path = fs::path(::testing::TempDir()) / ("wavegrid_crafted_" + std::to_string(getpid()) + ".h5");
};

TEST_F(CraftedFile, TheSmallOneIsValid) {
  EXPECT_EQ(changed([](hid_t) {}), "");
}

TEST_F(CraftedFile, LinksToOtherPlaces) {
  for (const char* name : {"/wavegrid", "/wavegrid/ecut", "/wfns/coeffs", "/mf_header"}) {
    EXPECT_THAT(changed([&](hid_t file) {
                  H5Ldelete(file, name, H5P_DEFAULT);
                  H5Lcreate_external("/dev/zero", "/x", file, name, H5P_DEFAULT, H5P_DEFAULT);
                }),
                HasSubstr(std::string(name) + " is a link to another place"));
    EXPECT_THAT(changed([&](hid_t file) {
                  H5Ldelete(file, name, H5P_DEFAULT);
                  H5Lcreate_soft(name, file, name, H5P_DEFAULT, H5P_DEFAULT);
                }),
                HasSubstr(std::string(name) + " is a link to another place"));
  }
}

TEST_F(CraftedFile, ValuesInOtherFiles) {
  const Hdf5Id external(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), virtual_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose),
      chunks(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_external(external, "/dev/zero", 0, H5F_UNLIMITED);
  const Hdf5Id three = shape({3});
  H5Pset_virtual(virtual_, three, "/dev/zero", "/x", three);
  const hsize_t one = 1;
  H5Pset_chunk(chunks, 1, &one);
  EXPECT_THAT(replaced("/wavegrid/grid", H5T_STD_I32LE, three, external), HasSubstr("are in another file"));
  EXPECT_THAT(replaced("/wavegrid/grid", H5T_STD_I32LE, three, virtual_), HasSubstr("is not contiguous"));
  EXPECT_THAT(replaced("/wavegrid/grid", H5T_STD_I32LE, three, chunks), HasSubstr("h5repack -l CONTI -f NONE"));
}

TEST_F(CraftedFile, SizesBeyondTheFile) {
  for (const hsize_t n : {hsize_t{100000000}, hsize_t{1} << 40}) {
    EXPECT_THAT(replaced("/wavegrid/positions", H5T_IEEE_F64LE, shape({n, 3})), HasSubstr("claims more elements than"));
    EXPECT_THAT(replaced("/wavegrid/eigenvalues", H5T_IEEE_F64LE, shape({n, 1, 1})), HasSubstr("claims more elements"));
    EXPECT_THAT(replaced("/wavegrid/eigenvalues", H5T_IEEE_F64LE, shape({n, 0, n << 20U})),
                HasSubstr("claims more elements"));
    EXPECT_THAT(replaced("/wavegrid/density", H5T_IEEE_F64LE, shape({n, 1, 1, 1})), HasSubstr("claims more elements"));
  }
}

/// In a file of holes that is as long as its arrays claim.
TEST_F(CraftedFile, SizesBeyondTheBasis) {
  const Hdf5Id early(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_alloc_time(early, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(early, H5D_FILL_TIME_NEVER);
  constexpr hsize_t n = 400'000'000;
  const auto claimed = [&](const char* name, hid_t type, const std::vector<hsize_t>& sizes) {
    return replaced(name, type, shape(sizes), early);
  };
  EXPECT_THAT(claimed("/wavegrid/kpoints", H5T_IEEE_F64LE, {n, 3}), HasSubstr("claims 400000000 k-points"));
  EXPECT_THAT(claimed("/wavegrid/positions", H5T_IEEE_F64LE, {n, 3}), HasSubstr("claims 400000000 atoms"));
  EXPECT_THAT(claimed("/wavegrid/atom_species", H5T_STD_I32LE, {n}), HasSubstr("claims 400000000 atoms"));
  EXPECT_THAT(claimed("/wavegrid/rotations", H5T_STD_I32LE, {n, 3, 3}), HasSubstr("valid are up to 96"));
  EXPECT_THAT(claimed("/wavegrid/fermi", H5T_IEEE_F64LE, {n}), HasSubstr("Fermi levels (/wavegrid/fermi)"));
  EXPECT_THAT(claimed("/wavegrid/eigenvalues", H5T_IEEE_F64LE, {2, 2, n}), HasSubstr("400000000 bands"));
  EXPECT_THAT(claimed("/wavegrid/eigenvalues", H5T_IEEE_F64LE, {2, n, 1}), HasSubstr("400000000 spins"));
  EXPECT_THAT(claimed("/wavegrid/matrix_sizes", H5T_STD_I32LE, {n}), HasSubstr("claims 400000000 atoms"));
  EXPECT_THAT(claimed("/wavegrid/matrices", H5T_IEEE_F64LE, {n, 5}), HasSubstr("claims 400000000 spin components"));
  EXPECT_THAT(claimed("/wavegrid/matrices", H5T_IEEE_F64LE, {2, n}), HasSubstr("valid are up to 131072"));
  EXPECT_THAT(claimed("/wfns/gvecs", H5T_STD_I32LE, {n, 3}), HasSubstr("claims 400000000 G-vectors"));
  const Hdf5Id text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text, n);
  EXPECT_THAT(replaced("/wavegrid/input", text, {H5Screate(H5S_SCALAR), H5Sclose}, early),
              HasSubstr("claims a text of 400000000 bytes; valid are up to 64000000"));
}

TEST_F(CraftedFile, OtherTypesAndNoValues) {
  for (const hid_t type : {H5T_STD_I64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_REF_OBJ})
    EXPECT_THAT(replaced("/wavegrid/ecut", type, {H5Screate(H5S_SCALAR), H5Sclose}), HasSubstr("has a type that no"));
  const Hdf5Id text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text, H5T_VARIABLE);
  EXPECT_THAT(replaced("/wavegrid/input", text, {H5Screate(H5S_SCALAR), H5Sclose}), HasSubstr("has a type that no"));
  EXPECT_THAT(replaced("/wavegrid/ecut", H5T_IEEE_F64LE, {H5Screate(H5S_NULL), H5Sclose}), HasSubstr("has no value"));
  EXPECT_THAT(replaced("/wavegrid/ecut", H5T_IEEE_F64LE, {H5Screate(H5S_SCALAR), H5Sclose}),
              HasSubstr("has no /wavegrid/ecut@xxh3"));
  EXPECT_THAT(changed([](hid_t file) {
                H5Ldelete(file, "/wavegrid/ecut", H5P_DEFAULT);
                H5Gclose(H5Gcreate2(file, "/wavegrid/ecut", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
              }),
              HasSubstr("is damaged at /wavegrid/ecut"));
}

}  // namespace
}  // namespace wavegrid::test_crafted_checkpoints
