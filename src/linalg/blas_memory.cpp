#include <sys/mman.h>

#include <atomic>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/linalg/blas_memory.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {

namespace {

/// Of address space, for a thread: the buffer of OpenBLAS (128 MiB for processors with AVX-512) and the thread's stack.
constexpr std::size_t bytes_per_thread = std::size_t{144} << 20;

/// Whether the system would give this address space. Nothing of it is touched.
bool is_available(std::size_t bytes) {
  void* const trial = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (trial == MAP_FAILED) return false;
  munmap(trial, bytes);
  return true;
}

/// A product large enough to need the buffer. Arrays are passed in: no exception may leave a region of threads.
void multiply(Index n, const double* a, double* product) {
  lapack::gemm<double>('N', 'N', n, n, n, 1, a, n, a, n, 0, product, n);
}

}  // namespace

void reserve_blas_memory(int threads) {
  static std::atomic<int> reserved = 0;  // threads; BLAS keeps its buffers
  if (threads <= reserved) return;
  const std::size_t bytes = bytes_per_thread * static_cast<std::size_t>(threads);
  if (!is_available(bytes))
    throw environment_error("out of memory: BLAS needs " + std::to_string(bytes >> 20) +
                            " MiB of address space for its buffers; raise the limit of memory (ulimit -v), or use "
                            "fewer threads");
  constexpr Index n = 128;
  const std::vector<double> factor(static_cast<std::size_t>(n * n), 1.0);
  std::vector<double> products(factor.size() * static_cast<std::size_t>(threads));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; ++t) multiply(n, factor.data(), products.data() + t * n * n);
  reserved = threads;
}

}  // namespace wavegrid
