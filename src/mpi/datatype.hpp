// Datatypes of MPI that say where the elements of a message lie in an array.
#pragma once

#include <mpi.h>

#include <array>
#include <span>
#include <utility>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// A committed datatype; freed with this object.
class Datatype {
 public:
  Datatype() = default;
  /// The part `sizes` at `begin` of a three-dimensional array `array_sizes`, the last index fastest; all in elements.
  /// It contains its elements in that order.
  [[nodiscard]] static Datatype subarray(const Int3& array_sizes, const Int3& sizes, const Int3& begin,
                                         MPI_Datatype element);
  /// Runs of elements: lengths[i] of them from element offsets[i] on, one run after the other.
  [[nodiscard]] static Datatype runs(std::span<const int> lengths, std::span<const int> offsets, MPI_Datatype element);

  Datatype(Datatype&& other) noexcept : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Datatype();

  [[nodiscard]] MPI_Datatype handle() const { return handle_; }

 private:
  explicit Datatype(MPI_Datatype handle) : handle_(handle) { MPI_Type_commit(&handle_); }
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

}  // namespace wavegrid
