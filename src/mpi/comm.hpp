// Communicators as values: thin RAII over MPI, with the few collectives that the solvers use.
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <typeindex>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/profile.hpp>
#include <wavegrid/mpi/tiles.hpp>

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

/// Tags from this one on are reserved by reserve_tags() (exchange/backend.hpp); each lower tag belongs to one module.
inline constexpr int first_free_tag = 128;

/// A communicator. Copies share it; a communicator made by split() is freed with its last copy.
///
/// Sums, extremes and broadcasts give the same bits on every rank: convergence decisions of the solvers depend on them.
class Comm {
 public:
  /// The communicator of all processes; MPI must be initialised.
  [[nodiscard]] static Comm world();
  /// This process only.
  [[nodiscard]] static Comm self();
  /// A duplicate of `comm` for the messages of this library, so that they never match those of the caller: made at the
  /// first call, stored as an attribute of `comm`, and freed with `comm` and the last copy. If `comm` is such a
  /// duplicate, `comm` itself. Collective. Throws bad_input if `comm` is MPI_COMM_NULL or an inter-communicator, or if
  /// MPI is not initialised.
  [[nodiscard]] static Comm private_copy(MPI_Comm comm);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] MPI_Comm handle() const { return state_->handle; }

  /// Ranks that pass the same colour form a communicator, ordered by key. Collective.
  [[nodiscard]] Comm split(int color, int key) const;
  /// The ranks that share memory with this one, in the order of this communicator. Collective.
  [[nodiscard]] Comm split_by_memory() const;

  /// The same communicator with the time of its collectives added to Phase::reductions of `profile`, which must outlive
  /// these calls. Communicators split from it are timed too, the private copy is not.
  [[nodiscard]] Comm timed(Profile* profile) const {
    Comm copy(*this);
    copy.profile_ = profile;
    return copy;
  }
  /// Null if the communicator is not timed.
  [[nodiscard]] Profile* profile() const { return profile_; }
  /// Adds time in the same way until the guard is destroyed: for collectives that are implemented with messages.
  [[nodiscard]] Profile::Guard time() const { return {profile_, Phase::reductions}; }

  void barrier() const;
  /// Adds over all ranks, in place. Collective.
  template <class T>
  void sum(std::span<T> values) const;
  template <class T>
  [[nodiscard]] T sum(T value) const {
    sum(std::span<T>(&value, 1));
    return value;
  }
  /// The same if for each element at most one rank has a nonzero value: the sum is exact in any order, and one
  /// allreduce replaces the reduce and the broadcast of sum(). Collective.
  template <class T>
  void merge(std::span<T> values) const;
  /// The maxima, or minima, over all ranks, in place. Collective.
  template <class T>
  void max(std::span<T> values) const;
  template <class T>
  void min(std::span<T> values) const;
  template <class T>
  [[nodiscard]] T max(T value) const {
    max(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  [[nodiscard]] T min(T value) const {
    min(std::span<T>(&value, 1));
    return value;
  }
  /// Copies root's values to all ranks. Collective.
  template <class T>
  void broadcast(std::span<T> values, int root = 0) const;

  /// Runs `work`; if it throws on any rank, every rank throws the error of the lowest such rank, with its kind.
  /// Collective; `work` itself may communicate only inside groups of ranks in which all throw or none.
  void collectively(const std::function<void()>& work) const;

  /// The object of type T of this communicator: made at the first call, shared by all copies, destroyed before the
  /// communicator is freed. It must not contain this communicator.
  template <class T>
  [[nodiscard]] T& attached() const {
    std::shared_ptr<void>& object = state_->attached[std::type_index(typeid(T))];
    if (!object) object = std::make_shared<T>();
    return *static_cast<T*>(object.get());
  }

 private:
  struct State {
    explicit State(MPI_Comm comm) : handle(comm) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();
    MPI_Comm handle;
    bool owned = false;
    std::map<std::type_index, std::shared_ptr<void>> attached;
  };
  /// The attribute that MPI stores with a communicator: the state of its private copy, or, if it is one, its own state.
  struct Attribute {
    std::shared_ptr<State> copy;
    std::weak_ptr<State> self;
  };
  explicit Comm(std::shared_ptr<State> state);
  Comm(MPI_Comm comm, bool owned, Profile* profile = nullptr);
  template <class T>
  void reduce_all(std::span<T> values, MPI_Op op) const;
  static int attribute_key();

  std::shared_ptr<State> state_;
  Profile* profile_ = nullptr;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace wavegrid
