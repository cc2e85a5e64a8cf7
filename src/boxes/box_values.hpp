// Where the values of the boxes of a rank come from and go to.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include <wavegrid/base/index.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

/// Writes the values of a box, (fields, points of the box). Called by any thread, once per box; must not throw.
template <class T>
using FillBox = std::function<void(Index box, std::span<T> values)>;
/// Reads the values of a box, likewise.
template <class T>
using ReadBox = std::function<void(Index box, std::span<const T> values)>;

/// The values to be deposited: an array with box after box, or a function that fills one box at a time.
template <class T>
struct BoxSource {
  const T* array = nullptr;
  const FillBox<T>* fill = nullptr;  ///< used unless it is null

  [[nodiscard]] bool is_array() const { return fill == nullptr; }

  /// The values of a box; `offset` is that in the array, `buffer` is used for values that are filled.
  [[nodiscard]] const T* values(Index box, Index offset, std::span<T> buffer) const {
    if (is_array()) return array + offset;
    (*fill)(box, buffer);
    return buffer.data();
  }
};

/// Where extracted values go: an array with box after box, or a function that reads one box at a time.
template <class T>
struct BoxSink {
  T* array = nullptr;
  const ReadBox<T>* read = nullptr;  ///< used unless it is null

  [[nodiscard]] bool is_array() const { return read == nullptr; }
  [[nodiscard]] T* place(Index offset, std::span<T> buffer) const {
    return is_array() ? array + offset : buffer.data();
  }
  void done(Index box, std::span<const T> values) const {
    if (!is_array()) (*read)(box, values);
  }
};

/// The first value that is not a number.
template <class T>
[[nodiscard]] std::optional<Index> first_nan(std::span<const T> values) {
  using Real = RealOf<T>;
  const auto* const reals = reinterpret_cast<const Real*>(values.data());
  constexpr std::size_t parts = sizeof(T) / sizeof(Real);
  int found = 0;
  for (std::size_t i = 0; i < values.size() * parts; ++i) found |= reals[i] != reals[i] ? 1 : 0;
  if (found == 0) return std::nullopt;
  std::size_t first = 0;
  while (!std::isnan(reals[first])) ++first;
  return static_cast<Index>(first / parts);
}

}  // namespace wavegrid
