#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/eigen/function_operator.hpp>
#include <wavegrid/linalg/finite.hpp>

namespace wavegrid {

template <class S>
FunctionOperator<S>::FunctionOperator(const EigenProblem<S>& problem)
    : BandOperator<S>({.comm = problem.comm, .weight = problem.weight}, problem.rows, nullptr),
      problem_(problem),
      agreement_(Comm::private_copy(problem.comm.handle()).timed(problem.comm.profile())),
      diagonal_(problem.diagonal.begin(), problem.diagonal.end()) {
  const Comm& comm = problem.comm;
  std::vector<Index> rows(static_cast<std::size_t>(comm.size()));
  rows[static_cast<std::size_t>(comm.rank())] = problem.rows;
  comm.merge(std::span<Index>(rows));
  for (int rank = 0; rank < comm.rank(); ++rank) first_row_ += rows[static_cast<std::size_t>(rank)];
  double lowest = std::numeric_limits<double>::max();
  for (const double d : diagonal_) lowest = std::min(lowest, d);
  lowest = comm.min(lowest);
  for (double& d : diagonal_) d -= lowest;
  has_diagonal_ = lowest < std::numeric_limits<double>::max();
}

template <class S>
void FunctionOperator<S>::call(const char* name, const BlockOperator<S>& function, BandView<const S> x, BandView<S> y) {
  agreement_.collectively([&] {
    function(x, y);
    require_finite(name, y);
  });
}

template <class S>
void FunctionOperator<S>::require_finite(const char* name, BandView<const S> y) const {
  for (Index b = 0; b < y.count; ++b) {
    if (all_finite(y.band(b), y.rows)) continue;
    Index row = 0;
    while (all_finite(y.band(b) + row, 1)) ++row;
    throw bad_input("the function `" + std::string(name) + "` has returned a value that is not finite (NaN or " +
                    "infinite), in row " + std::to_string(first_row_ + row) + " of vector " + std::to_string(b) +
                    " of a block, on rank " + std::to_string(problem_.comm.rank()));
  }
}

template <class S>
void FunctionOperator<S>::apply(BandView<const S> x, BandView<S> hx) {
  if (x.count == 0) return;
  applications_ += x.count;
  call("apply", problem_.apply, x, hx);
}

template <class S>
std::vector<double> FunctionOperator<S>::preconditioner_energies(BandView<const S> x) {
  std::vector<double> energies(static_cast<std::size_t>(x.count), 0.0);
  if (problem_.precondition || !has_diagonal_) return energies;
  for (Index b = 0; b < x.count; ++b)
    for (Index i = 0; i < x.rows; ++i)
      energies[static_cast<std::size_t>(b)] +=
          problem_.weight * diagonal_[static_cast<std::size_t>(i)] * std::norm(x.band(b)[i]);
  problem_.comm.sum(std::span<double>(energies));
  return energies;
}

template <class S>
void FunctionOperator<S>::precondition(std::span<const double> energies, BandView<S> residuals) {
  const Index rows = residuals.rows, bands = residuals.count;
  if (problem_.precondition) {
    if (bands == 0) return;
    Bands<S> given(rows, bands);
    std::copy_n(residuals.data, rows * bands, given.view().data);
    return call("precondition", problem_.precondition, std::as_const(given).view(), residuals);
  }
  for (Index b = 0; b < bands && has_diagonal_; ++b) {
    const double scale = energies[static_cast<std::size_t>(b)];
    if (!(scale > 0)) continue;  // a constant diagonal
    for (Index i = 0; i < rows; ++i) residuals.band(b)[i] *= scale / (diagonal_[static_cast<std::size_t>(i)] + scale);
  }
}

template <class S>
void FunctionOperator<S>::fill_random(Index first_key, BandView<S> bands, RandomSpectrum) {
  for (Index b = 0; b < bands.count; ++b)
    for (Index i = 0; i < bands.rows; ++i) {
      const double real = random_at({first_key + b, first_row_ + i, 0});
      if constexpr (ScalarTraits<S>::is_real)
        bands.band(b)[i] = real;
      else
        bands.band(b)[i] = {real, random_at({first_key + b, first_row_ + i, 1})};
    }
}

template class FunctionOperator<double>;
template class FunctionOperator<std::complex<double>>;

}  // namespace wavegrid
