#pragma once

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Bytes that `new` has allocated in this process and `delete` has not freed: without what MPI keeps, whose amount
/// depends on the order in which messages arrive. 0 where a sanitizer or another library than glibc allocates.
Index allocated_bytes();

}  // namespace wavegrid
