#include <wavegrid/mpi/datatype.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace wavegrid {

Datatype Datatype::subarray(const Int3& array_sizes, const Int3& sizes, const Int3& begin, MPI_Datatype element) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, array_sizes.data(), sizes.data(), begin.data(), MPI_ORDER_C, element, &type);
  return Datatype(type);
}

Datatype Datatype::runs(std::span<const int> lengths, std::span<const int> offsets, MPI_Datatype element) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), element, &type);
  return Datatype(type);
}

Datatype::~Datatype() {
  if (handle_ != MPI_DATATYPE_NULL && mpi_is_running()) MPI_Type_free(&handle_);
}

}  // namespace wavegrid
