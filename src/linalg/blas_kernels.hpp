// Kernels of OpenBLAS for processors that are newer than it.
#pragma once

namespace wavegrid {

/// Has OpenBLAS use the kernels for AVX-512 or AVX2 where the processor has these and OpenBLAS, which decides by a list
/// of models, took those of 2004 ("Prescott") for a model that it does not know: matrix products are 3 to 8 times
/// faster. What OPENBLAS_CORETYPE demands stays, and any other BLAS. A session and the Python module call it; a program
/// that uses parts of the library calls it before its first BLAS routine. Not while other threads are in BLAS. Local.
void fit_blas_kernels();

}  // namespace wavegrid
