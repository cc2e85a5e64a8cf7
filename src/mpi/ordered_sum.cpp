#include <algorithm>
#include <complex>
#include <functional>

#include <wavegrid/mpi/ordered_sum.hpp>

namespace wavegrid {

namespace {

constexpr int tag = 71;

/// The complete branches of the summation tree of OrderedSum that make up a range of parts, in order.
std::vector<Range> branches_of(Range parts) {
  std::vector<Range> branches;
  for (Index first = parts.begin; first < parts.end;) {
    Index size = 1;
    while (first % (2 * size) == 0 && first + 2 * size <= parts.end) size *= 2;
    branches.push_back({first, first + size});
    first += size;
  }
  return branches;
}

template <class T>
void add_to(std::vector<T>& sum, const std::vector<T>& values) {
  std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
}

}  // namespace

OrderedSum::OrderedSum(Comm comm, std::vector<Index> starts) : comm_(std::move(comm)), starts_(std::move(starts)) {}

Range OrderedSum::mine() const {
  const auto rank = static_cast<std::size_t>(comm_.rank());
  return {starts_[rank], starts_[rank + 1]};
}

template <class T>
void OrderedSum::Branches<T>::add(Branch<T> branch) {
  while (!list_.empty() && list_.back().parts == branch.parts && list_.back().first % (2 * branch.parts) == 0) {
    add_to(list_.back().values, branch.values);
    branch = {list_.back().first, 2 * branch.parts, std::move(list_.back().values)};
    list_.pop_back();
  }
  list_.push_back(std::move(branch));
}

/// If the number of parts is not a power of two, several branches remain: they are added from the smallest on.
template <class T>
std::vector<T> OrderedSum::Branches<T>::total() {
  if (list_.empty()) return std::vector<T>(size_, T(0));
  for (; list_.size() > 1; list_.pop_back()) add_to(list_[list_.size() - 2].values, list_.back().values);
  return std::move(list_[0].values);
}

template <class T>
void OrderedSum::collect(Branches<T>& branches, std::span<T> result) const {
  const auto guard = comm_.time();
  if (comm_.rank() == 0) {
    for (int rank = 1; rank < comm_.size(); ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      for (const Range& parts : branches_of({starts_[r], starts_[r + 1]})) {
        std::vector<T> values(result.size());
        in_tiles(std::span<T>(values), [&](T* data, int count) {
          MPI_Recv(data, count, mpi_type<T>(), rank, tag, comm_.handle(), MPI_STATUS_IGNORE);
        });
        branches.add({parts.begin, parts.size(), std::move(values)});
      }
    }
    const std::vector<T> total = branches.total();
    std::copy(total.begin(), total.end(), result.begin());
  } else {
    for (Branch<T>& branch : branches.list())
      in_tiles(std::span<T>(branch.values),
               [&](T* data, int count) { MPI_Send(data, count, mpi_type<T>(), 0, tag, comm_.handle()); });
  }
  comm_.broadcast(result);
}

#define WAVEGRID_INSTANTIATE(T)                             \
  template void OrderedSum::Branches<T>::add(Branch<T>);    \
  template std::vector<T> OrderedSum::Branches<T>::total(); \
  template void OrderedSum::collect<T>(Branches<T>&, std::span<T>) const;
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
