// Inner loops that are compiled for several kinds of processors, with the widest vectors and the fused operations of
// each. Their source has neither an include guard nor includes, and uses what base/each_processor.inc defines,
// vector_bytes and add_product():
//
//   namespace wavegrid::stencil_loops {
//   #define WAVEGRID_LOOPS <wavegrid/mesh/stencil_loops.inc>
//   #include <wavegrid/base/each_processor.inc>
//   }
//
// compiles it in the namespaces plain, avx2 and avx512. WAVEGRID_CALL chooses between these at run time.
#pragma once

#include <wavegrid/base/vector_kernels.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WAVEGRID_MANY_PROCESSORS 1
#else
#define WAVEGRID_MANY_PROCESSORS 0
#endif

#define WAVEGRID_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define WAVEGRID_BEGIN_TARGET(features) \
  WAVEGRID_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define WAVEGRID_END_TARGET WAVEGRID_PRAGMA(clang attribute pop)
#else
#define WAVEGRID_BEGIN_TARGET(features) WAVEGRID_PRAGMA(GCC push_options) WAVEGRID_PRAGMA(GCC target(features))
#define WAVEGRID_END_TARGET WAVEGRID_PRAGMA(GCC pop_options)
#endif

/// Calls `function`, name and arguments, of the loops for the processor that runs the program.
#if WAVEGRID_MANY_PROCESSORS
#define WAVEGRID_CALL(loops, function) \
  (processor() == Processor::avx512    \
       ? loops::avx512::function       \
       : (processor() == Processor::avx2 ? loops::avx2::function : loops::plain::function))
#else
#define WAVEGRID_CALL(loops, function) loops::plain::function
#endif

namespace wavegrid {

enum class Processor {
  plain,   ///< any
  avx2,    ///< has AVX2 and fused multiply-adds
  avx512,  ///< has AVX-512 too
};

/// The processor that runs the program.
[[nodiscard]] inline Processor processor() {
#if WAVEGRID_MANY_PROCESSORS
  static const Processor found = [] {
    if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0) return Processor::plain;
    return has_wide_vectors() ? Processor::avx512 : Processor::avx2;
  }();
  return found;
#else
  return Processor::plain;
#endif
}

/// `bytes` of numbers; may begin anywhere.
template <class Real, int bytes>
struct VectorOf {
  typedef Real type __attribute__((vector_size(bytes), aligned(alignof(Real)), may_alias));
};
template <class Real>
struct VectorOf<Real, sizeof(Real)> {
  using type = Real;
};

}  // namespace wavegrid
