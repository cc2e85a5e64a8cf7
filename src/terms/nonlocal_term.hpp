// The nonlocal part of the pseudopotentials as the Hamiltonian of a k-point uses it: in reciprocal space
// (nonlocal_potential.hpp) or on the FFT grid (grid_projectors.hpp).
#pragma once

#include <span>
#include <vector>

#include "atoms/crystal.hpp"
#include "atoms/pseudopotentials.hpp"
#include "fft/band_fft.hpp"
#include "linalg/bands.hpp"
#include "linalg/inner_product.hpp"
#include "scf/operator_potential.hpp"

namespace wavegrid {

/// Derivatives of the nonlocal energy of some bands.
struct NonlocalDerivatives {
  double energy = 0;         ///< E itself, Ha
  std::vector<Vec3> forces;  ///< -dE/dtau_a, Cartesian, Ha/bohr
  Mat3 strain{};             ///< dE/d eps_ab, Ha, symmetric; zero unless requested
};

/// V_nl of one k-point. Members are collective over the k-point group unless they say "local".
template <class S>
class NonlocalTerm {
 public:
  NonlocalTerm() = default;
  virtual ~NonlocalTerm() = default;

  /// Projectors on other positions of the same atoms in the same cell. Local.
  virtual void set_crystal(const Crystal& crystal, const Pseudopotentials& atoms) = 0;

  /// out = V psi with the potential on the grid, and V_nl psi added if that is computed there; `fft` is that of the
  /// k-point.
  virtual void apply_local(BandFft<RealOf<S>>& fft, const OperatorPotential<RealOf<S>>& potential,
                           BandView<const S> psi, BandView<S> out) = 0;
  /// out += V_nl psi, unless apply_local() has done so.
  virtual void apply(const InnerProduct& product, BandView<const S> psi, BandView<S> out) = 0;
  /// <psi|V_nl|psi> of each band, Ha; the same on all ranks.
  [[nodiscard]] virtual std::vector<double> energies(const InnerProduct& product, BandView<const S> psi) = 0;
  /// Derivatives of the energy of bands with `occupations` in electrons, the weight of the k-point included; the same
  /// on all ranks. For double precision.
  [[nodiscard]] virtual NonlocalDerivatives derivatives(const InnerProduct& product, BandView<const S> psi,
                                                        std::span<const double> occupations, bool with_strain) = 0;

 protected:  // copied and moved through the concrete class only
  NonlocalTerm(const NonlocalTerm&) = default;
  NonlocalTerm(NonlocalTerm&&) = default;
  NonlocalTerm& operator=(const NonlocalTerm&) = default;
  NonlocalTerm& operator=(NonlocalTerm&&) = default;
};

}  // namespace wavegrid
