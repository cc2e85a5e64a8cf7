#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/converge_bands.hpp>
#include <wavegrid/eigen/function_operator.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>

namespace wavegrid {

namespace {

constexpr Index start_key = Index{1} << 43;  ///< seeds of the random start
constexpr Index whole_space = 5;             ///< a space of up to so many times the vectors is diagonalised whole

template <class S>
void require_valid(const EigenProblem<S>& problem, bool has_diagonal, Index count, const EigenpairsOptions& options,
                   BandView<const S> start) {
  const auto found = [](Index n) { return ", found " + std::to_string(n); };
  if (!problem.apply) throw bad_input("the eigenproblem has no function `apply`");
  if (problem.rows < 0) throw bad_input("the number of rows must be 0 or more" + found(problem.rows));
  const auto diagonal = static_cast<Index>(problem.diagonal.size());
  if (has_diagonal && diagonal != problem.rows)
    throw bad_input("the diagonal must have one number for each of " + std::to_string(problem.rows) + " rows" +
                    found(diagonal));
  if (!(problem.weight > 0)) throw bad_input("the weight of the inner product must be positive");
  if (!(options.tolerance > 0)) throw bad_input("the tolerance must be positive");
  if (start.count < 0 || (start.count > 0 && start.count > count))
    throw bad_input("there must be at most " + std::to_string(count) + " vectors to start with" + found(start.count));
  if (start.count > 0 && start.rows != problem.rows)
    throw bad_input("the vectors to start with must have " + std::to_string(problem.rows) + " rows" +
                    found(start.rows));
}

/// The given vectors and random ones, as orthonormal Ritz vectors.
template <class S>
EigenState<S> initial_state(FunctionOperator<S>& op, Index vectors, BandView<const S> start) {
  EigenState<S> state(op.rows(), vectors, op.has_overlap());
  op.fill_random(start_key, state.x.view(), RandomSpectrum::flat);
  std::copy_n(start.data, start.rows * start.count, state.x.view().data);
  const Index independent = orthonormalise<S>(op, state.x.view());
  // Vectors to start with that depend on each other are replaced by random ones.
  op.fill_random(start_key + vectors, state.x.view().slice(independent, vectors - independent), RandomSpectrum::flat);
  apply_h_and_s(op, state.view());
  rayleigh_ritz(op, state);
  return state;
}

/// The eigenvectors of the whole space.
template <class S>
EigenState<S> diagonalised(FunctionOperator<S>& op, Index dimension) {
  EigenState<S> state(op.rows(), dimension, op.has_overlap());
  std::fill_n(state.x.view().data, op.rows() * dimension, S(0));
  for (Index i = 0; i < op.rows(); ++i) state.x.view().band(op.first_row() + i)[i] = S(1);
  apply_h_and_s(op, state.view());
  rayleigh_ritz(op, state);
  return state;
}

/// The `count` lowest of a state's bands.
template <class S>
Eigenpairs<S> taken_from(const EigenState<S>& state, Index count) {
  Eigenpairs<S> pairs{{state.values.begin(), state.values.begin() + count}, Bands<S>(state.x.rows(), count)};
  std::copy_n(state.x.view().data, state.x.rows() * count, pairs.vectors.view().data);
  return pairs;
}

template <class S>
Eigenpairs<S> whole_spectrum(FunctionOperator<S>& op, Index dimension, Index count) {
  const EigenState<S> state = diagonalised(op, dimension);
  Eigenpairs<S> pairs = taken_from(state, count);
  const std::vector<double> squares = squared_residuals(op, state);
  pairs.error = std::sqrt(*std::max_element(squares.begin(), squares.begin() + count));
  pairs.converged = true;
  return pairs;
}

}  // namespace

template <class S>
Eigenpairs<S> lowest_eigenpairs(const EigenProblem<S>& problem, Index count, const EigenpairsOptions& options,
                                BandView<const S> start) {
  const bool has_diagonal = problem.comm.max(problem.diagonal.empty() ? 0 : 1) > 0;
  problem.comm.collectively([&] { require_valid(problem, has_diagonal, count, options, start); });
  FunctionOperator<S> op(problem);
  const Index dimension = op.dimension();
  if (count < 0 || count > dimension)
    throw bad_input("the operator has " + std::to_string(dimension) +
                    " rows; valid: 0 to that many eigenpairs, found " + std::to_string(count));
  if (count == 0) return {{}, Bands<S>(problem.rows, 0), 0, true};
  const Index vectors = with_guard_bands<S>(count, op);
  Eigenpairs<S> pairs;
  if (dimension <= whole_space * (count + 4)) {
    pairs = whole_spectrum(op, dimension, count);
  } else {
    const bool preconditioned = has_diagonal || problem.precondition;
    BandSolver<S> solver(options.solver.value_or(preconditioned ? Eigensolver::lobpcg : Eigensolver::chebyshev));
    EigenState<S> state = initial_state(op, vectors, start);
    const ConvergedBands bands = converge_bands<S>(op, state, solver, count,
                                                   {.error = options.tolerance,
                                                    .max_rounds = options.max_rounds,
                                                    .may_change_method = options.solver.has_value()});
    pairs = taken_from(state, count);
    pairs.error = bands.error;
    pairs.converged = bands.converged;
    pairs.rounds = bands.rounds;
  }
  pairs.applications = op.applications();
  return pairs;
}

#define WAVEGRID_INSTANTIATE(S)                                                                        \
  template Eigenpairs<S> lowest_eigenpairs<S>(const EigenProblem<S>&, Index, const EigenpairsOptions&, \
                                              BandView<const S>);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
