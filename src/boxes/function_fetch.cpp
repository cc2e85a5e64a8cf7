#include <deque>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/boxes/function_fetch.hpp>
#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

namespace {

constexpr int request_tag = 98, answer_tag = 99;

template <class T>
class WindowFetch : public FunctionFetch<T> {
 public:
  WindowFetch(const Comm& comm, const FunctionTable& table)
      : comm_(comm),
        table_(table),
        window_(Window::allocate(comm, table.values(comm.rank()) * static_cast<Index>(sizeof(T)))) {}

  T* memory() override { return reinterpret_cast<T*>(window_.data()); }
  void publish() override { window_.sync(); }
  void start(Index function, std::span<T> to) override {
    window_.get<T>({to.data(), static_cast<Index>(to.size()), table_.owner(function),
                    table_.offset(function) * static_cast<Index>(sizeof(T))});
  }
  void finish(Index function) override { window_.flush_local(table_.owner(function)); }
  void end() override { comm_.barrier(); }

 private:
  Comm comm_;
  const FunctionTable& table_;
  Window window_;
};

template <class T>
class MessageFetch : public FunctionFetch<T> {
 public:
  MessageFetch(const Comm& comm, const FunctionTable& table)
      : comm_(comm), table_(table), values_(static_cast<std::size_t>(table.values(comm.rank()))) {}

  T* memory() override { return values_.data(); }

  void start(Index function, std::span<T> to) override {
    Pending& pending = pending_.emplace_back();
    pending.function = function;
    const int owner = table_.owner(function);
    MPI_Irecv(to.data(), static_cast<int>(to.size()), mpi_type<T>(), owner, answer_tag, comm_.handle(),
              pending.answer.receive_handle());
    MPI_Isend(&pending.function, 1, mpi_type<Index>(), owner, request_tag, comm_.handle(),
              pending.request.receive_handle());
  }

  void finish(Index) override {
    while (!pending_.front().answer.test() || !pending_.front().request.test()) {
      progress();
      yield_processor();
    }
    pending_.pop_front();
  }

  void progress() override {
    for (int found = 1; found != 0;) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, request_tag, comm_.handle(), &found, &status);
      if (found != 0) answer(status.MPI_SOURCE);
    }
    while (!answers_.empty() && answers_.front().test()) answers_.pop_front();
  }

  void end() override {
    Request all_ended;
    MPI_Ibarrier(comm_.handle(), all_ended.receive_handle());
    while (!all_ended.test()) {
      progress();
      yield_processor();
    }
    answers_.clear();  // all have arrived
  }

 private:
  struct Pending {
    Index function = 0;
    Request request, answer;
  };

  void answer(int source) {
    Index function = 0;
    MPI_Recv(&function, 1, mpi_type<Index>(), source, request_tag, comm_.handle(), MPI_STATUS_IGNORE);
    MPI_Isend(values_.data() + table_.offset(function), static_cast<int>(table_.size(function)), mpi_type<T>(), source,
              answer_tag, comm_.handle(), answers_.emplace_back().receive_handle());
  }

  Comm comm_;
  const FunctionTable& table_;
  AlignedVector<T> values_;
  std::deque<Pending> pending_;
  std::deque<Request> answers_;
};

}  // namespace

template <class T>
std::unique_ptr<FunctionFetch<T>> make_fetch(const Comm& comm, const FunctionTable& table, FunctionAccess access) {
  if (access == FunctionAccess::window) return std::make_unique<WindowFetch<T>>(comm, table);
  return std::make_unique<MessageFetch<T>>(comm, table);
}

#define WAVEGRID_INSTANTIATE(T) \
  template std::unique_ptr<FunctionFetch<T>> make_fetch<T>(const Comm&, const FunctionTable&, FunctionAccess);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
