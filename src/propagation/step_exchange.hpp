// Exact exchange of bands in a step of the implicit midpoint rule. E_x is of second degree in the density matrix P of
// the bands, as the Hartree energy is in the density, so that the mean of V_x at both ends of a step is the derivative
// of E_x in it:
//
//   E_x[P(t + dt)] - E_x[P(t)] = Tr (P(t + dt) - P(t)) (V_x[P(t)] + V_x[P(t + dt)])/2
//
// The step applies it to the bands of its middle alone, on whose span the compressed operator is exact
// (scf/compressed_exchange.hpp): W. Jia, L. Lin, Comput. Phys. Commun. 240, 21 (2019), 10.1016/j.cpc.2019.02.009.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Members are collective over the world; bands are the occupied ones of each k-point and spin of this rank.
class StepExchange {
 public:
  using Views = std::vector<BandView<const std::complex<double>>>;

  StepExchange() = default;
  StepExchange(const StepExchange&) = delete;
  StepExchange& operator=(const StepExchange&) = delete;
  virtual ~StepExchange() = default;

  /// Gives the operators V_x of these bands on their span; returns its energy, Ha.
  virtual double set_present(const Views& bands) = 0;
  /// Gives them the mean of V_x of the bands at both ends of a step on the span of those of the middle. Returns the
  /// root mean square over the electrons of what it changes of V_x middle, Ha.
  virtual double set_mean(const Views& begin, const Views& end, const Views& middle) = 0;
};

}  // namespace wavegrid
