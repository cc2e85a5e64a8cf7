// The subspace eigenproblem H c = s c lambda of Rayleigh-Ritz, on one rank or on all.
#pragma once

#include <vector>

#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>

namespace wavegrid {

/// The lowest eigenpairs of H c = s c lambda with Hermitian H and positive semidefinite s.
template <class S>
struct SubspaceSolution {
  bool definite = true;        ///< false: s has no Cholesky factor, or no safe one; nothing else is set
  std::vector<double> values;  ///< ascending
  Matrix<S> vectors;           ///< (n, count), s-orthonormal
};
/// Where a subspace problem is solved.
enum class SubspaceSolver {
  by_size,      ///< distributed if that is faster (is_distributed_by_size), otherwise on one rank
  one_rank,     ///< LAPACK on rank 0
  distributed,  ///< ScaLAPACK over all ranks (linalg/distributed_eigen.hpp)
};
/// Whether `by_size` uses all of `ranks` ranks for a problem of `n` rows. Pure.
[[nodiscard]] bool is_distributed_by_size(Index n, int ranks);

/// Vectors count as linearly dependent if the squared norm of one, orthogonalised to earlier ones, is below this share
/// of its squared norm before: with an error e of H, a share p makes a Ritz value wrong by e/p.
template <class S>
inline constexpr double least_independent = is_single<S> ? 1e-4 : 0.0;

/// Which columns depend on others, and how many of them may.
struct Dependence {
  double least;             ///< smallest independent share of the squared norm (least_independent)
  Index most_left_out = 0;  ///< so many dependent columns, not among the first `count`, get coefficients of 0
};

/// Solved in double precision; all ranks get the same bits. Collective.
template <class S>
[[nodiscard]] SubspaceSolution<S> solve_subspace(const Comm& comm, Matrix<S> h, Matrix<S> s, Index count,
                                                 SubspaceSolver solver = SubspaceSolver::by_size,
                                                 Dependence dependence = {least_independent<S>});
/// The same over the ranks of `product`; on one rank where results must not depend on their number.
template <class S>
[[nodiscard]] SubspaceSolution<S> solve_subspace(const InnerProduct& product, Matrix<S> h, Matrix<S> s, Index count,
                                                 Dependence dependence = {least_independent<S>}) {
  return solve_subspace<S>(product.comm, std::move(h), std::move(s), count,
                           product.blocks ? SubspaceSolver::one_rank : SubspaceSolver::by_size, dependence);
}

}  // namespace wavegrid
