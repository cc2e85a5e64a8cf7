// Includes WAVEGRID_LOOPS for each kind of processor: see base/processors.hpp. No include guard.

namespace plain {
inline constexpr int vector_bytes = 32;
inline constexpr bool has_fused = false;
#include "base/fused.hpp"
#include WAVEGRID_LOOPS
}  // namespace plain

#if WAVEGRID_MANY_PROCESSORS
WAVEGRID_BEGIN_TARGET("avx2,fma")
namespace avx2 {
inline constexpr int vector_bytes = 32;
inline constexpr bool has_fused = true;
#include "base/fused.hpp"
#include WAVEGRID_LOOPS
}  // namespace avx2
WAVEGRID_END_TARGET

WAVEGRID_BEGIN_TARGET("avx512f,avx2,fma")
namespace avx512 {
inline constexpr int vector_bytes = 64;
inline constexpr bool has_fused = true;
#include "base/fused.hpp"
#include WAVEGRID_LOOPS
}  // namespace avx512
WAVEGRID_END_TARGET
#endif

#undef WAVEGRID_LOOPS
