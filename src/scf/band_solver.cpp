#include "scf/band_solver.hpp"

#include "scf/rmm_diis.hpp"

namespace wavegrid {

namespace {

constexpr int start_steps = 2;  ///< LOBPCG or Davidson steps in the first round
constexpr int rmm_steps = 2;    ///< residual minimisations per round

}  // namespace

template <class S>
void BandSolver<S>::improve(Hamiltonian<S>& h, EigenState<S>& state) {
  const auto guard = h.time(Phase::linear_algebra);
  const bool first = rounds_++ == 0;
  if (kind_ == Eigensolver::rmm_diis && !first && !stagnates_) {
    lobpcg_.restart();
    rayleigh_ritz(h, state);
    rmm_diis(h, state, rmm_steps);
    return;
  }
  const int steps = first || kind_ == Eigensolver::davidson ? start_steps : 1;
  for (int s = 0; s < steps; ++s) lobpcg_.step(h, state);
}

template <class S>
void BandSolver<S>::potential_changed(Hamiltonian<S>& h, EigenState<S>& state, std::span<const double> change) {
  h.apply_change(change, state.x.view(), state.hx.view());
  if (kind_ == Eigensolver::rmm_diis && !stagnates_)
    lobpcg_.restart();
  else
    lobpcg_.potential_changed(h, change);
}

template <class S>
void BandSolver<S>::judge(double band_error) {
  stagnates_ = rounds_ > 1 && band_error > 0.5 * last_error_;
  last_error_ = band_error;
}

template <class S>
void BandSolver<S>::restart() {
  lobpcg_.restart();
  rounds_ = 0;
  stagnates_ = false;
  last_error_ = std::numeric_limits<double>::max();
}

template class BandSolver<double>;
template class BandSolver<std::complex<double>>;

}  // namespace wavegrid
