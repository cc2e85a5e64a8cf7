// Communicators as values: thin RAII over MPI, with the few collectives that the solvers use.
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/index.hpp"

namespace wavegrid {

/// The MPI datatype of T.
template <class T>
[[nodiscard]] MPI_Datatype mpi_type();
template <>
[[nodiscard]] MPI_Datatype mpi_type<int>();
template <>
[[nodiscard]] MPI_Datatype mpi_type<Index>();
template <>
[[nodiscard]] MPI_Datatype mpi_type<float>();
template <>
[[nodiscard]] MPI_Datatype mpi_type<double>();
template <>
[[nodiscard]] MPI_Datatype mpi_type<std::complex<float>>();
template <>
[[nodiscard]] MPI_Datatype mpi_type<std::complex<double>>();

/// Elements per MPI call: longer arrays are sent in tiles, so that no count reaches 2^31.
inline constexpr Index max_message = Index{1} << 28;

/// A communicator. Copies share it; a communicator made by split() is freed with its last copy.
class Comm {
 public:
  /// The communicator of all processes; MPI must be initialised.
  [[nodiscard]] static Comm world();
  /// One process alone.
  [[nodiscard]] static Comm self();
  /// Duplicates a communicator of the caller's, so that our messages never meet the caller's. Collective.
  /// Throws bad_input where it is MPI_COMM_NULL or an inter-communicator, and where MPI is not initialised.
  [[nodiscard]] static Comm duplicate(MPI_Comm comm);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] MPI_Comm handle() const { return *comm_; }

  /// Ranks that pass the same colour form a communicator, ordered by key. Collective.
  [[nodiscard]] Comm split(int color, int key) const;
  /// The ranks that share memory with this one, in the order of this communicator. Collective.
  [[nodiscard]] Comm split_by_memory() const;

  void barrier() const;
  /// Adds over all ranks, in place, the same bits on every rank. Collective.
  template <class T>
  void sum(std::span<T> values) const;
  /// The sum or the extremes of one value over all ranks. Collective.
  template <class T>
  [[nodiscard]] T sum(T value) const {
    sum(std::span<T>(&value, 1));
    return value;
  }
  [[nodiscard]] Index max(Index value) const;
  [[nodiscard]] Index min(Index value) const;
  /// Copies root's values to all ranks. Collective.
  template <class T>
  void broadcast(std::span<T> values, int root = 0) const;

  /// Runs `work`; where it throws on any rank, every rank throws the error of the lowest such rank, of its kind.
  /// Collective; where `work` itself communicates, then only inside groups of ranks that all throw or none.
  void together(const std::function<void()>& work) const;

 private:
  Comm(MPI_Comm comm, bool owned);
  std::shared_ptr<MPI_Comm> comm_;
  int rank_ = 0;
  int size_ = 1;
};

/// The MPI library's own name and version, one line.
[[nodiscard]] std::string mpi_library_version();

}  // namespace wavegrid
