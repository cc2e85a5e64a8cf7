// Replaces `new` and `delete` of the test program by functions that count. Their other forms call these.
#include "allocated_bytes.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<wavegrid::Index> bytes{0};

void* counted(void* block) {
  if (!block) throw std::bad_alloc();
  bytes += static_cast<wavegrid::Index>(malloc_usable_size(block));
  return block;
}

void free_counted(void* block) noexcept {
  bytes -= static_cast<wavegrid::Index>(malloc_usable_size(block));  // of null: 0
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void operator delete(void* block) noexcept { free_counted(block); }
void operator delete(void* block, std::size_t) noexcept { free_counted(block); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* block = nullptr;
  return counted(posix_memalign(&block, static_cast<std::size_t>(alignment), size) == 0 ? block : nullptr);
}
void operator delete(void* block, std::align_val_t) noexcept { free_counted(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { free_counted(block); }

wavegrid::Index wavegrid::allocated_bytes() { return bytes; }
#else
wavegrid::Index wavegrid::allocated_bytes() { return 0; }
#endif
