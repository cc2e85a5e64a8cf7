#include "messages.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <wavegrid/mpi/request.hpp>

#include "common/statistics.hpp"

namespace wavegrid::bench {

namespace {

constexpr int largest = 4 << 20, small = 8, burst = 64;
constexpr std::size_t places = std::size_t{8} * largest;  ///< bytes of a rank for messages in turn

/// Messages of a sample, so that it takes long enough.
int calls_of(int bytes) { return std::max(4, 200'000 / std::max(bytes, 1000)); }

/// The pair, as one of them or as a rank that waits.
class Pair {
 public:
  Pair(const Comm& comm, int partner, int repeats)
      : comm_(comm), partner_(partner), repeats_(repeats), out_(largest), in_(largest) {}

  [[nodiscard]] double ping_pong(int bytes) {
    const int calls = calls_of(bytes);
    return least([&] {
             for (int call = 0; call < calls; ++call) {
               if (first()) send(bytes);
               receive(bytes);
               if (!first()) send(bytes);
             }
             return 1.0;
           }) /
           (2.0 * calls);
  }
  /// Seconds in the calls that start a burst of small messages, of each.
  [[nodiscard]] double overhead() {
    return least([&] { return many(true); }) / burst;
  }
  /// Seconds of a burst and its answer, of each.
  [[nodiscard]] double gap() {
    return least([&] { return many(false); }) / burst;
  }

 private:
  [[nodiscard]] bool first() const { return comm_.rank() == 0; }
  [[nodiscard]] bool takes_part() const { return first() || comm_.rank() == partner_; }
  [[nodiscard]] int other() const { return first() ? partner_ : 0; }
  void send(int bytes) { MPI_Send(out_.data(), bytes, MPI_BYTE, other(), 0, comm_.handle()); }
  void receive(int bytes) { MPI_Recv(in_.data(), bytes, MPI_BYTE, other(), 0, comm_.handle(), MPI_STATUS_IGNORE); }

  /// 1, or the share of the time that the calls took.
  double many(bool calls_only) {
    const auto start = Clock::now();
    double share = 1;
    if (first()) {
      RequestList sends;
      for (int i = 0; i < burst; ++i) MPI_Isend(out_.data(), small, MPI_BYTE, other(), 0, comm_.handle(), sends.add());
      const double calls = seconds_since(start);
      sends.wait();
      receive(small);
      if (calls_only) share = calls / seconds_since(start);
    } else {
      for (int i = 0; i < burst; ++i) receive(small);
      send(small);
    }
    return share;
  }

  /// The least time of rank 0, times the share that `work` returns.
  double least(const std::function<double()>& work) {
    double best = std::numeric_limits<double>::max();
    for (int repeat = 0; repeat <= repeats_; ++repeat) {
      comm_.barrier();
      if (!takes_part()) continue;
      const auto start = Clock::now();
      const double share = work();
      if (repeat > 0) best = std::min(best, seconds_since(start) * share);  // the first one makes connections
    }
    comm_.broadcast(std::span<double>(&best, 1));
    return best;
  }

  Comm comm_;
  int partner_, repeats_;
  std::vector<std::byte> out_, in_;
};

}  // namespace

PairFigures measure_pair(const Comm& comm, int partner, int repeats) {
  Pair pair(comm, partner, repeats);
  PairFigures figures;
  for (int bytes = small; bytes <= largest; bytes *= 2)
    figures.times.push_back({static_cast<double>(bytes), pair.ping_pong(bytes)});
  figures.overhead = pair.overhead();
  figures.gap = pair.gap();
  return figures;
}

std::vector<MessageTime> measure_neighbours(const Comm& comm, int repeats) {
  // Long messages of a transpose come from memory, not from a cache: each one here is at another place.
  std::vector<std::byte> out(places), in(places);
  std::size_t place = 0;
  const auto next_place = [&](std::size_t bytes) {
    place = place + 2 * bytes > places ? 0 : place + bytes;
    return place;
  };
  const int other = comm.rank() ^ 1;
  const int partner = other < comm.size() ? other : MPI_PROC_NULL;
  std::vector<MessageTime> times;
  for (int bytes = small; bytes <= largest; bytes *= 2) {
    const int calls = std::max(4, calls_of(bytes) / comm.size());
    double best = std::numeric_limits<double>::max();
    for (int repeat = 0; repeat <= repeats; ++repeat) {
      comm.barrier();
      const auto start = Clock::now();
      for (int call = 0; call < calls; ++call) {
        const std::size_t at = next_place(static_cast<std::size_t>(bytes));
        MPI_Sendrecv(out.data() + at, bytes, MPI_BYTE, partner, 0, in.data() + at, bytes, MPI_BYTE, partner, 0,
                     comm.handle(), MPI_STATUS_IGNORE);
      }
      const double slowest = comm.max(seconds_since(start));
      if (repeat > 0) best = std::min(best, slowest);
    }
    times.push_back({static_cast<double>(bytes), best / calls});
  }
  return times;
}

}  // namespace wavegrid::bench
