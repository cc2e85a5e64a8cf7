#include "scf/band_solver.hpp"

#include <algorithm>

#include "scf/rmm_diis.hpp"

namespace wavegrid {

namespace {

constexpr int start_steps = 2;  ///< LOBPCG or Davidson steps in the first round
constexpr int rmm_steps = 2;    ///< residual minimisations per round

}  // namespace

template <class S>
typename BandSolver<S>::Bytes BandSolver<S>::bytes(Eigensolver kind, Index rows, Index bands) {
  const bool carries = kind != Eigensolver::davidson;
  double work = Lobpcg<S>::bytes(rows, bands, carries);
  if (kind == Eigensolver::rmm_diis) work = std::max(work, rmm_diis_bytes<S>(rows, bands, rmm_steps));
  return {2 * Bands<S>::bytes(rows, bands) + work, Lobpcg<S>::step_bytes(rows, bands, carries)};
}

template <class S>
void BandSolver<S>::improve(Hamiltonian<S>& h, EigenState<S>& state) {
  const auto guard = h.time(Phase::linear_algebra);
  const bool first = rounds_++ == 0;
  honest_ = ritz_steps_;
  if (!ritz_steps_) {
    lobpcg_.restart();
    rayleigh_ritz(h, state);
    rmm_diis(h, state, rmm_steps);
    return;
  }
  const int steps = first || kind_ == Eigensolver::davidson ? start_steps : 1;
  for (int s = 0; s < steps; ++s) lobpcg_.step(h, state);
}

template <class S>
void BandSolver<S>::potential_changed(Hamiltonian<S>& h, EigenState<S>& state, std::span<const RealOf<S>> change) {
  h.apply_change(change, state.x.view(), state.hx.view());
  if (ritz_steps_)
    lobpcg_.potential_changed(h, change);
  else
    lobpcg_.restart();
}

template <class S>
void BandSolver<S>::judge(double band_error, bool near_end) {
  const bool stagnates = rounds_ > 1 && band_error > 0.5 * last_error_;
  ritz_steps_ = kind_ != Eigensolver::rmm_diis || near_end || stagnates;
  last_error_ = band_error;
}

template <class S>
void BandSolver<S>::restart() {
  lobpcg_.restart();
  rounds_ = 0;
  ritz_steps_ = honest_ = true;
  last_error_ = std::numeric_limits<double>::max();
}

#define WAVEGRID_INSTANTIATE(S) template class BandSolver<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
