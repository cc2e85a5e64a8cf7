// The memory of this process.
#pragma once

#include <cstddef>

namespace wavegrid {

/// The peak resident memory of this process so far, bytes: private memory, libraries, and the parts of shared windows
/// that the process has accessed. 0 if the system does not report it.
[[nodiscard]] double peak_memory();

/// From now on the memory of freed arrays is returned to the system, so that resident memory is memory in use; except
/// for arrays of up to `kept` bytes, which come and go all the time. For programs, not for libraries: it changes the
/// allocator of the whole process.
void return_freed_memory(std::size_t kept);

}  // namespace wavegrid
