#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/trace_text.hpp>
#include <wavegrid/mpi/trace_file.hpp>

namespace wavegrid {

namespace {

constexpr int trace_tag = 0;
constexpr std::size_t piece_size = std::size_t{1} << 20;  // bytes of text per message

/// What one rank adds to the current list: appends item `i` to `text` and returns true, or false past the last.
using Items = std::function<bool(std::size_t i, std::string& text)>;

/// The file on rank 0, and lists of JSON items that come from all ranks, in rank order. The first write error is
/// stored; close() throws it.
class Writer {
 public:
  explicit Writer(const Comm& comm) : comm_(comm) {}

  /// Rank 0 opens the file. Collective, as close() is.
  void open(const std::string& path) {
    path_ = path;
    comm_.collectively([this] {
      if (comm_.rank() != 0) return;
      file_.reset(std::fopen(path_.c_str(), "wb"));
      if (!file_) fail();
    });
  }
  void close() {
    comm_.collectively([this] {
      if (comm_.rank() != 0) return;
      if (std::fclose(file_.release()) != 0 && fault_ == 0) fault_ = errno;
      errno = fault_;
      if (fault_ != 0) fail();
    });
  }

  void put(const std::string& text) {
    if (!file_ || fault_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fault_ = errno;
  }

  /// Writes the items of all ranks with commas between them. Collective.
  void list(const Items& items) {
    empty_ = true;
    if (comm_.rank() == 0) {
      in_pieces(items, [this](const std::string& piece) { put_items(piece); });
      for (int rank = 1; rank < comm_.size(); ++rank) receive(rank);
    } else {
      MPI_Recv(nullptr, 0, MPI_CHAR, 0, trace_tag, comm_.handle(), MPI_STATUS_IGNORE);  // rank 0 is ready for this rank
      in_pieces(items, [this](const std::string& piece) { send(piece); });
      send("");
    }
  }

 private:
  template <class Sink>
  static void in_pieces(const Items& items, Sink sink) {
    std::string piece;
    for (std::size_t i = 0;; ++i) {
      const std::size_t before = piece.size();
      if (before != 0) piece += ",\n";
      if (!items(i, piece)) {
        piece.resize(before);
        break;
      }
      if (piece.size() < piece_size) continue;
      sink(piece);
      piece.clear();
    }
    if (!piece.empty()) sink(piece);
  }

  void send(const std::string& piece) const {
    MPI_Send(piece.data(), static_cast<int>(piece.size()), MPI_CHAR, 0, trace_tag, comm_.handle());
  }

  void receive(int rank) {
    MPI_Send(nullptr, 0, MPI_CHAR, rank, trace_tag, comm_.handle());
    while (true) {
      MPI_Status status;
      int size = 0;
      MPI_Probe(rank, trace_tag, comm_.handle(), &status);
      MPI_Get_count(&status, MPI_CHAR, &size);
      arrived_.resize(static_cast<std::size_t>(size));
      MPI_Recv(arrived_.data(), size, MPI_CHAR, rank, trace_tag, comm_.handle(), MPI_STATUS_IGNORE);
      if (size == 0) return;
      put_items(arrived_);
    }
  }

  void put_items(const std::string& piece) {
    put(empty_ ? piece : ",\n" + piece);
    empty_ = false;
  }

  [[noreturn]] void fail() const {
    throw environment_error("the trace cannot be written to '" + path_ + "': " + std::strerror(errno));
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const Comm& comm_;
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  int fault_ = 0;
  std::string arrived_;
  bool empty_ = true;
};

/// The offset of `partner`'s clock, measured on rank 0; the partner calls answer().
ClockOffset measure_clock(const Comm& comm, int partner) {
  constexpr int rounds = 16;
  ClockOffset best{0, std::numeric_limits<Trace::Time>::max()};
  for (int i = 0; i < rounds; ++i) {
    Trace::Time there = 0;
    const Trace::Time asked = Trace::now();
    MPI_Send(&i, 1, MPI_INT, partner, trace_tag, comm.handle());
    MPI_Recv(&there, 1, MPI_INT64_T, partner, trace_tag, comm.handle(), MPI_STATUS_IGNORE);
    const Trace::Time answered = Trace::now(), error = (answered - asked + 1) / 2;
    if (error < best.error) best = {there - (asked + answered) / 2, error};
  }
  const Trace::Time result[2] = {best.offset, best.error};
  constexpr int last = -1;
  MPI_Send(&last, 1, MPI_INT, partner, trace_tag, comm.handle());
  MPI_Send(result, 2, MPI_INT64_T, partner, trace_tag, comm.handle());
  return best;
}

ClockOffset answer(const Comm& comm) {
  while (true) {
    int round = 0;
    MPI_Recv(&round, 1, MPI_INT, 0, trace_tag, comm.handle(), MPI_STATUS_IGNORE);
    if (round < 0) break;
    const Trace::Time here = Trace::now();
    MPI_Send(&here, 1, MPI_INT64_T, 0, trace_tag, comm.handle());
  }
  Trace::Time result[2];
  MPI_Recv(result, 2, MPI_INT64_T, 0, trace_tag, comm.handle(), MPI_STATUS_IGNORE);
  return {result[0], result[1]};
}

}  // namespace

ClockOffset compare_clocks(const Comm& comm) {
  if (comm.rank() != 0) return answer(comm);
  for (int rank = 1; rank < comm.size(); ++rank) (void)measure_clock(comm, rank);
  return {};
}

Trace start_trace(const Comm& comm, std::size_t max_events) {
  return start_trace(comm, comm.split_by_memory(), max_events);
}

Trace start_trace(const Comm& comm, const Comm& host, std::size_t max_events) {
  const bool first = host.rank() == 0;
  const Comm firsts = comm.split(first ? 0 : 1, comm.rank());
  const auto hosts = comm.sum(Index{first ? 1 : 0});
  ClockOffset clock;
  if (hosts > 1 && first) clock = compare_clocks(firsts);
  Index host_clock[2] = {clock.offset, clock.error}, zero = Trace::now();
  host.broadcast(std::span<Index>(host_clock));
  comm.broadcast(std::span<Index>(&zero, 1));
  return Trace({.origin = zero + host_clock[0], .error = comm.max(host_clock[1]), .hosts = static_cast<int>(hosts)},
               max_events);
}

void write_trace(const Comm& comm, const Trace& trace, const TraceFile& file) {
  const Comm own = Comm::private_copy(comm.handle());
  const int rank = own.rank();
  Writer out(own);
  out.open(file.path);
  out.put("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
  out.list([&](std::size_t i, std::string& text) {
    if (i > trace.events().size()) return false;
    text += i == 0 ? process_json(rank, file.process) : event_json(trace, i - 1, rank);
    return true;
  });
  out.put("],\n\"otherData\":{\"run\":" + file.run + ",\n\"clock\":" + clock_json(trace.clock()) +
          ",\n\"max_events_per_rank\":" + std::to_string(trace.max_events()) + ",\n\"lost_events\":[");
  out.list([&](std::size_t i, std::string& text) {
    if (i > 0 || trace.lost() == 0) return false;
    text += array_json({rank, static_cast<Index>(trace.lost())});
    return true;
  });
  out.put("],\n\"traffic\":[\n");
  std::vector<Trace::Traffic> traffic = trace.traffic();
  std::sort(traffic.begin(), traffic.end(), [](const auto& a, const auto& b) { return a.partner < b.partner; });
  out.list([&](std::size_t i, std::string& text) {
    if (i >= traffic.size()) return false;
    const auto& [partner, bytes, messages] = traffic[i];
    text += array_json({rank, partner, bytes, messages});
    return true;
  });
  out.put("]}}\n");
  out.close();
}

}  // namespace wavegrid
