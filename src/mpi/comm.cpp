#include <algorithm>
#include <type_traits>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/agreement.hpp>
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace wavegrid {

template <>
MPI_Datatype mpi_type<char>() {
  return MPI_CHAR;
}
template <>
MPI_Datatype mpi_type<int>() {
  return MPI_INT;
}
template <>
MPI_Datatype mpi_type<Index>() {
  return MPI_INT64_T;
}
template <>
MPI_Datatype mpi_type<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype mpi_type<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype mpi_type<std::complex<float>>() {
  return MPI_C_FLOAT_COMPLEX;
}
template <>
MPI_Datatype mpi_type<std::complex<double>>() {
  return MPI_C_DOUBLE_COMPLEX;
}

namespace {

void require_usable(MPI_Comm comm) {
  int initialized = 0, finalized = 0, between_groups = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized || finalized)
    throw bad_input(finalized ? "MPI is already finalised; communicators are used between MPI_Init and MPI_Finalize"
                              : "MPI is not initialised; call MPI_Init first");
  if (comm == MPI_COMM_NULL) throw bad_input("the communicator is MPI_COMM_NULL; give one that this rank belongs to");
  MPI_Comm_test_inter(comm, &between_groups);
  if (between_groups)
    throw bad_input("the communicator is an inter-communicator; give an intra-communicator (MPI_Intercomm_merge)");
}

}  // namespace

Comm::State::~State() {
  attached.clear();
  if (owned && mpi_is_running()) MPI_Comm_free(&handle);
}

Comm::Comm(std::shared_ptr<State> state) : state_(std::move(state)) {
  MPI_Comm_rank(handle(), &rank_);
  MPI_Comm_size(handle(), &size_);
}

Comm::Comm(MPI_Comm comm, bool owned, Profile* profile) : Comm(std::make_shared<State>(comm)) {
  state_->owned = owned;
  profile_ = profile;
}

Comm Comm::world() { return {MPI_COMM_WORLD, false}; }
Comm Comm::self() { return {MPI_COMM_SELF, false}; }

int Comm::attribute_key() {
  const auto release = [](MPI_Comm comm, int, void* value, void*) -> int {
    // The attributes of MPI_COMM_WORLD and MPI_COMM_SELF are deleted inside MPI_Finalize, where communicators can no
    // longer be freed.
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) delete static_cast<Attribute*>(value);
    return MPI_SUCCESS;
  };
  static const int key = [&] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, +release, &made, nullptr);
    return made;
  }();
  return key;
}

Comm Comm::private_copy(MPI_Comm comm) {
  require_usable(comm);
  int found = 0;
  Attribute* attribute = nullptr;
  MPI_Comm_get_attr(comm, attribute_key(), static_cast<void*>(&attribute), &found);
  if (found) return Comm(attribute->copy ? attribute->copy : attribute->self.lock());
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &duplicate);
  Comm copy(duplicate, true);
  MPI_Comm_set_attr(comm, attribute_key(), new Attribute{copy.state_, {}});
  MPI_Comm_set_attr(duplicate, attribute_key(), new Attribute{nullptr, copy.state_});
  return copy;
}

Comm Comm::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(handle(), color, key, &part);
  return {part, true, profile_};
}

Comm Comm::split_by_memory() const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split_type(handle(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part);
  return {part, true, profile_};
}

void Comm::barrier() const {
  const auto guard = time();
  MPI_Barrier(handle());
}

template <class T>
void Comm::reduce_all(std::span<T> values, MPI_Op op) const {
  if (size_ == 1) return;
  const auto guard = time();
  in_tiles(values, [&](T* data, int count) { MPI_Allreduce(MPI_IN_PLACE, data, count, mpi_type<T>(), op, handle()); });
}

template <class T>
void Comm::sum(std::span<T> values) const {
  if (size_ == 1) return;
  if constexpr (std::is_integral_v<T>) return reduce_all(values, MPI_SUM);
  const auto guard = time();
  // Reduce then broadcast: MPI does not guarantee that an allreduce gives the same rounding on all ranks.
  in_tiles(values, [this](T* data, int count) {
    if (rank_ == 0)
      MPI_Reduce(MPI_IN_PLACE, data, count, mpi_type<T>(), MPI_SUM, 0, handle());
    else
      MPI_Reduce(data, nullptr, count, mpi_type<T>(), MPI_SUM, 0, handle());
    MPI_Bcast(data, count, mpi_type<T>(), 0, handle());
  });
}

template <class T>
void Comm::merge(std::span<T> values) const {
  reduce_all(values, MPI_SUM);
}

template <class T>
void Comm::max(std::span<T> values) const {
  reduce_all(values, MPI_MAX);
}

template <class T>
void Comm::min(std::span<T> values) const {
  reduce_all(values, MPI_MIN);
}

template <class T>
void Comm::broadcast(std::span<T> values, int root) const {
  if (size_ == 1) return;
  const auto guard = time();
  in_tiles(values, [this, root](T* data, int count) { MPI_Bcast(data, count, mpi_type<T>(), root, handle()); });
}

void Comm::collectively(const std::function<void()>& work) const {
  const auto check = [&] {
    work();
    return Index{0};
  };
  agree(*this, check, "");
}

#define WAVEGRID_INSTANTIATE(T)                     \
  template void Comm::sum<T>(std::span<T>) const;   \
  template void Comm::merge<T>(std::span<T>) const; \
  template void Comm::broadcast<T>(std::span<T>, int) const;
WAVEGRID_INSTANTIATE(int)
WAVEGRID_INSTANTIATE(Index)
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE
template void Comm::broadcast<char>(std::span<char>, int) const;

#define WAVEGRID_INSTANTIATE(T)                   \
  template void Comm::max<T>(std::span<T>) const; \
  template void Comm::min<T>(std::span<T>) const;
WAVEGRID_INSTANTIATE(int)
WAVEGRID_INSTANTIATE(Index)
WAVEGRID_INSTANTIATE(double)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
