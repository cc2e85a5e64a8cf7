// The lowest eigenpairs of a program's own operator: H x = e S x, where H and S are functions on blocks of vectors.
//
//     const auto apply = [&](BandView<const double> x, BandView<double> hx) { ... };
//     const Eigenpairs<double> found = lowest_eigenpairs<double>({.comm = comm, .rows = my_rows, .apply = apply}, 8);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/eigen/band_solver.hpp>

namespace wavegrid {

/// y = A x for a block of vectors, each (rows of this rank), one after the other; x and y do not overlap. Called on all
/// ranks with the same number of vectors, so that it may communicate.
template <class S>
using BlockOperator = std::function<void(BandView<const S> x, BandView<S> y)>;

/// H x = e S x with Hermitian H and S, S positive definite. The rows of the vectors are distributed over the ranks in
/// any way. S is double or std::complex<double>.
template <class S>
struct EigenProblem {
  Comm comm;
  Index rows = 0;              ///< of this rank; may be 0
  BlockOperator<S> apply{};    ///< y = H x; required
  BlockOperator<S> overlap{};  ///< y = S x; none: the unit matrix
  /// y = K x with a positive definite K, near the inverse of H - e above the wanted eigenvalues e. None: from the
  /// diagonal, or the unit matrix without one.
  BlockOperator<S> precondition{};
  /// (rows) The diagonal of H, or an estimate. With t = diagonal - its lowest element, residuals of x are multiplied by
  /// <x|t|x> / (t + <x|t|x>), a simple form of the preconditioner of M. P. Teter, M. C. Payne, D. C. Allan, Phys. Rev.
  /// B 40, 12255 (1989), 10.1103/PhysRevB.40.12255. Empty: none.
  std::span<const double> diagonal{};
  double weight = 1;  ///< of the inner product: <x|y> = weight sum_i conj(x_i) y_i, such as the volume of a grid point
};

struct EigenpairsOptions {
  /// None: LOBPCG where there is a preconditioner or a diagonal, else Chebyshev filters, which need neither.
  std::optional<Eigensolver> solver = std::nullopt;
  /// Largest estimated error of an eigenvalue, relative to the distance between the highest and the lowest of the
  /// eigenvalues that are computed (the wanted ones and a few above them).
  double tolerance = 1e-9;
  int max_rounds = 500;  ///< of the solver; one round applies H to each vector once (LOBPCG) to 20 times (Chebyshev)
};

template <class S>
struct Eigenpairs {
  std::vector<double> values;  ///< (count), rising, in the unit of H
  Bands<S> vectors;            ///< (rows of this rank, count), <x|S|x> = 1
  double error = 0;            ///< largest estimated error of the values, in the unit of H
  bool converged = false;      ///< whether it is within the tolerance; if not, these are the best vectors so far
  int rounds = 0;
  Index applications = 0;  ///< of H to one vector
};

/// The `count` lowest eigenpairs. `start` (rows, up to count): vectors to begin with, such as those of a similar
/// operator; the others are random, and depend on the rows' numbers in the order of the ranks alone. Spaces of a few
/// times as many dimensions as wanted vectors are diagonalised whole. Collective over problem.comm. Throws on all ranks
/// what a function of the problem throws on one, provided the others end the call: they do where they do not
/// communicate in it, and in exchanges of vectors and spans by plans and halos made on problem.comm, which get the
/// error too; a rank that waits for messages of pointers, or for a collective operation of MPI, waits forever. Throws
/// bad_input for a value that is not finite, a count below 0 or above the dimension, a diagonal of another length, a
/// weight or tolerance that is not positive.
template <class S>
[[nodiscard]] Eigenpairs<S> lowest_eigenpairs(const EigenProblem<S>& problem, Index count,
                                              const EigenpairsOptions& options = {}, BandView<const S> start = {});

}  // namespace wavegrid
