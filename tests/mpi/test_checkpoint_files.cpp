// Contents of a checkpoint besides bands, reading in another basis or with another number of bands, damaged files, and
// files that cannot be written.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/checkpoint/aggregators.hpp>
#include <wavegrid/checkpoint/atomic_file.hpp>
#include <wavegrid/checkpoint/raw_file.hpp>

#include "checkpoint_case.hpp"

namespace wavegrid::test_checkpoint_files {
namespace {

using namespace test_data;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Complex = std::complex<double>;
namespace fs = std::filesystem;

const GroupCounts one_group{1, 1};

/// Writes `header` with its labels on all ranks.
template <class S>
WriteReport write_labels(const fs::path& path, const CheckpointHeader& header, const WriteOptions& options = {}) {
  Ranks<S> ranks(Comm::world(), one_group, Scheme::balanced, header);
  ranks.fill();
  return ranks.write(path, options);
}

CheckpointHeader read_header(const Comm& comm, const fs::path& path) { return CheckpointReader(comm, path).header(); }

/// On rank 0, while the others wait.
void on_root(const std::function<void()>& work) {
  if (Comm::world().rank() == 0) work();
  Comm::world().barrier();
}

/// Expects the same error on all ranks.
void expect_error(const std::function<void()>& work, ErrorKind kind, const ::testing::Matcher<std::string>& message) {
  try {
    work();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_THAT(std::string(error.what()), message);
  }
}

/// Ranks in the order in which they are chosen: by place on nodes of `on_node` ranks, then by rank.
std::vector<int> spread_over_nodes(int ranks, int on_node) {
  std::vector<int> order;
  for (int place = 0; place < on_node; ++place)
    for (int rank = place; rank < ranks; rank += on_node) order.push_back(rank);
  return order;
}

TEST(Aggregators, AreDistributedOverNodes) {
  const int ranks = Comm::world().size();
  for (const int on_node : {1, 2, 3}) {
    setenv("WAVEGRID_RANKS_PER_NODE", std::to_string(on_node).c_str(), 1);
    const Comm comm = Comm::world().split(0, Comm::world().rank());  // the node is determined once
    const std::vector<int> order = spread_over_nodes(ranks, on_node);
    for (const int wanted : {0, 1, 2, 3, 5, 9}) {
      const int count = wanted == 0 ? (ranks + on_node - 1) / on_node : std::min(wanted, ranks);
      const auto place = std::find(order.begin(), order.end(), comm.rank()) - order.begin();
      const Aggregators chosen = choose_aggregators(comm, wanted);
      EXPECT_EQ(chosen.count, count);
      EXPECT_EQ(chosen.mine, place < count ? place : -1);
    }
  }
  unsetenv("WAVEGRID_RANKS_PER_NODE");
}

TEST(CheckpointHeader, IsRestored) {
  const SharedDirectory directory;
  CheckpointHeader header = header_of(Mode::complex, 2, 3);
  header.fermi = {0.25, -0.125};
  header.symmetry = SpaceGroup({{}, {{{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}, {0.5, 0.25, 0}}}, "P-1", 2);
  const WriteReport report = write_labels<Complex>(directory / "a.h5", header);
  EXPECT_GT(report.bytes, 0);
  const CheckpointHeader back = read_header(Comm::world(), directory / "a.h5");
  EXPECT_EQ(back.crystal.lattice.vectors(), header.crystal.lattice.vectors());
  EXPECT_EQ(back.crystal.species, header.crystal.species);
  ASSERT_EQ(back.crystal.num_atoms(), 3);
  EXPECT_EQ(back.crystal.atoms[2].position, header.crystal.atoms[2].position);
  EXPECT_EQ(back.crystal.atoms[1].species, 1);
  EXPECT_EQ(back.ecut, header.ecut);
  EXPECT_EQ(back.grid, header.grid);
  EXPECT_EQ(back.mode, header.mode);
  ASSERT_EQ(back.num_kpoints(), 3);
  EXPECT_EQ(back.kpoints[2].k, header.kpoints[2].k);
  EXPECT_EQ(back.kpoints[2].weight, header.kpoints[2].weight);
  ASSERT_TRUE(back.mesh);
  EXPECT_EQ(back.mesh->size, header.mesh->size);
  EXPECT_EQ(back.mesh->shift, header.mesh->shift);
  ASSERT_EQ(back.symmetry.size(), 2);
  EXPECT_EQ(back.symmetry.operations()[1].rotation, header.symmetry.operations()[1].rotation);
  EXPECT_EQ(back.symmetry.operations()[1].translation, header.symmetry.operations()[1].translation);
  EXPECT_EQ(back.symmetry.description(), header.symmetry.description());
  EXPECT_EQ(back.spins, 2);
  EXPECT_EQ(back.bands, 3);
  EXPECT_EQ(back.eigenvalues, header.eigenvalues);
  EXPECT_EQ(back.occupations, header.occupations);
  EXPECT_EQ(back.fermi, header.fermi);
  EXPECT_EQ(back.energy, header.energy);
  EXPECT_EQ(back.converged, true);
  EXPECT_EQ(back.steps, 17);
  EXPECT_EQ(back.input, header.input);
  EXPECT_EQ(back.versions, header.versions);
  EXPECT_EQ(back.program, header.program);
  EXPECT_EQ(back.created.size(), 20u);
}

TEST(CheckpointReader, FewerAndMoreBandsThanTheFile) {
  const SharedDirectory directory;
  CheckpointHeader header = header_of(Mode::complex, 1, 5);
  header.block = 130;
  write_labels<Complex>(directory / "a.h5", header);
  const CheckpointReader reader(Comm::world(), directory / "a.h5", {.aggregators = 2});
  Ranks<Complex> ranks(Comm::world(), one_group, Scheme::greedy, header);
  for (const Index bands : {1, 4, 5, 8})
    EXPECT_EQ(ranks.wrong_bands(reader, bands, 5, [](int, const Int3&) { return true; }), 0) << bands;
}

template <class S>
void expect_other_cutoffs(Mode mode) {
  const SharedDirectory directory;
  CheckpointHeader header = header_of(mode, 1, 3);
  header.block = 130;
  write_labels<S>(directory / "a.h5", header);
  const CheckpointReader reader(Comm::world(), directory / "a.h5");
  for (const double ecut : {3.0, 8.0}) {
    CheckpointHeader other = header;
    other.ecut = ecut;
    other.grid = {18, 16, 20};
    const auto in_file = [&](int k, const Int3& g) { return header.sphere(k).kinetic(g) <= header.ecut; };
    Ranks<S> ranks(Comm::world(), one_group, Scheme::cyclic, other);
    EXPECT_EQ(ranks.wrong_bands(reader, 3, 3, in_file), 0) << ecut;
    expect_error([&] { (void)ranks.right_fields(reader); }, ErrorKind::bad_input,
                 HasSubstr("on a grid of 14 x 12 x 15 points, not 18 x 16 x 20"));
  }
}

TEST(CheckpointReader, OtherCutoffsHaveFewerOrMoreWaves) {
  expect_other_cutoffs<Complex>(Mode::complex);
  expect_other_cutoffs<double>(Mode::gamma);
}

TEST(CheckpointReader, PhasesOfAnEquivalentKPointDoNotDependOnBlocks) {
  const SharedDirectory directory;
  CheckpointHeader header = header_of(Mode::complex, 1, 2);
  const WaveMap map{{no_rotation, {0.1, 0.2, 0.3}}, {0, 0, 0}, true};
  const GSphere sphere(header.crystal.lattice, header.ecut, header.grid, Mode::complex,
                       {-header.kpoints[2].k[0], -header.kpoints[2].k[1], -header.kpoints[2].k[2]});
  const Comm world = Comm::world();
  const PlaneWaves waves(sphere, make_partition(Scheme::greedy, sphere.counts(), header.grid[0], world.size()),
                         world.rank());
  std::vector<std::vector<Complex>> found;
  for (const Index block : {100, 1 << 20}) {
    header.block = block;
    write_labels<Complex>(directory / "a.h5", header);
    Bands<Complex> bands(waves.size(), 2);
    const CheckpointReader reader(world, directory / "a.h5");
    (void)reader.read_bands<Complex>(world, 2, map, waves, {{0, bands.view()}});
    found.emplace_back(bands.view().data, bands.view().band(2));
  }
  EXPECT_EQ(found[0], found[1]);
  const Complex any = world.sum(std::abs(found[0].empty() ? 0.0 : std::abs(found[0][0])));
  EXPECT_NE(any, 0.0);
}

/// A valid file, and modified copies of it.
class BadFiles : public ::testing::Test {
 protected:
  BadFiles() : header(header_of(Mode::complex, 1, 2)) {
    header.block = 200;
    write_labels<Complex>(directory / "good.h5", header);
  }

  void copy() {
    on_root([&] { fs::copy_file(directory / "good.h5", bad, fs::copy_options::overwrite_existing); });
  }
  void edit(const std::function<void(hid_t)>& change) {
    copy();
    on_root([&] {
      const hid_t file = H5Fopen(bad.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      ASSERT_GE(file, 0);
      change(file);
      H5Fclose(file);
    });
  }
  void expect_refused(const ::testing::Matcher<std::string>& message) const {
    expect_error([&] { (void)read_header(Comm::world(), bad); }, ErrorKind::bad_input,
                 AllOf(HasSubstr(bad.filename().string()), message));
  }
  void flip(Index byte) const {
    std::fstream file(bad, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(byte);
    const int value = file.get();
    file.seekp(byte);
    file.put(static_cast<char>(value ^ 0x10));
  }
  void overwrite_int(const char* attribute, int value) {
    edit([&](hid_t file) {
      const hid_t group = H5Gopen2(file, "/wavegrid", H5P_DEFAULT), id = H5Aopen(group, attribute, H5P_DEFAULT);
      H5Awrite(id, H5T_NATIVE_INT, &value);
      H5Aclose(id);
      H5Gclose(group);
    });
  }
  static Index offset_of(const fs::path& path, const char* name) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), data = H5Dopen2(file, name, H5P_DEFAULT);
    EXPECT_GE(data, 0) << path << ' ' << name;
    const auto offset = static_cast<Index>(H5Dget_offset(data));
    H5Dclose(data);
    H5Fclose(file);
    return offset;
  }

  SharedDirectory directory;
  fs::path bad = directory / "bad.h5";
  CheckpointHeader header;
};

TEST_F(BadFiles, MissingEmptyOrNotHdf5) {
  expect_refused(HasSubstr("there is no checkpoint"));
  on_root([&] { std::ofstream file(bad); });
  expect_refused(HasSubstr("is empty"));
  on_root([&] { std::ofstream(bad) << "[system]\nelement = 'Al'\n"; });
  expect_refused(HasSubstr("no HDF5 file"));
  on_root([&] {
    fs::remove(bad);
    fs::create_directory(bad);
  });
  expect_refused(HasSubstr("is no file"));
}

TEST_F(BadFiles, TruncatedAnywhere) {
  const auto size = static_cast<Index>(fs::file_size(directory / "good.h5"));
  for (const Index length : {Index{8}, Index{40}, Index{100}, size / 3, size / 2, size - 1}) {
    copy();
    on_root([&] { fs::resize_file(bad, static_cast<std::uintmax_t>(length)); });
    expect_refused(HasSubstr("is cut off"));
  }
}

TEST_F(BadFiles, ForeignHdf5) {
  on_root([&] { H5Fclose(H5Fcreate(bad.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)); });
  expect_refused(HasSubstr("no wavegrid checkpoint"));
}

TEST_F(BadFiles, NewerVersion) {
  overwrite_int("version", 7);
  expect_refused(HasSubstr("its format has version 7, this program reads version 1 to 6"));
}

TEST_F(BadFiles, MissingDatasetsAndWrongShapes) {
  for (const char* name : {"/wavegrid/ecut", "/wfns/coeffs", "/wavegrid/checksums/gvecs", "/mf_header", "/wfns"}) {
    edit([&](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); });
    expect_refused(AllOf(HasSubstr("has no "), HasSubstr(name)));
  }
  edit([&](hid_t file) { H5Adelete_by_name(file, "/wavegrid", "steps", H5P_DEFAULT); });
  expect_refused(HasSubstr("has no /wavegrid@steps"));
  edit([&](hid_t file) {
    H5Ldelete(file, "/wavegrid/density", H5P_DEFAULT);
    const hsize_t shape[3] = {1, 2, 3};
    const hid_t space = H5Screate_simple(3, shape, nullptr);
    H5Dclose(H5Dcreate2(file, "/wavegrid/density", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  });
  expect_refused(HasSubstr("/wavegrid/density is float64 (1, 2, 3), and has to be float64 (1, 14, 12, 15)"));
}

TEST_F(BadFiles, FlippedBitsOfDataAreLocated) {
  Ranks<Complex> ranks(Comm::world(), one_group, Scheme::greedy, header);
  const auto expect_damaged = [&](const char* dataset, Index byte, const std::string& place, auto read) {
    copy();
    on_root([&] { flip(offset_of(bad, dataset) + byte); });
    const CheckpointReader reader(Comm::world(), bad);
    expect_error([&] { read(reader); }, ErrorKind::bad_input, AllOf(HasSubstr("bad.h5 is damaged"), HasSubstr(place)));
  };
  const auto read_bands = [&](const CheckpointReader& reader) { (void)ranks.wrong_bands(reader); };
  const auto read_fields = [&](const CheckpointReader& reader) { (void)ranks.right_fields(reader); };
  const Index waves = header.sphere(0).size() + header.sphere(1).size() + header.sphere(2).size();
  expect_damaged("/wfns/coeffs", 16 * (waves + header.sphere(0).size()) + 3,
                 "/wfns/coeffs of k-point 2, spin 1, band 2", read_bands);
  expect_damaged("/wfns/gvecs", 12 * waves - 1, "/wfns/gvecs of k-point 3", read_bands);
  expect_damaged("/wavegrid/checksums/coeffs", 0, "/wfns/coeffs of k-point 1, spin 1, band 1", read_bands);
  expect_damaged("/wavegrid/density", 8 * 201, "/wavegrid/density", read_fields);
  expect_damaged("/wavegrid/potential", 8 * 14 * 12 * 15 - 1, "/wavegrid/potential", read_fields);
}

TEST_F(BadFiles, ValuesWithRightChecksumsThatNoCalculationHas) {
  Ranks<Complex> ranks(Comm::world(), one_group, Scheme::greedy, header);
  const auto expect_refused_block = [&](const char* dataset, const char* sums, Index first, std::vector<char> block,
                                        const std::string& message, auto read) {
    copy();
    on_root([&] {
      const std::uint64_t sum = checksum(block.data(), static_cast<Index>(block.size()));
      RawFile file = RawFile::for_writing(bad);
      file.write(offset_of(bad, dataset) + first, block.data(), static_cast<Index>(block.size()));
      file.write(offset_of(bad, sums), &sum, sizeof sum);
    });
    const CheckpointReader reader(Comm::world(), bad);
    expect_error([&] { read(reader); }, ErrorKind::bad_input, AllOf(HasSubstr("bad.h5"), HasSubstr(message)));
  };
  const auto with = [&](const char* dataset, std::size_t size, std::size_t at, const auto& value) {
    std::vector<char> block(size);
    std::ifstream file(directory / "good.h5", std::ios::binary);
    file.seekg(offset_of(directory / "good.h5", dataset));
    file.read(block.data(), static_cast<std::streamsize>(size));
    std::memcpy(block.data() + at, &value, sizeof value);
    return block;
  };
  const auto read_bands = [&](const CheckpointReader& reader) { (void)ranks.wrong_bands(reader); };
  const auto read_fields = [&](const CheckpointReader& reader) { (void)ranks.right_fields(reader); };
  const auto length = static_cast<std::size_t>(std::min<Index>(200, header.sphere(0).size()));
  for (const double value : {std::nan(""), HUGE_VAL, 1e200}) {
    expect_refused_block("/wfns/coeffs", "/wavegrid/checksums/coeffs", 0, with("/wfns/coeffs", 16 * length, 24, value),
                         "/wfns/coeffs of k-point 1, spin 1, band 1 contains ", read_bands);
    expect_refused_block("/wavegrid/density", "/wavegrid/checksums/density", 0,
                         with("/wavegrid/density", 1600, 80, value), "/wavegrid/density contains ", read_fields);
  }
  for (const Int3& g : {Int3{0, 0, std::numeric_limits<int>::min()}, Int3{1 << 30, 0, 0}, Int3{0, 8, 0}})
    expect_refused_block("/wfns/gvecs", "/wavegrid/checksums/gvecs", 0, with("/wfns/gvecs", 12 * length, 36, g),
                         "which is outside the grid", read_bands);
  expect_refused_block("/wfns/gvecs", "/wavegrid/checksums/gvecs", 0,
                       with("/wfns/gvecs", 12 * length, 36, Int3{7, 6, 7}), "which is not in the order", read_bands);
}

TEST_F(BadFiles, FlippedBitsAnywhereAreFoundOrHarmless) {
  const Comm self = Comm::self(), world = Comm::world();
  bad = directory / ("bad" + std::to_string(world.rank()) + ".h5");
  const auto size = static_cast<Index>(fs::file_size(directory / "good.h5"));
  Index refused = 0;
  for (Index trial = world.rank(); trial < 240; trial += world.size()) {  // others on each number of ranks
    const double where = random_at({world.size(), trial}) + 0.5;
    const Index region = trial % 2 == 0 ? size : 16384;  // most of the structure of the file is at its beginning
    fs::copy_file(directory / "good.h5", bad, fs::copy_options::overwrite_existing);
    flip(std::clamp<Index>(static_cast<Index>(where * static_cast<double>(region)), 0, size - 1));
    try {
      const CheckpointReader reader(self, bad);
      Ranks<Complex> ranks(self, one_group, Scheme::greedy, header);
      EXPECT_EQ(ranks.wrong_bands(reader), 0);
      EXPECT_TRUE(ranks.right_fields(reader));
      EXPECT_EQ(reader.header().eigenvalues, header.eigenvalues);
      EXPECT_EQ(reader.header().energy, header.energy);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
      EXPECT_THAT(std::string(error.what()), HasSubstr(bad.filename().string()));
      ++refused;
    }
  }
  EXPECT_GT(world.sum(refused), 20);
}

/// During its lifetime files longer than this cannot be written.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(Index bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(bytes);
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(CheckpointWriting, AFailureLeavesTheOldFileAlone) {
  const SharedDirectory directory;
  const fs::path path = directory / "a.h5";
  const Comm world = Comm::world();
  CheckpointHeader header = header_of(Mode::complex, 1, 8);  // so that the last rank has a band to write
  write_labels<Complex>(path, header);
  const auto size = static_cast<Index>(fs::file_size(path));
  header.steps = 18;
  // The first rank cannot make the file, then the last one cannot write its part.
  for (const int rank : {0, world.size() - 1}) {
    for (const Index limit : {Index{1000}, size / 2}) {
      if (rank == 0 || world.size() > 1) {
        std::optional<FileSizeLimit> limited;
        if (world.rank() == rank) limited.emplace(limit);
        expect_error([&] { write_labels<Complex>(path, header, {.aggregators = world.size()}); },
                     ErrorKind::environment, AllOf(HasSubstr("cannot write"), HasSubstr("File too large")));
      }
      world.barrier();
      const auto files = std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator());
      EXPECT_EQ(files, 1);
      EXPECT_EQ(read_header(world, path).steps, 17);
    }
  }
  write_labels<Complex>(path, header);
  EXPECT_EQ(read_header(world, path).steps, 18);
}

TEST(CheckpointWriting, NoDirectoryOrNoFile) {
  const SharedDirectory directory;
  const CheckpointHeader header = header_of(Mode::gamma, 1, 2);
  expect_error([&] { write_labels<double>(directory / "none/a.h5", header); }, ErrorKind::environment,
               HasSubstr("there is no directory"));
  expect_error([&] { write_labels<double>(directory.path(), header); }, ErrorKind::bad_input,
               HasSubstr("is a directory"));
}

TEST(CheckpointWriting, DataThatDoNotFitTheHeaderAreRefused) {
  const SharedDirectory directory;
  CheckpointHeader header = header_of(Mode::complex, 1, 2);
  Ranks<Complex> ranks(Comm::world(), one_group, Scheme::greedy, header);
  ranks.fill();
  EXPECT_THROW(write_checkpoint<Complex>(directory / "a.h5", header, ranks.levels(), {}, {ranks.layout(), {}, {}}),
               Error);
  header.eigenvalues.pop_back();
  expect_error([&] { write_labels<Complex>(directory / "a.h5", header); }, ErrorKind::bad_input,
               HasSubstr("5 eigenvalues for 3 k-points, 1 spins and 2 bands"));
}

TEST(CheckpointGenerations, TheNewestAreKept) {
  const SharedDirectory directory;
  const fs::path path = directory / "a.h5";
  CheckpointHeader header = header_of(Mode::gamma, 1, 2);
  for (header.steps = 1; header.steps <= 5; ++header.steps) write_labels<double>(path, header, {.keep = 3});
  EXPECT_EQ(read_header(Comm::world(), path).steps, 5);
  EXPECT_EQ(read_header(Comm::world(), directory / "a.1.h5").steps, 4);
  EXPECT_EQ(read_header(Comm::world(), directory / "a.2.h5").steps, 3);
  EXPECT_FALSE(fs::exists(directory / "a.3.h5"));
  Comm::world().barrier();
  on_root([&] {  // killed before the new file was renamed: the next write does not lose a generation
    rotate_generations(path, 3);
    rotate_generations(path, 3);
  });
  header.steps = 6;
  write_labels<double>(path, header, {.keep = 3});
  EXPECT_EQ(read_header(Comm::world(), path).steps, 6);
  EXPECT_EQ(read_header(Comm::world(), directory / "a.1.h5").steps, 5);
  EXPECT_EQ(read_header(Comm::world(), directory / "a.2.h5").steps, 4);
}

bool is_locked(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool refused = flock(file, LOCK_SH | LOCK_NB) != 0;
  close(file);
  return refused;
}

TEST(CheckpointWriting, TheFileIsLockedUntilItIsComplete) {
  const SharedDirectory directory;
  on_root([&] {
    PartialFile file(directory / "a.h5");
    std::ofstream(file.path()) << "complete";
    file.lock();
    EXPECT_TRUE(is_locked(file.path()));
    file.publish();
    EXPECT_FALSE(is_locked(directory / "a.h5"));
  });
}

TEST(CheckpointWriting, FilesOfKilledRunsAreRemoved) {
  const SharedDirectory directory;
  const fs::path left = directory / ".a.h5.123-456.partial", other = directory / ".b.h5.123-456.partial";
  on_root([&] {
    std::ofstream(left) << "half";
    std::ofstream(other) << "half";
  });
  write_labels<double>(directory / "a.h5", header_of(Mode::gamma, 1, 2));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other));
}

}  // namespace
}  // namespace wavegrid::test_checkpoint_files
