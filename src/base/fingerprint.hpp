// Hash of values that must be the same on all ranks: one number is compared instead of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// FNV-1a of the bytes of all values that were added.
class Fingerprint {
 public:
  template <class T>
  Fingerprint& add(const T& value) {
    return add(std::span<const T>(&value, 1));
  }
  template <class T>
  Fingerprint& add(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    for (const std::byte byte : std::as_bytes(values))
      hash_ = (hash_ ^ std::to_integer<std::uint64_t>(byte)) * 1099511628211u;
    return *this;
  }
  /// 63 bits: neither it nor its negative overflows.
  [[nodiscard]] Index value() const { return static_cast<Index>(hash_ >> 1); }

 private:
  std::uint64_t hash_ = 14695981039346656037u;
};

}  // namespace wavegrid
