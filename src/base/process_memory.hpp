// The memory of this process.
#pragma once

namespace wavegrid {

/// The peak resident memory of this process so far, bytes: private memory, libraries, and the parts of shared windows
/// that the process has accessed. 0 if the system does not report it.
[[nodiscard]] double peak_memory();

/// From now on freed memory is returned to the system and large arrays are mapped separately, so that resident memory
/// is memory in use. For programs, not for libraries: it changes the allocator of the whole process.
void return_freed_memory();

}  // namespace wavegrid
