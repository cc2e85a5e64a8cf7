// For kernels that are compiled twice: for all processors, and for those with registers of 64 bytes.
#pragma once

/// Inlined into both.
#define WAVEGRID_INLINE inline __attribute__((always_inline))

/// WAVEGRID_WIDE marks the function that is compiled for wide registers; call it only if has_wide_vectors().
#if defined(__x86_64__) && defined(__GNUC__)
#define WAVEGRID_WIDE __attribute__((target("avx512f")))
#else
#define WAVEGRID_WIDE
#endif

namespace wavegrid {

[[nodiscard]] inline bool has_wide_vectors() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace wavegrid
