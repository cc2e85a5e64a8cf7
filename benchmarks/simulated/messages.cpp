// All-to-alls of nearly equal messages, as MPI_Alltoallv and padded as MPI_Alltoall: the micro-benchmark of CP2K's
// developers (report of the dCSE project on CP2K, Figure 3).
#include <algorithm>

#include "common/words.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

constexpr int laps = 1;  // a simulation gives the same each time

struct Options {
  std::vector<int> bytes{1024};  ///< of the longest message
  int rows = 16;                 ///< of the grid that a rank has, in both layouts; some ranks have one row less
  bool blocking = true;
};

Options options_of(const Words& words) {
  Options options;
  for_options(words, [&](const Word& word) {
    if (word.option == "--bytes")
      options.bytes = list(word, count);
    else if (word.option == "--rows")
      options.rows = count(word);
    else if (word.option == "--blocking")
      options.blocking = choice(word, std::map<std::string, bool>{{"yes", true}, {"no", false}});
    else
      throw bad_input(word.option + ": unknown; valid: --bytes, --rows, --blocking");
  });
  return options;
}

/// Memory that all ranks share, since nobody reads what arrives: the messages of hundreds of ranks would not fit.
class Buffers {
 public:
  explicit Buffers(std::size_t bytes) : send_(SMPI_SHARED_MALLOC(bytes)), receive_(SMPI_SHARED_MALLOC(bytes)) {}
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    SMPI_SHARED_FREE(send_);
    SMPI_SHARED_FREE(receive_);
  }
  [[nodiscard]] void* send() const { return send_; }
  [[nodiscard]] void* receive() const { return receive_; }

 private:
  void *send_, *receive_;
};

/// One size of messages. Of eight ranks five have all rows of the grid and three have one less, as in 125 planes.
class Messages {
 public:
  Messages(const Comm& comm, const Buffers& buffers, int bytes, const Options& options)
      : comm_(comm), buffers_(buffers), bytes_(bytes), blocking_(options.blocking) {
    const auto rows = [&](int rank) { return rank % 8 < 5 ? options.rows : options.rows - 1; };
    for (int other = 0; other < comm.size(); ++other) {
      const Index part = static_cast<Index>(bytes) * rows(comm.rank()) * rows(other);
      lengths_.push_back(static_cast<int>(part / (options.rows * options.rows)));
      offsets_.push_back(other * bytes);
    }
  }

  void plain() const {
    MPI_Request request = MPI_REQUEST_NULL;
    if (blocking_)
      MPI_Alltoallv(buffers_.send(), lengths_.data(), offsets_.data(), MPI_BYTE, buffers_.receive(), lengths_.data(),
                    offsets_.data(), MPI_BYTE, comm_.handle());
    else
      MPI_Ialltoallv(buffers_.send(), lengths_.data(), offsets_.data(), MPI_BYTE, buffers_.receive(), lengths_.data(),
                     offsets_.data(), MPI_BYTE, comm_.handle(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void padded() const {
    MPI_Request request = MPI_REQUEST_NULL;
    if (blocking_)
      MPI_Alltoall(buffers_.send(), bytes_, MPI_BYTE, buffers_.receive(), bytes_, MPI_BYTE, comm_.handle());
    else
      MPI_Ialltoall(buffers_.send(), bytes_, MPI_BYTE, buffers_.receive(), bytes_, MPI_BYTE, comm_.handle(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  /// Seconds of the slowest rank.
  [[nodiscard]] double seconds(void (Messages::*call)() const) const {
    double sum = 0;
    for (int lap = 0; lap < laps; ++lap) {
      comm_.barrier();
      const double start = now();
      (this->*call)();
      sum += comm_.max(now() - start);
    }
    return sum / laps;
  }

 private:
  const Comm& comm_;
  const Buffers& buffers_;
  int bytes_;
  bool blocking_;
  std::vector<int> lengths_, offsets_;
};

}  // namespace

void study_messages(const Comm& comm, const Words& words) {
  const Options options = options_of(words);
  const auto most = static_cast<std::size_t>(*std::max_element(options.bytes.begin(), options.bytes.end()));
  const Buffers buffers(static_cast<std::size_t>(comm.size()) * most);
  std::string rows;
  for (const int bytes : options.bytes) {
    const Messages messages(comm, buffers, bytes, options);
    const double plain = messages.seconds(&Messages::plain), padded = messages.seconds(&Messages::padded);
    rows += text(R"(%s{"bytes": %d, "plain_us": %.6g, "padded_us": %.6g})", rows.empty() ? "" : ", ", bytes,
                 1e6 * plain, 1e6 * padded);
  }
  print_result(comm, text(R"({"ranks": %d, "rows": [)", comm.size()) + rows + "]}");
}

}  // namespace wavegrid::bench
