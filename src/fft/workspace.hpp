// Arrays that transforms use in turn.
#pragma once

#include <array>
#include <cstddef>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// The work arrays of transforms of which one runs at a time, such as those of a rank's k-points: as large as the
/// largest of them needs. The contents at the beginning of a transform are undefined. Not thread-safe.
class FftWorkspace {
 public:
  /// Arrays that are in use at the same time.
  enum class Array {
    pipeline,    ///< blocks of bands between the stages, and work arrays of the threads
    bands,       ///< the share of a band group, before and after its transform
    incomplete,  ///< bands that are too few for all groups
    grid,        ///< whole bands on the grid, between the halves of a transform
    laplacian,   ///< bands and their Laplacians in turn
  };

  /// Makes the array large enough for `elements` elements of T. Its contents are lost.
  template <class T>
  void reserve(Array array, Index elements) {
    auto& data = arrays_[static_cast<std::size_t>(array)];
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
    if (data.size() >= bytes) return;
    data = {};  // first free, then allocate
    data.resize(bytes);
  }
  /// Valid until the next reserve().
  template <class T>
  [[nodiscard]] T* data(Array array) {
    return reinterpret_cast<T*>(arrays_[static_cast<std::size_t>(array)].data());
  }

 private:
  std::array<AlignedVector<std::byte>, 5> arrays_;
};

}  // namespace wavegrid
