// Wave functions written to a file and read, for Tables 1 and 2 of the report on CASTEP: by the library's checkpoints,
// and by the methods of that report, in which one rank does all input and output, band after band.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/band_blocks.hpp>

#include "common/waves.hpp"
#include "common/words.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

/// How one rank gets the plane waves of a band from all, or gives them to all.
enum class Method {
  aggregated,      ///< the library's
  collective,      ///< MPI_Gatherv, MPI_Scatterv; the order of plane waves is known ("optimised")
  mapping_inside,  ///< the same; for each band and rank every plane wave is tested for its owner ("prototype")
  point_to_point,  ///< that, with a message for each rank (CASTEP 5.5)
};
const std::map<std::string, Method> methods{{"aggregated", Method::aggregated},
                                            {"collective", Method::collective},
                                            {"mapping_inside", Method::mapping_inside},
                                            {"point_to_point", Method::point_to_point}};

struct FileOptions {
  std::filesystem::path directory = ".";
  Method method = Method::aggregated;
  Index bands = 288;
  double radius = 21.22;  ///< of the sphere, in reciprocal vectors
};

FileOptions options_of(const Words& words) {
  FileOptions options;
  for_options(words, [&](const Word& word) {
    if (word.option == "--directory")
      options.directory = word.text;
    else if (word.option == "--method")
      options.method = choice(word, methods);
    else if (word.option == "--bands")
      options.bands = count(word);
    else
      throw bad_input(word.option + ": unknown; valid: --directory, --method, --bands");
  });
  return options;
}

/// A write or a read: seconds of the slowest rank, and bytes of all ranks.
struct FileTimes {
  double seconds = 0, bytes = 0;
};
struct Both {
  FileTimes write, read;
};

template <class Work>
FileTimes timed(const Comm& comm, Work work) {
  comm.barrier();
  const double start = now(), before = disk_bytes();
  work();
  return {comm.max(now() - start), comm.sum(disk_bytes() - before)};
}

constexpr int size_of_grid = 48;

CheckpointHeader header_of(const Int3& grid, Index bands) {
  CheckpointHeader header{.crystal = {cubic_lattice(), {"Al"}, {{0, {0, 0, 0}}}}};
  header.grid = grid;
  header.bands = bands;
  return header;
}

/// The wave functions of one k-point on the ranks, and the part of a checkpoint file that holds them.
class CheckpointBandsFile {
 public:
  CheckpointBandsFile(const Comm& comm, const FileOptions& options)
      : comm_(comm),
        path_(options.directory / "checkpoint"),
        sphere_(sphere_of(size_of_grid, options.radius, Mode::complex)),
        waves_(sphere_, make_partition(Scheme::balanced, sphere_.counts(), size_of_grid, comm.size()), comm.rank()),
        bands_(waves_.size(), options.bands),
        layout_(header_of(sphere_.grid(), options.bands), {sphere_.size()}) {
    Offsets offsets;
    Index end = 0;
    for (const ArrayShape& array : layout_.bulk()) {
      offsets[array.name] = end;
      end += array.bytes();
    }
    layout_.set_offsets(offsets);
    if (comm_.rank() == 0) RawFile::create(path_).set_length(end);
    comm_.barrier();
    for (Index i = 0; i < bands_.rows() * bands_.count(); ++i) bands_.view().data[i] = value(i);
  }

  [[nodiscard]] Both times() {
    Both times;
    times.write = timed(comm_, [&] {
      CheckpointFile file{path_, layout_};
      write_bands<Complex>(exchange(), file, sphere_, mine<const Complex>());
      comm_.collectively([&] { file.errors.rethrow(); });
    });
    std::fill_n(bands_.view().data, bands_.rows() * bands_.count(), Complex{7});
    times.read = timed(comm_, [&] {
      CheckpointFile file{path_, layout_};
      read_bands<Complex>(exchange(), file, Mode::complex, {}, mine<Complex>());
      comm_.collectively([&] { file.errors.rethrow(); });
    });
    Index wrong = 0;
    for (Index i = 0; i < bands_.rows() * bands_.count(); ++i) wrong += bands_.view().data[i] != value(i) ? 1 : 0;
    if (comm_.sum(wrong) > 0) throw internal_error("values that were read differ from those written");
    return times;
  }

 private:
  [[nodiscard]] BandExchange exchange() const { return {comm_, choose_aggregators(comm_, 0), Index{8} << 20}; }
  template <class S>
  [[nodiscard]] RankBands<S> mine() {
    return {0, waves_.g(), Mode::complex, {{0, bands_.view()}}};
  }
  /// Different for each coefficient of all ranks.
  [[nodiscard]] Complex value(Index i) const { return {static_cast<double>(comm_.rank()), static_cast<double>(i)}; }

  Comm comm_;
  std::filesystem::path path_;
  GSphere sphere_;
  PlaneWaves waves_;
  Bands<Complex> bands_;
  FileLayout layout_;
};

/// A test whether a plane wave belongs to a rank, seconds: the inner loop of a mapping that is made for each band, as
/// one core of the machine of docs/lab/README.md runs it (40 000 plane waves, the least of 20 repetitions).
constexpr double seconds_per_test = 0.43e-9;

/// One rank reads and writes all bands, one after the other.
class RootFile {
 public:
  RootFile(const Comm& comm, const FileOptions& options)
      : comm_(comm), method_(options.method), bands_(options.bands), path_(options.directory / "bands.bin") {
    const GSphere sphere = sphere_of(size_of_grid, options.radius, Mode::complex);
    const Partition partition = make_partition(Scheme::balanced, sphere.counts(), size_of_grid, comm.size());
    for (const Index length : loads(partition, sphere.counts())) {
      lengths_.push_back(static_cast<int>(length));
      offsets_.push_back(static_cast<int>(waves_));
      waves_ += length;
    }
    mine_.assign(static_cast<std::size_t>(lengths_[static_cast<std::size_t>(comm.rank())]), Complex{1, 0});
    if (!is_root()) return;
    row_.resize(static_cast<std::size_t>(waves_));
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    mapping_ = seconds_per_test * static_cast<double>(waves_) * comm.size();
  }
  RootFile(const RootFile&) = delete;
  RootFile& operator=(const RootFile&) = delete;
  ~RootFile() {
    if (is_root()) close(file_);
  }

  [[nodiscard]] Both times() {
    Both times;
    times.write = timed(comm_, [&] {
      for (Index band = 0; band < bands_; ++band) write(band);
    });
    times.read = timed(comm_, [&] {
      for (Index band = 0; band < bands_; ++band) read(band);
    });
    return times;
  }

 private:
  [[nodiscard]] bool is_root() const { return comm_.rank() == 0; }
  [[nodiscard]] Index bytes() const { return waves_ * static_cast<Index>(sizeof(Complex)); }
  [[nodiscard]] int my_length() const { return static_cast<int>(mine_.size()); }

  void write(Index band) {
    if (method_ == Method::point_to_point)
      gather_by_messages();
    else
      MPI_Gatherv(mine_.data(), my_length(), MPI_C_DOUBLE_COMPLEX, row_.data(), lengths_.data(), offsets_.data(),
                  MPI_C_DOUBLE_COMPLEX, 0, comm_.handle());
    if (is_root()) finish(pwrite(file_, row_.data(), static_cast<std::size_t>(bytes()), band * bytes()));
  }
  void read(Index band) {
    if (is_root()) {
      finish(pread(file_, row_.data(), static_cast<std::size_t>(bytes()), band * bytes()));
      if (method_ != Method::collective) compute(mapping_);
    }
    if (method_ == Method::point_to_point)
      scatter_by_messages();
    else
      MPI_Scatterv(row_.data(), lengths_.data(), offsets_.data(), MPI_C_DOUBLE_COMPLEX, mine_.data(), my_length(),
                   MPI_C_DOUBLE_COMPLEX, 0, comm_.handle());
  }
  void gather_by_messages() {
    if (!is_root()) {
      MPI_Send(mine_.data(), my_length(), MPI_C_DOUBLE_COMPLEX, 0, 0, comm_.handle());
      return;
    }
    for (int rank = 1; rank < comm_.size(); ++rank)
      MPI_Recv(part(rank), length(rank), MPI_C_DOUBLE_COMPLEX, rank, 0, comm_.handle(), MPI_STATUS_IGNORE);
  }
  void scatter_by_messages() {
    if (!is_root()) {
      MPI_Recv(mine_.data(), my_length(), MPI_C_DOUBLE_COMPLEX, 0, 0, comm_.handle(), MPI_STATUS_IGNORE);
      return;
    }
    for (int rank = 1; rank < comm_.size(); ++rank)
      MPI_Send(part(rank), length(rank), MPI_C_DOUBLE_COMPLEX, rank, 0, comm_.handle());
  }
  [[nodiscard]] Complex* part(int rank) { return row_.data() + offsets_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int length(int rank) const { return lengths_[static_cast<std::size_t>(rank)]; }
  void finish(ssize_t done) const {
    if (done != bytes()) throw environment_error("cannot use " + path_.string());
  }

  Comm comm_;
  Method method_;
  Index bands_, waves_ = 0;
  std::filesystem::path path_;
  std::vector<int> lengths_, offsets_;
  std::vector<Complex> mine_, row_;
  int file_ = -1;
  double mapping_ = 0;  ///< seconds for one band
};

}  // namespace

void study_files(const Comm& comm, const Words& words) {
  const FileOptions options = options_of(words);
  const bool ours = options.method == Method::aggregated;
  const Both times = ours ? CheckpointBandsFile(comm, options).times() : RootFile(comm, options).times();
  print_result(comm, text(R"({"ranks": %d, "write": {"seconds": %.6g, "bytes": %.0f}, )"
                          R"("read": {"seconds": %.6g, "bytes": %.0f}, "test_ns": %.3g})",
                          comm.size(), times.write.seconds, times.write.bytes, times.read.seconds, times.read.bytes,
                          1e9 * seconds_per_test));
}

}  // namespace wavegrid::bench
