#include "linalg/subspace.hpp"

#include "linalg/distributed_eigen.hpp"
#include "linalg/lapack.hpp"

namespace wavegrid {

namespace {

/// Sizes and ranks from which ScaLAPACK is used instead of LAPACK on one rank. On two ranks it is half as fast for 600
/// to 2000 rows, because it computes all eigenpairs where LAPACK computes a third (decision 0007); on eight ranks it is
/// predicted to be faster, not measured.
constexpr Index min_distributed_rows = 1000;
constexpr int min_distributed_ranks = 8;

/// The subspace problem on this rank alone.
template <class D>
SubspaceSolution<D> solve_here(Matrix<D> h, Matrix<D> s, Index count, double least) {
  const Index n = h.rows();
  SubspaceSolution<D> solution{true, std::vector<double>(static_cast<std::size_t>(count)), Matrix<D>(n, count)};
  std::vector<double> norms;
  for (Index i = 0; i < n; ++i) norms.push_back(real_part(s(i, i)));
  solution.definite = lapack::cholesky<D>(n, s.data(), n);
  for (Index i = 0; i < n && solution.definite; ++i)
    solution.definite = std::norm(s(i, i)) >= least * norms[static_cast<std::size_t>(i)];
  if (!solution.definite) return solution;
  lapack::reduce_to_standard<D>(n, h.data(), n, s.data(), n);
  lapack::eigen<D>(n, h.data(), n, count, solution.values.data(), solution.vectors.data(), n);
  lapack::solve_upper_left<D>(n, count, s.data(), n, solution.vectors.data(), n);
  return solution;
}

}  // namespace

bool is_distributed_by_size(Index n, int ranks) {
  return has_scalapack() && ranks >= min_distributed_ranks && n >= min_distributed_rows;
}

template <class S>
SubspaceSolution<S> solve_subspace(const Comm& comm, Matrix<S> h, Matrix<S> s, Index count, SubspaceSolver solver,
                                   double least) {
  const Index n = h.rows();
  using D = DoubleOf<S>;
  if (solver == SubspaceSolver::distributed ||
      (solver == SubspaceSolver::by_size && is_distributed_by_size(n, comm.size()))) {
    SubspaceSolution<D> all =
        solve_distributed<D>(comm, converted<D>(std::move(h)), converted<D>(std::move(s)), count, least);
    return {all.definite, std::move(all.values), converted<S>(std::move(all.vectors))};
  }
  SubspaceSolution<S> solution{true, std::vector<double>(static_cast<std::size_t>(count)), Matrix<S>(n, count)};
  int definite = 1;
  comm.together([&] {
    if (comm.rank() != 0) return;
    SubspaceSolution<D> here = solve_here<D>(converted<D>(std::move(h)), converted<D>(std::move(s)), count, least);
    definite = here.definite ? 1 : 0;
    if (!definite) return;
    solution.values = std::move(here.values);
    solution.vectors = converted<S>(std::move(here.vectors));
  });
  comm.broadcast(std::span<int>(&definite, 1));
  solution.definite = definite == 1;
  comm.broadcast(std::span<double>(solution.values));
  comm.broadcast(solution.vectors.elements());
  return solution;
}

#define WAVEGRID_INSTANTIATE(S) \
  template SubspaceSolution<S> solve_subspace<S>(const Comm&, Matrix<S>, Matrix<S>, Index, SubspaceSolver, double);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
