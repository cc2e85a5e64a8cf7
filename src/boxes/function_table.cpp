#include <algorithm>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/boxes/function_table.hpp>
#include <wavegrid/mpi/gather.hpp>

namespace wavegrid {

FunctionTable::FunctionTable(const Comm& comm, std::span<const Index> my_sizes) {
  comm.collectively([&] {
    for (std::size_t i = 0; i < my_sizes.size(); ++i)
      if (my_sizes[i] < 0)
        throw bad_input("function " + std::to_string(i) + " of rank " + std::to_string(comm.rank()) + " has " +
                        std::to_string(my_sizes[i]) + " values; valid: 0 or more");
  });
  const Gathered all = gather_all(comm, my_sizes);
  first_ = all.first;
  begin_.push_back(0);
  for (const Index size : all.values) begin_.push_back(begin_.back() + size);
}

int FunctionTable::owner(Index function) const {
  return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), function) - first_.begin()) - 1;
}

}  // namespace wavegrid
