// Why: a checkpoint should take no longer than its bytes. Compares writing and reading through a few ranks, through the
// root alone, and plain sequential access by one process, alternating in one run. `wavegrid bench checkpoint` calls it:
//
//   mpirun -n 4 python/wavegrid/bin/bench_checkpoint --case small --aggregators 1,2 --repeats 5
//
// Prints one JSON object per line: for each method and setting one for writing and one for reading.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "calculation.hpp"
#include "common/memory.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"
#include "endless.hpp"
#include "plain.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;
namespace fs = std::filesystem;

/// One method to write and read.
struct Method {
  enum class Kind { raw, aggregated, root } kind;
  int aggregators = 0;
  Index buffer_bytes = 0;
  [[nodiscard]] const char* name() const {
    return kind == Kind::raw ? "raw" : kind == Kind::root ? "root" : "aggregated";
  }
};

/// All samples of one method: of the slowest rank.
struct Samples {
  std::vector<double> write{}, read{};  // seconds
  double write_mib = 0, read_mib = 0;   // the largest of all ranks and samples
  WriteReport report{};                 // of the last write
};

/// A barrier whose waiting ranks leave the processor to those that still work.
void sleeping_barrier(const Comm& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm.handle(), &request);
  for (int done = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) usleep(500);
}

/// The steps of the program in order; only rank 0 prints.
class Bench {
 public:
  Bench(const Comm& comm, const Options& options)
      : comm_(comm),
        options_(options),
        calculation_(comm, options.calculation, options.kpoint_groups),
        path_(options.directory / ("bench-checkpoint-" + std::to_string(options.kpoint_groups) + ".h5")),
        plain_path_(options.directory / "bench-checkpoint.raw") {
    methods_.push_back({Method::Kind::raw});
    for (const int buffer : options.buffers)
      for (const int aggregators : options.aggregators)
        methods_.push_back(
            {Method::Kind::aggregated, aggregators, buffer == 0 ? WriteOptions{}.buffer_bytes : Index{buffer} << 20});
    methods_.push_back({Method::Kind::root, 1, 1});  // a buffer of one byte: one band at a time
    samples_.resize(methods_.size());
    calculation_.fill(1);
  }
  ~Bench() { remove_files(); }

  void run() {
    // The first use of disk, buffers and MPI's memory is not counted.
    sample(1, false);
    bytes_ = static_cast<Index>(size_);
    for (int repeat = 0; repeat < options_.repeats; ++repeat)
      for (std::size_t i = 0; i < methods_.size(); ++i)
        sample((i + static_cast<std::size_t>(repeat)) % methods_.size(), true);
    for (std::size_t i = 0; i < methods_.size(); ++i) print(i);
  }

 private:
  void sample(std::size_t i, bool kept) {
    remove_files();
    const Method& method = methods_[i];
    Samples& into = samples_[i];
    const auto [write_seconds, write_mib] = timed([&] { write(method, into); });
    const fs::path& path = method.kind == Method::Kind::raw ? plain_path_ : path_;
    if (method.kind != Method::Kind::raw) size_ = fs::file_size(path_);
    if (comm_.rank() == 0) drop_from_cache(path);
    if (method.kind != Method::Kind::raw) calculation_.overwrite();
    const auto [read_seconds, read_mib] = timed([&] { read(method); });
    if (method.kind != Method::Kind::raw) require_correct();
    if (!kept) return;
    into.write.push_back(write_seconds), into.read.push_back(read_seconds);
    into.write_mib = std::max(into.write_mib, write_mib), into.read_mib = std::max(into.read_mib, read_mib);
  }

  /// Seconds from the common start to the end of the last rank, and the MiB of the rank that needed most.
  template <class Work>
  std::pair<double, double> timed(Work work) {
    const MemoryWatch memory;
    comm_.barrier();
    const Clock::time_point start = Clock::now();
    work();
    sleeping_barrier(comm_);
    const double seconds = seconds_since(start);
    comm_.collectively([&] { fault_.rethrow(); });
    constexpr double kib = 1024;
    return {seconds, static_cast<double>(comm_.max(static_cast<Index>(memory.grown_mib() * kib))) / kib};
  }

  void write(const Method& method, Samples& into) {
    if (method.kind == Method::Kind::raw)
      on_root([&] { write_plainly(plain_path_, bytes_); });
    else
      into.report = calculation_.write(
          path_, {.method = method.kind == Method::Kind::root ? WriteMethod::root : WriteMethod::aggregated,
                  .aggregators = method.aggregators,
                  .buffer_bytes = method.buffer_bytes});
  }
  void read(const Method& method) {
    if (method.kind == Method::Kind::raw)
      on_root([&] { read_plainly(plain_path_, bytes_); });
    else
      calculation_.read(path_, {.aggregators = method.aggregators, .buffer_bytes = method.buffer_bytes});
  }
  /// The other ranks sleep in the meantime.
  void on_root(const std::function<void()>& work) {
    if (comm_.rank() == 0) fault_.run(work);
  }

  void require_correct() const {
    const Index wrong = comm_.sum(calculation_.wrong());
    if (wrong > 0) throw internal_error(std::to_string(wrong) + " numbers are not equal to those that were written");
  }

  void remove_files() {
    comm_.barrier();
    std::error_code none;
    if (comm_.rank() == 0)
      for (const fs::path& path : {path_, plain_path_}) fs::remove(path, none);
    comm_.barrier();
  }

  void print(std::size_t i) const {
    if (comm_.rank() != 0) return;
    const Samples &mine = samples_[i], &raw = samples_[0];
    print(i, "write", median(mine.write), spread(mine.write), median(mine.write) / median(raw.write), mine.write_mib);
    print(i, "read", median(mine.read), spread(mine.read), median(mine.read) / median(raw.read), mine.read_mib);
  }
  void print(std::size_t i, const char* what, double seconds, double spread, double ratio, double mib) const {
    const Method& method = methods_[i];
    const WriteReport& report = samples_[i].report;
    std::printf(
        R"({"what": "%s", "method": "%s", "seconds": %.6g, "spread": %.6g, "ratio_to_raw": %.6g, )"
        R"("extra_mib_per_rank": %.6g, "bytes": %lld, "aggregators": %d, "buffer_mib": %d, "kpoint_groups": %d, )"
        R"("skeleton": %.4g, "bands": %.4g, "fields": %.4g, "sync": %.4g})"
        "\n",
        what, method.name(), seconds, spread, ratio, mib, static_cast<long long>(bytes_), method.aggregators,
        static_cast<int>(method.buffer_bytes >> 20), options_.kpoint_groups, report.skeleton_seconds,
        report.bands_seconds, report.fields_seconds, report.sync_seconds);
  }

  Comm comm_;
  Options options_;
  Calculation calculation_;
  fs::path path_, plain_path_;
  std::vector<Method> methods_;
  std::vector<Samples> samples_;
  std::uintmax_t size_ = 0;
  Index bytes_ = 0;
  DeferredError fault_;  ///< of the work on rank 0 alone
};

void run(const Comm& comm, const std::vector<std::string>& words) {
  const Options options = parse_options(words);
  if (options.endless) write_forever(comm, options);
  Bench(comm, options).run();
}

}  // namespace

int main(int argc, char** argv) { return wavegrid::bench::run_program(argc, argv, run); }
