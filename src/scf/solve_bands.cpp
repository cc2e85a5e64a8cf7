#include "scf/solve_bands.hpp"

#include <algorithm>

#include "scf/missed_states.hpp"

namespace wavegrid {

namespace {

constexpr double tolerance = 1e-9;  ///< Ha
constexpr double gap = 0.1;         ///< Ha
constexpr int max_rounds = 200;

/// Largest |R|^2 / gap of the wanted bands.
template <class S>
double largest_error(Hamiltonian<S>& h, EigenState<S>& state, Index wanted) {
  Bands<S> r(state.x.rows(), wanted);
  residuals<S>(state.x.view().slice(0, wanted), state.hx.view().slice(0, wanted), state.values.data(), r.view());
  const std::vector<double> norms = squared_norms<S>(h.product(), r.view());
  return *std::max_element(norms.begin(), norms.end()) / gap;
}

}  // namespace

template <class S>
Index with_guard_bands(Index wanted, const Hamiltonian<S>& h) {
  const Index dimension = h.product().comm.sum(h.rows());
  return std::clamp(wanted + std::max<Index>(4, wanted / 5), wanted, std::max(wanted, dimension / 4));
}

template <class S>
FixedBands solve_bands(KPointBands<S>& bands, const std::vector<double>& potential, const BandStart<S>& start,
                       Index wanted) {
  const std::vector<RealOf<S>> values(potential.begin(), potential.end());
  bands.h.set_potential(values);
  bands.state = start(bands);
  FixedBands solved{{}, 1.0, false};
  for (int round = 0; round < max_rounds && !solved.converged; ++round) {
    bands.solver.improve(bands.h, bands.state);
    solved.error = largest_error(bands.h, bands.state, wanted);
    if (solved.error > tolerance) continue;
    std::vector<double> filling(static_cast<std::size_t>(bands.state.x.count()), 0.0);
    std::fill_n(filling.begin(), wanted, 1.0);
    solved.converged = recover_missed_states(bands.h, bands.state, filling) == 0;
    if (!solved.converged) bands.solver.restart();
  }
  bands.h.set_potential({});
  solved.values.assign(bands.state.values.begin(), bands.state.values.begin() + wanted);
  return solved;
}

#define WAVEGRID_INSTANTIATE(S)                                     \
  template Index with_guard_bands<S>(Index, const Hamiltonian<S>&); \
  template FixedBands solve_bands<S>(KPointBands<S>&, const std::vector<double>&, const BandStart<S>&, Index);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
