#include <cstring>
#include <string>
#include <thread>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/request.hpp>
#include <wavegrid/mpi/sparse_exchange.hpp>

namespace wavegrid {

namespace {

constexpr int sparse_tag = 72;  // probes accept any sender, so no other module may use it

void require_partners(const Comm& comm, const std::vector<OutgoingBytes>& out) {
  for (const OutgoingBytes& message : out)
    if (message.partner < 0 || message.partner >= comm.size())
      throw bad_input("sparse exchange: rank " + std::to_string(comm.rank()) + " sends to rank " +
                      std::to_string(message.partner) + ", valid are 0 to " + std::to_string(comm.size() - 1));
}

/// Calls `post(data, bytes)` for every tile of a message.
template <class Post>
void for_tiles(const OutgoingBytes& message, Index tile, Post post) {
  for (Index done = 0; done < message.size; done += tile)
    post(message.data + done, std::min(tile, message.size - done));
}

/// Receives one message if one has arrived.
bool receive_any(const Comm& comm, const std::function<std::byte*(int, Index)>& allocate) {
  int found = 0, bytes = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, sparse_tag, comm.handle(), &found, &status);
  if (!found) return false;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  MPI_Recv(allocate(status.MPI_SOURCE, bytes), bytes, MPI_BYTE, status.MPI_SOURCE, sparse_tag, comm.handle(),
           MPI_STATUS_IGNORE);
  return true;
}

/// A barrier that does not block: call announce_and_test() until it returns true, which means that all ranks have
/// called it.
class Arrival {
 public:
  explicit Arrival(const Comm& comm) : comm_(comm) {}
  bool announce_and_test() {
    if (!announced_) MPI_Ibarrier(comm_.handle(), barrier_.receive_handle());
    announced_ = true;
    return barrier_.test();
  }

 private:
  const Comm& comm_;
  Request barrier_;
  bool announced_ = false;
};

}  // namespace

// Hoefler, Siebert, Lumsdaine 2010 (10.1145/1693453.1693476), algorithm NBX: a synchronous send is complete once its
// receiver has started to receive it; a rank whose sends are all complete enters a barrier, and continues to receive
// until all ranks have entered it. Messages of two successive calls cannot be confused: collectively() below returns on
// no rank before all ranks have entered this call, that is, before all have stopped probing in the previous one.
void sparse_exchange_bytes(const Comm& comm, const std::vector<OutgoingBytes>& out,
                           const std::function<std::byte*(int, Index)>& allocate, Index tile) {
  comm.collectively([&] { require_partners(comm, out); });
  RequestList sends;
  for (const OutgoingBytes& message : out)
    for_tiles(message, tile, [&](const std::byte* data, Index bytes) {
      if (message.partner == comm.rank())
        std::memcpy(allocate(message.partner, bytes), data, static_cast<std::size_t>(bytes));
      else
        MPI_Issend(data, static_cast<int>(bytes), MPI_BYTE, message.partner, sparse_tag, comm.handle(), sends.add());
    });
  Arrival arrival(comm);
  for (bool sent = false;;) {
    if (receive_any(comm, allocate)) continue;
    sent = sent || sends.test();
    if (sent && arrival.announce_and_test()) return;
    std::this_thread::yield();  // ranks may outnumber cores
  }
}

}  // namespace wavegrid
