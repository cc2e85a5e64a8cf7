#include "linalg/blas_description.hpp"

// Each BLAS has functions of its own that say what it is. They are weak: null where another BLAS is linked, also if the
// system has exchanged a shared libblas after the build (as Debian's alternatives do).
extern "C" {
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

}  // namespace

std::string blas_description() {
  if (openblas_get_config) return openblas();
  if (MKL_Get_Version_String) return mkl();
  if (bli_info_get_version_str) return blis();
  return WAVEGRID_BLAS;
}

}  // namespace wavegrid
