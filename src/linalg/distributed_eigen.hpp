// The subspace eigenproblem on a two-dimensional grid of ranks, by ScaLAPACK.
#pragma once

#include <vector>

#include <wavegrid/linalg/subspace.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Whether this build has ScaLAPACK for its MPI (CMake option WAVEGRID_SCALAPACK).
[[nodiscard]] bool has_scalapack();

/// Solves the problem on as many ranks of `comm` as make a nearly square grid, in a block-cyclic distribution: Cholesky
/// factor of s, two triangular solves, divide and conquer (all eigenpairs), one more triangular solve. `h` and `s` are
/// replicated, upper triangles read; the vectors are replicated too, with the same bits on all ranks, but depend on the
/// number of ranks to rounding. Not definite as in solve_subspace; `least` is the smallest allowed ratio of the squared
/// norm of a vector, orthogonalised to earlier ones, to its squared norm before.
///
/// D is double or std::complex<double>. Collective. Throws an internal error on all ranks if ScaLAPACK does not
/// converge, or if the build has none.
template <class D>
[[nodiscard]] SubspaceSolution<D> solve_distributed(const Comm& comm, const Matrix<D>& h, const Matrix<D>& s,
                                                    Index count, double least);

}  // namespace wavegrid
