// The eigensolvers as used by a self-consistency loop: one or more rounds per step, and the choice of the method
// of each round.
#pragma once

#include <limits>
#include <span>
#include <string>

#include <wavegrid/eigen/chebyshev.hpp>
#include <wavegrid/eigen/davidson.hpp>
#include <wavegrid/eigen/lobpcg.hpp>

namespace wavegrid {

enum class Eigensolver {
  rmm_diis,   ///< residual minimisation; LOBPCG at the start, at the end and where it stagnates
  lobpcg,     ///< LOBPCG that keeps its search directions between steps
  davidson,   ///< block Davidson, restarted in every step, with LOBPCG at the end
  chebyshev,  ///< a Chebyshev filter in every step, LOBPCG where it stagnates
};

/// The name used in input and output, such as "rmm-diis".
[[nodiscard]] const char* to_string(Eigensolver kind);

/// Improves the bands in the present potential, round by round.
template <class S>
class BandSolver {
 public:
  /// Solvers that run one after the other may share `work`, arrays whose contents are needed within one round only.
  explicit BandSolver(Eigensolver kind, std::shared_ptr<Directions<S>> work = std::make_shared<Directions<S>>())
      : kind_(kind), lobpcg_(std::move(work)) {}

  /// Bytes of the bands of `sets` k-points and spins and of all that a round needs at its peak: arrays of bands, and
  /// matrices. `polynomial_arrays`: arrays of bands that the operator's apply_polynomial() takes in addition.
  /// `with_overlap`: S X is kept, too. Pure.
  struct Bytes {
    double arrays = 0, matrices = 0;
    double filter = 0;  ///< of `arrays`, what is freed at the end of a Chebyshev filter
  };
  [[nodiscard]] static Bytes bytes(Eigensolver kind, Index rows, Index bands, Index sets, int polynomial_arrays = 1,
                                   bool with_overlap = false);

  /// One round of the eigensolver; afterwards X is S-orthonormal and X^H H X diagonal. Collective.
  void improve(BandOperator<S>& op, EigenState<S>& state);
  /// Updates HX (and other data of the solver) after V changed by `change`. Collective.
  void potential_changed(BandOperator<S>& op, EigenState<S>& state, std::span<const RealOf<S>> change);
  /// Bands with smaller residuals are locked from now on. Empty: none.
  void lock_below(LockBounds bounds) { bounds_ = std::move(bounds); }
  /// Uses the result of the last round: the error estimate of the bands, and that of the whole loop in units of its
  /// tolerance.
  ///
  /// A small residual hides errors along states close in energy. RMM-DIIS and Davidson leave many of them (measured: an
  /// energy error of up to 150 times the estimate on a distorted crystal); LOBPCG steps, which keep their directions,
  /// remove them, and a Chebyshev filter damps all states beyond its guards alike. So the last rounds before
  /// convergence use LOBPCG unless the method is one of these, and only their estimate counts (decision 0002). Where
  /// the first round is already close, as with bands of an earlier geometry, all rounds do.
  void update_convergence(double band_error, double distance);
  /// True where the last round's residuals bound the error of the energy.
  [[nodiscard]] bool residual_is_reliable() const { return reliable_; }
  /// Drops all data of earlier rounds, after the bands were replaced.
  void restart();

 private:
  void start(BandOperator<S>& op, EigenState<S>& state);
  void go_on(BandOperator<S>& op, EigenState<S>& state);
  void finish(BandOperator<S>& op, EigenState<S>& state);

  Eigensolver kind_;
  Lobpcg<S> lobpcg_;
  Davidson<S> davidson_;
  Chebyshev<S> chebyshev_;
  LockBounds bounds_;
  Index bands_ = 0;
  int rounds_ = 0;
  int stagnations_ = 0;  ///< rounds in a row that did not halve the error of the bands
  bool began_close_ = false;
  bool finishing_ = false;  ///< the next round uses LOBPCG
  bool reliable_ = true;
  double last_error_ = std::numeric_limits<double>::max();
  double last_distance_ = std::numeric_limits<double>::max();
};

}  // namespace wavegrid
