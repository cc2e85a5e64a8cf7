#include <wavegrid/mpi/environment.hpp>
#include <wavegrid/mpi/request.hpp>

namespace wavegrid {

Request& Request::operator=(Request&& other) noexcept {
  reset();
  handle_ = std::exchange(other.handle_, MPI_REQUEST_NULL);
  return *this;
}

bool Request::test() {
  int done = 0;
  MPI_Test(&handle_, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

void Request::reset() {
  if (empty() || !mpi_is_running()) return;
  wait();
  if (!empty()) MPI_Request_free(&handle_);  // the wait does not free a persistent operation
}

void RequestList::start(std::size_t begin, std::size_t end) {
  if (begin < end) MPI_Startall(static_cast<int>(end - begin), handles_.data() + begin);
}

bool RequestList::test(std::size_t count) {
  int done = 1;
  MPI_Testall(static_cast<int>(count), handles_.data(), &done, MPI_STATUSES_IGNORE);
  return done != 0;
}

void RequestList::wait(std::size_t count) {
  MPI_Waitall(static_cast<int>(count), handles_.data(), MPI_STATUSES_IGNORE);
}

const std::vector<int>& RequestList::test_some() {
  completed_.resize(size());
  int count = 0;
  MPI_Testsome(static_cast<int>(size()), handles_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE);
  completed_.resize(count == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(count));
  return completed_;
}

void RequestList::clear() {
  if (!mpi_is_running()) return handles_.clear();
  wait();
  for (MPI_Request& handle : handles_)
    if (handle != MPI_REQUEST_NULL) MPI_Request_free(&handle);
  handles_.clear();
}

}  // namespace wavegrid
