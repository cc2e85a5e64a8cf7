// Which BLAS the program runs with.
#pragma once

#include <string>

namespace wavegrid {

/// Name and version of the BLAS, where it has them the kernel that it chose for this processor, such as
/// "OpenBLAS 0.3.21, kernel SkylakeX"; of an unknown BLAS the files that the library was linked with.
[[nodiscard]] std::string blas_description();

}  // namespace wavegrid
