// What one self-consistency step does to the bands, by eigensolver.
#pragma once

#include <limits>
#include <span>

#include "scf/eigen_state.hpp"
#include "scf/lobpcg.hpp"

namespace wavegrid {

enum class Eigensolver {
  rmm_diis,  ///< LOBPCG in the first step, residual minimisation afterwards; LOBPCG again where that stagnates
  lobpcg,    ///< LOBPCG with its directions carried over the steps
  davidson,  ///< block Davidson, restarted in every step
};

/// Improves the bands in the potential of the moment, step after step.
template <class S>
class BandSolver {
 public:
  explicit BandSolver(Eigensolver kind) : kind_(kind), lobpcg_(kind != Eigensolver::davidson) {}

  /// One round of the eigensolver; afterwards X is orthonormal and X^H H X diagonal. Collective.
  void improve(Hamiltonian<S>& h, EigenState<S>& state);
  /// Brings HX (and what else is kept) up to date after V changed by `change`. Collective.
  void potential_changed(Hamiltonian<S>& h, EigenState<S>& state, std::span<const double> change);
  /// Tells the error of the bands after the last round, so that a stagnating method can be exchanged.
  void judge(double band_error);
  /// Forgets the past, after bands were replaced from outside.
  void restart();

 private:
  Eigensolver kind_;
  Lobpcg<S> lobpcg_;
  int rounds_ = 0;
  bool stagnates_ = false;
  double last_error_ = std::numeric_limits<double>::max();
};

}  // namespace wavegrid
