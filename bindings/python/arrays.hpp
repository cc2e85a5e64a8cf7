// Numpy arrays that own the values of a C++ vector.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

/// Of the given shape, the last index fastest.
template <class T>
[[nodiscard]] nanobind::object make_array(std::vector<T> given, const std::vector<std::size_t>& shape) {
  auto* const values = new std::vector<T>(std::move(given));
  const nanobind::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(values->data(), shape.size(), shape.data(), owner));
}
