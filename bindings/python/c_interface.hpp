// What the bindings of the engine's pieces share: errors and handles of the C interface, arrays, communicators.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wavegrid.h"

namespace wavegrid::python {

using Read = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;
using Write = nanobind::ndarray<nanobind::device::cpu>;

/// Throws the error of a call of the C interface.
void check(int status);

/// The same without the GIL, so that other threads of Python run while ranks wait for each other.
template <class Call>
void check_released(Call call) {
  int status = WAVEGRID_OK;
  {
    const nanobind::gil_scoped_release release;
    status = call();
  }
  check(status);
}

/// Owns a handle of the C interface.
template <class Handle, auto destroy>
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (handle_) destroy(&handle_);
  }
  [[nodiscard]] Handle* get() const { return handle_; }
  [[nodiscard]] Handle** out() { return &handle_; }

 private:
  Handle* handle_ = nullptr;
};

/// A communicator of mpi4py as Fortran's handle. Throws where mpi4py uses another MPI library: its handles mean nothing
/// to ours.
[[nodiscard]] MPI_Fint handle_of(const nanobind::object& comm);

/// An array as the bindings see it, whatever its elements.
struct ArrayView {
  const char* name;
  nanobind::dlpack::dtype type;
  bool contiguous;           ///< in C's order
  std::int64_t size, bands;  ///< all elements; the first dimension of (bands, ...), 1 for an array of one dimension

  template <class Array>
  ArrayView(const char* of_name, const Array& array)
      : name(of_name),
        type(array.dtype()),
        contiguous(is_contiguous(array)),
        size(static_cast<std::int64_t>(array.size())),
        bands(array.ndim() > 1 ? static_cast<std::int64_t>(array.shape(0)) : 1) {}

 private:
  template <class Array>
  [[nodiscard]] static bool is_contiguous(const Array& array) {
    std::int64_t expected = 1;
    for (std::size_t i = array.ndim(); i-- > 0;) {
      if (array.shape(i) != 1 && array.stride(i) != expected && array.size() > 0) return false;
      expected *= static_cast<std::int64_t>(array.shape(i));
    }
    return true;
  }
};

/// The type of an array's elements, of wavegrid_type; none for others.
[[nodiscard]] std::optional<int> array_type(const ArrayView& array);
/// Throws TypeError, with what was found and what is valid, unless it is a C-contiguous array of a wavegrid_type.
void require(const ArrayView& array, int type);

template <class T>
[[nodiscard]] nanobind::object numpy_array(std::vector<T> given, const std::vector<std::size_t>& shape) {
  auto* const values = new std::vector<T>(std::move(given));
  const nanobind::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(values->data(), shape.size(), shape.data(), owner));
}

}  // namespace wavegrid::python
