// How much memory this process has taken.
#pragma once

namespace wavegrid {

/// The most memory that has been resident in this process so far, bytes: its own, libraries, and the parts of shared
/// windows that it has touched. 0 where the system does not tell.
[[nodiscard]] double peak_memory();

/// Lets freed memory go back to the system, and large arrays lie alone, so that what is resident is what is in use.
/// For programs whose process is their own: it changes the allocator for everybody.
void keep_memory_tight();

}  // namespace wavegrid
