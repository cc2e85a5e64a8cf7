// The memory of OpenBLAS, which it does not count as ours: a buffer for each thread, got at the first call and kept.
#pragma once

namespace wavegrid {

/// Has BLAS allocate the buffers of `threads` threads now. Throws an environment error where the system refuses them:
/// OpenBLAS itself would ask for them without end, or end the process. Local.
void reserve_blas_memory(int threads);

}  // namespace wavegrid
