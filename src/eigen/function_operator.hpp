// The operator of an EigenProblem, for the eigensolvers.
#pragma once

#include <vector>

#include <wavegrid/eigen/lowest_eigenpairs.hpp>

namespace wavegrid {

/// Numbers the rows in the order of the ranks, counts applications, and after every call of a function of the problem
/// checks that its result is finite and agrees on errors.
template <class S>
class FunctionOperator : public BandOperator<S> {
 public:
  /// `problem` must live as long as the operator. Collective over its ranks.
  explicit FunctionOperator(const EigenProblem<S>& problem);

  void apply(BandView<const S> x, BandView<S> hx) override;
  [[nodiscard]] bool has_overlap() const override { return bool(problem_.overlap); }
  void apply_overlap(BandView<const S> x, BandView<S> sx) override { call("overlap", problem_.overlap, x, sx); }
  [[nodiscard]] std::vector<double> preconditioner_energies(BandView<const S> x) override;
  void precondition(std::span<const double> energies, BandView<S> residuals) override;
  void fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum) override;

  [[nodiscard]] Index applications() const { return applications_; }
  [[nodiscard]] Index first_row() const { return first_row_; }  ///< global number of this rank's first row

 private:
  void call(const char* name, const BlockOperator<S>& function, BandView<const S> x, BandView<S> y);
  void require_finite(const char* name, BandView<const S> y) const;

  const EigenProblem<S>& problem_;
  Comm agreement_;                ///< where errors are agreed on: the communicator of exchanges on that of the problem
  std::vector<double> diagonal_;  ///< above its lowest element on all ranks; empty: none
  bool has_diagonal_ = false;     ///< on any rank
  Index first_row_ = 0;
  Index applications_ = 0;
};

}  // namespace wavegrid
