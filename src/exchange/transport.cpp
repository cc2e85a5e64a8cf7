#include "exchange/transport.hpp"

#include <algorithm>
#include <complex>

namespace wavegrid {

namespace {

/// The count arrays of MPI_Alltoallv: one entry per rank.
struct Counts {
  std::vector<int> length, offset;
};

Counts count_arrays(int ranks, const std::vector<Message>& messages) {
  Counts counts{std::vector<int>(static_cast<std::size_t>(ranks)), std::vector<int>(static_cast<std::size_t>(ranks))};
  for (const Message& message : messages) {
    counts.length[static_cast<std::size_t>(message.partner)] = static_cast<int>(message.length);
    counts.offset[static_cast<std::size_t>(message.partner)] = static_cast<int>(message.offset);
  }
  return counts;
}

/// Calls `post(offset, count, partner)` for every tile of every message.
template <class Post>
void for_tiles(const std::vector<Message>& messages, Post post) {
  for (const Message& message : messages)
    for (Index done = 0; done < message.length; done += max_message)
      post(message.offset + done, static_cast<int>(std::min(max_message, message.length - done)), message.partner);
}

}  // namespace

template <class T>
void run_alltoallv(const Comm& comm, const T* packed, const std::vector<Message>& out, T* arrived,
                   const std::vector<Message>& in) {
  const Counts send = count_arrays(comm.size(), out), receive = count_arrays(comm.size(), in);
  MPI_Alltoallv(packed, send.length.data(), send.offset.data(), mpi_type<T>(), arrived, receive.length.data(),
                receive.offset.data(), mpi_type<T>(), comm.handle());
}

template <class T>
void run_pairwise(const Comm& comm, const T* packed, const std::vector<Message>& out, T* arrived,
                  const std::vector<Message>& in) {
  std::vector<MPI_Request> requests;
  for_tiles(in, [&](Index offset, int count, int partner) {
    MPI_Irecv(arrived + offset, count, mpi_type<T>(), partner, 0, comm.handle(), &requests.emplace_back());
  });
  for_tiles(out, [&](Index offset, int count, int partner) {
    MPI_Isend(packed + offset, count, mpi_type<T>(), partner, 0, comm.handle(), &requests.emplace_back());
  });
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

#define WAVEGRID_INSTANTIATE(T)                                                                                        \
  template void run_alltoallv<T>(const Comm&, const T*, const std::vector<Message>&, T*, const std::vector<Message>&); \
  template void run_pairwise<T>(const Comm&, const T*, const std::vector<Message>&, T*, const std::vector<Message>&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
