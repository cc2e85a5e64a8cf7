#include <cstdlib>
#include <string_view>

#include <wavegrid/base/processors.hpp>
#include <wavegrid/linalg/blas_kernels.hpp>

// Functions of OpenBLAS, null with another BLAS and in builds for one processor. The last two forget the choice of
// kernels, and choose them as at the start of the program.
extern "C" {
[[gnu::weak]] char* openblas_get_corename(void);
[[gnu::weak]] void gotoblas_dynamic_quit(void);
[[gnu::weak]] void gotoblas_dynamic_init(void);
}

namespace wavegrid {

namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";

/// OpenBLAS's name of the kernels that the processor can run; null for one without AVX2.
const char* widest_kernels() {
#if WAVEGRID_MANY_PROCESSORS
  const bool has_all_of_skylake = processor() == Processor::avx512 && __builtin_cpu_supports("avx512bw") &&
                                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_all_of_skylake) return "SkylakeX";
#endif
  return processor() == Processor::plain ? nullptr : "Haswell";
}

}  // namespace

void fit_blas_kernels() {
  if (!openblas_get_corename || !gotoblas_dynamic_quit || !gotoblas_dynamic_init) return;
  if (std::getenv(variable) || std::string_view(openblas_get_corename()) != "Prescott") return;
  const char* const kernels = widest_kernels();
  if (!kernels) return;
  setenv(variable, kernels, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(variable);  // else other programs that this one starts would have it from us
}

}  // namespace wavegrid
