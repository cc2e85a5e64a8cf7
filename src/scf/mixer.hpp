// Density mixing by what earlier steps have shown, preconditioned and damped.
//
//   rho_next = sum_i c_i rho_i + a P sum_i c_i F_i,   F = rho_out - rho_in,   sum_i c_i = 1
//
// Pulay's direct inversion in the iterative subspace takes the c of least |sum_i c_i F_i|. Broyden's second method
// corrects the inverse Jacobian -a P by one rank for each difference of neighbouring steps; applied to the latest F,
// that takes its part along each difference away, the latest difference first.
//
// P is a preconditioner (preconditioner.hpp). A magnetisation is mixed along with the electrons, with the same c_i; it
// does not screen itself as charge does, so its P is 1. The amplitude a is halved, and the history forgotten, where F
// grows; it returns to the wanted one as F falls.
//
// P. Pulay, Chem. Phys. Lett. 73, 393 (1980), 10.1016/0009-2614(80)80396-4; C. G. Broyden, Math. Comp. 19, 577 (1965),
// 10.1090/S0025-5718-1965-0198670-6, Eq. (4.5); G. P. Srivastava, J. Phys. A 17, L317
// (1984), 10.1088/0305-4470/17/6/002.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "fft/grid_fft.hpp"
#include "scf/preconditioner.hpp"
#include "terms/spin_density.hpp"

namespace wavegrid {

enum class MixingMethod { pulay, broyden };

struct MixerOptions {
  MixingMethod method = MixingMethod::pulay;
  double amplitude = 1.0;
  std::optional<PreconditionerKind> preconditioner = std::nullopt;  ///< none: by choose_preconditioner(), before mixing
  double k0 = 1.2;                                                  ///< 1/bohr, of kerker
  double epsilon = 10;                                              ///< of dielectric
  int history = 8;                                                  ///< 1 is linear mixing
};

/// Proposes the next input density from pairs of input and output densities on this rank's G of the box.
class Mixer {
 public:
  /// `grid` must outlive this object.
  Mixer(GridFft& grid, const MixerOptions& options, int spins);

  /// Bytes after `steps` steps on `waves` G of the box. Pure.
  [[nodiscard]] static double bytes(Index waves, const MixerOptions& options, int steps, int spins);

  [[nodiscard]] const MixerOptions& options() const { return options_; }

  /// Collective. The number of electrons, G = 0, stays that of `input`; the moment moves. `ldos`, the local density of
  /// states at the Fermi level, is needed by that preconditioner alone.
  [[nodiscard]] SpinCoefficients next(const SpinCoefficients& input, const SpinCoefficients& output,
                                      const std::vector<double>& ldos = {});

 private:
  struct Pair {
    SpinCoefficients input, change;
  };
  void adapt();
  void forget_oldest();
  [[nodiscard]] double dot(const SpinCoefficients& a, const SpinCoefficients& b) const;
  [[nodiscard]] std::vector<double> weights() const;
  [[nodiscard]] std::vector<double> pulay_weights() const;
  [[nodiscard]] std::vector<double> broyden_weights() const;
  [[nodiscard]] SpinCoefficients combined(const std::vector<double>& weight, SpinCoefficients Pair::*part) const;

  GridFft& grid_;
  MixerOptions options_;
  double amplitude_;
  double smallest_ = 0;  ///< |F|^2 since the amplitude was last changed; 0 at the start
  /// By which differences are judged, by component: 1/G^2, 0 at G = 0, their electrostatic energy; for the
  /// magnetisation at most 1.
  std::vector<std::vector<double>> metric_;
  std::deque<Pair> history_;
  std::deque<std::deque<double>> products_;  ///< <F_i|F_j>
};

}  // namespace wavegrid
