// Large pages of memory for arrays that are read at many distant places at once.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace wavegrid {

/// Asks the kernel for pages of 2 MiB for an array that has not been touched yet: finite differences read some dozens
/// of lines at a time, more than a core finds pages of 4 KiB for at once. Nothing happens where there are none, or
/// where the array does not fill one.
inline void prefer_huge_pages([[maybe_unused]] void* array, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(array);
  const std::uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
  if (first < end) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace wavegrid
