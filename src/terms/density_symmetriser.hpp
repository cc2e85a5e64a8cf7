// The average of a density over a space group, in reciprocal space.
//
//   rho_sym(r) = 1/N sum rho(W^-1 (r - w)),   rho_sym(G) = 1/N sum rho(W^T G) exp(-i G.w)   over the N operations {W|w}
//
// For a star of m different members G_s = W_s^T G_1 this is rho_sym(G_1) = 1/m sum_s rho(G_s) exp(-i G_1.w_s), and
// rho_sym(G_s) = rho_sym(G_1) exp(+i G_1.w_s); if the phases of different operations contradict each other it is 0
// (crystal/g_stars.hpp).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include <wavegrid/crystal/g_stars.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/terms/star_phases.hpp>

namespace wavegrid {

/// Symmetrises fields whose coefficients are distributed as those of a GridFft: each star is sent to one rank and
/// back.
///
/// On a grid that is invariant under every operation the result is, to rounding, the average of the values at the grid
/// points, Nyquist planes included: real fields stay real, the integral is preserved, a second call changes nothing.
/// The result does not depend on the number of ranks, bit for bit. Time and memory of a call are proportional to this
/// rank's coefficients and do not depend on the number of operations.
class DensitySymmetriser {
 public:
  using Complex = std::complex<double>;

  /// Collective over fft.comm(). Throws an internal error if the grid is not invariant under the group (see
  /// compatible_subgroup()).
  DensitySymmetriser(const GridFft& fft, const SpaceGroup& group, Transport transport = Transport::alltoallv);

  /// In place, `fields` consecutive arrays ordered as fft.waves(). Collective, all ranks with the same number of
  /// fields; no work if the group is the identity. Allocates only if there are more fields than in any earlier call.
  void symmetrise(Complex* coefficients, Index fields = 1);
  void symmetrise(GridFft::Coefficients& density) { symmetrise(density.data()); }

  /// Whether there is nothing to do.
  [[nodiscard]] bool is_identity() const { return !plan_; }

 private:
  struct Action {
    Int3 translation;  // of the first operation of a rotation, in grid steps
    bool moves;
  };

  void prepare(const GridFft& fft, const SpaceGroup& group, Transport transport);
  void average(Complex* members) const;

  Int3 grid_;
  Index my_size_;                     // coefficients of this rank
  GStars stars_;                      // without its list of members, which only the plan needs
  std::vector<Action> actions_;       // of each rotation
  StarPhases phases_;                 // exp(-i G.w)
  std::optional<ExchangePlan> plan_;  // none for the identity
  std::vector<Complex> members_;
};

}  // namespace wavegrid
