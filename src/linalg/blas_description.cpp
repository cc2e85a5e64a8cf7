#include <dlfcn.h>

#include <filesystem>

#include <wavegrid/linalg/blas_description.hpp>

// Each BLAS has functions of its own that say what it is. They are weak: null where another BLAS is linked, also if the
// system has exchanged a shared libblas after the build (as Debian's alternatives do).
extern "C" {
void dgemm_(void);
[[gnu::weak]] char* openblas_get_config(void);
[[gnu::weak]] char* openblas_get_corename(void);
[[gnu::weak]] void MKL_Get_Version_String(char* text, int length);
[[gnu::weak]] const char* bli_info_get_version_str(void);
[[gnu::weak]] int bli_arch_query_id(void);
[[gnu::weak]] const char* bli_arch_string(int id);
}

namespace wavegrid {

namespace {

std::string openblas() {
  const std::string config = openblas_get_config();
  const std::string version = config.substr(0, config.find(' ', config.find(' ') + 1));
  return openblas_get_corename ? version + ", kernel " + openblas_get_corename() : version;
}

std::string mkl() {
  std::string text(200, ' ');
  MKL_Get_Version_String(text.data(), static_cast<int>(text.size()));
  return text.substr(0, text.find_last_not_of(std::string("\0 ", 2)) + 1);
}

std::string blis() {
  const std::string version = std::string("BLIS ") + bli_info_get_version_str();
  return bli_arch_query_id && bli_arch_string ? version + ", kernel " + bli_arch_string(bli_arch_query_id()) : version;
}

/// The program or shared library that contains a function; empty where that is not known.
std::string file_of(void* function) {
  Dl_info info;
  return dladdr(function, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

}  // namespace

std::string blas_description() {
  struct Candidate {
    void* function;
    std::string (*describe)();
  };
  const Candidate candidates[] = {{reinterpret_cast<void*>(openblas_get_config), openblas},
                                  {reinterpret_cast<void*>(MKL_Get_Version_String), mkl},
                                  {reinterpret_cast<void*>(bli_info_get_version_str), blis}};
  // Several may be loaded, some of them by other libraries: the one that multiplies matrices counts.
  const std::string file = file_of(reinterpret_cast<void*>(dgemm_));
  for (const auto& [function, describe] : candidates)
    if (function && file_of(function) == file) return describe();
  for (const auto& [function, describe] : candidates)
    if (function) return describe() + " (" + std::filesystem::path(file).filename().string() + ")";
  return WAVEGRID_BLAS;
}

}  // namespace wavegrid
