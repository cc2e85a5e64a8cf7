// Eigenpairs of an operator of the caller for C.
#include <algorithm>
#include <complex>
#include <cstring>
#include <string>
#include <utility>

#include <wavegrid/eigen/lowest_eigenpairs.hpp>

#include "call.hpp"
#include "wavegrid.h"

using namespace wavegrid;
using namespace wavegrid::c;

namespace {

Eigensolver solver_named(const std::string& name) {
  std::string valid;
  for (const Eigensolver solver :
       {Eigensolver::chebyshev, Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::rmm_diis}) {
    if (name == to_string(solver)) return solver;
    valid += std::string(valid.empty() ? "" : ", ") + to_string(solver);
  }
  throw bad_input("unknown eigensolver '" + name + "'; valid: " + valid);
}

EigenpairsOptions options_from(const wavegrid_eigen_options& given) {
  EigenpairsOptions options;
  if (given.solver) options.solver = solver_named(given.solver);
  if (given.tolerance != 0) options.tolerance = given.tolerance;
  if (given.max_rounds < 0)
    throw bad_input("max_rounds is " + std::to_string(given.max_rounds) + "; valid: 0 (the default) or more");
  if (given.max_rounds > 0) options.max_rounds = given.max_rounds;
  return options;
}

/// A callback as the library calls it; none for NULL.
template <class S>
BlockOperator<S> wrapped(wavegrid_operator function, const char* name, void* context, int rank) {
  if (!function) return {};
  return [=](BandView<const S> x, BandView<S> y) {
    const int status = function(context, x.rows, x.count, x.data, y.data);
    if (status != 0)
      throw bad_input("the function `" + std::string(name) + "` has failed with status " + std::to_string(status) +
                      " on rank " + std::to_string(rank));
  };
}

template <class S>
void solve(const Comm& comm, Index rows, wavegrid_operator apply, void* context, const wavegrid_eigen_options& options,
           Index count, double* values, void* vectors, wavegrid_eigen_report& report) {
  EigenProblem<S> problem{.comm = comm, .rows = rows};
  problem.apply = wrapped<S>(apply, "apply", context, comm.rank());
  problem.overlap = wrapped<S>(options.overlap, "overlap", context, comm.rank());
  problem.precondition = wrapped<S>(options.precondition, "precondition", context, comm.rank());
  if (options.diagonal) problem.diagonal = {options.diagonal, static_cast<std::size_t>(rows)};
  if (options.weight != 0) problem.weight = options.weight;
  auto* const out = static_cast<S*>(vectors);
  const BandView<const S> start{out, rows, options.num_start};
  const Eigenpairs<S> found = lowest_eigenpairs<S>(problem, count, options_from(options), start);
  std::copy(found.values.begin(), found.values.end(), values);
  std::copy_n(found.vectors.view().data, rows * count, out);
  report = {found.converged ? 1 : 0, found.rounds, found.applications, found.error};
}

}  // namespace

int wavegrid_lowest_eigenpairs(MPI_Comm comm, int type, int64_t rows, wavegrid_operator apply, void* context,
                               const wavegrid_eigen_options* options, int64_t count, double* values, void* vectors,
                               int64_t vectors_length, wavegrid_eigen_report* report) {
  return guarded([&] {
    const Comm ranks = communicator(comm);
    const wavegrid_eigen_options used = options ? *options : wavegrid_eigen_options{};
    agree(ranks, "wavegrid_lowest_eigenpairs", "types, counts or options", [&] {
      if (type != WAVEGRID_DOUBLE && type != WAVEGRID_COMPLEX_DOUBLE)
        throw bad_input("type is " + std::to_string(type) + "; valid: WAVEGRID_DOUBLE, WAVEGRID_COMPLEX_DOUBLE");
      if (!apply) throw bad_input("apply is NULL");
      require_given(report, "report");
      if (rows < 0) throw bad_input("rows is " + std::to_string(rows) + "; valid: 0 or more");
      require_length("vectors", vectors, vectors_length, count, rows);
      if (count > 0) require_given(values, "values");
      const EigenpairsOptions o = options_from(used);
      return Fingerprint()
          .add(type)
          .add(count)
          .add(used.overlap ? 1 : 0)
          .add(used.precondition ? 1 : 0)
          .add(used.weight)
          .add(o.solver ? static_cast<int>(*o.solver) : -1)
          .add(o.tolerance)
          .add(o.max_rounds)
          .add(used.num_start);
    });
    if (type == WAVEGRID_DOUBLE)
      solve<double>(ranks, rows, apply, context, used, count, values, vectors, *report);
    else
      solve<std::complex<double>>(ranks, rows, apply, context, used, count, values, vectors, *report);
  });
}

int wavegrid_lowest_eigenpairs_f(MPI_Fint comm, int type, int64_t rows, wavegrid_operator apply, void* context,
                                 const wavegrid_eigen_options* options, int64_t count, double* values, void* vectors,
                                 int64_t vectors_length, wavegrid_eigen_report* report) {
  return wavegrid_lowest_eigenpairs(MPI_Comm_f2c(comm), type, rows, apply, context, options, count, values, vectors,
                                    vectors_length, report);
}
