// The projectors of a crystal at one k-point: on plane waves (nonlocal_potential.hpp) or on the FFT grid
// (grid_projectors.hpp). What couples them is not theirs: see couplings.hpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/fft/grid_operator.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/terms/couplings.hpp>

namespace wavegrid {

/// Derivatives of the nonlocal energy of some bands.
struct NonlocalDerivatives {
  double energy = 0;         ///< sum_n f_n <psi_n|p> (D - e_n q) <p|psi_n>: without overlaps the energy itself, Ha
  std::vector<Vec3> forces;  ///< -dE/dtau_a, Cartesian, Ha/bohr
  Mat3 strain{};             ///< dE/d eps_ab, Ha, symmetric; zero unless requested
};

/// Members are collective over the k-point group unless they say "local".
template <class S>
class Projectors {
 public:
  using Real = RealOf<S>;

  Projectors() = default;
  virtual ~Projectors() = default;

  /// Projectors on other positions of the same atoms in the same cell. Local.
  virtual void set_crystal(const Crystal& crystal, const Pseudopotentials& atoms) = 0;
  /// Those of another point k, in units of the reciprocal vectors, with plane waves that have been shifted to it.
  /// Local.
  virtual void set_kpoint(const Vec3& k) = 0;

  [[nodiscard]] virtual Index num_projectors() const = 0;
  /// Components of a band, one after the other in its rows: 2 for spinors. Local.
  [[nodiscard]] virtual int components() const { return 1; }
  /// The projectors of each atom of the crystal. Local.
  [[nodiscard]] virtual std::vector<Range> atom_projectors() const = 0;
  /// The couplings that the pseudopotentials give, Ha: diagonal, or D0 of ultrasoft ones. Local.
  [[nodiscard]] virtual const Couplings& couplings() const = 0;
  /// The q of S = 1 + sum |p> q <p| that the pseudopotentials give; null: S = 1. Local.
  [[nodiscard]] virtual const Couplings* charges() const { return nullptr; }

  /// <p|psi>, (projectors of each component in turn, bands); the same on all ranks.
  [[nodiscard]] virtual Matrix<S> overlaps(const InnerProduct& product, BandView<const S> psi) = 0;
  /// out += sum |p> c for coefficients in the same order that are the same on all ranks.
  virtual void add(const InnerProduct& product, const Matrix<S>& c, BandView<S> out) = 0;
  /// <psi|p> D <p|psi> of each band, Ha; the same on all ranks.
  [[nodiscard]] virtual std::vector<double> expectations(const InnerProduct& product, const Couplings& d,
                                                         BandView<const S> psi);
  /// Whether they are applied to bands on the grid, by an operator that on_grid() makes. Local.
  [[nodiscard]] virtual bool is_on_grid() const { return false; }
  /// sum |p> D <p| for bands on the grid, or null where projectors are applied on plane waves. Refers to `d`. Local.
  [[nodiscard]] virtual std::unique_ptr<GridOperator<Real>> on_grid(const Couplings& /*d*/) { return nullptr; }
  /// Derivatives of the energy of bands; the same on all ranks. For double precision.
  [[nodiscard]] virtual NonlocalDerivatives derivatives(const InnerProduct& product, BandView<const S> psi,
                                                        const BandCouplings& couplings, bool with_strain) = 0;

 protected:  // copied and moved through the concrete class only
  Projectors(const Projectors&) = default;
  Projectors(Projectors&&) = default;
  Projectors& operator=(const Projectors&) = default;
  Projectors& operator=(Projectors&&) = default;
};

template <class S>
std::vector<double> Projectors<S>::expectations(const InnerProduct& product, const Couplings& d,
                                                BandView<const S> psi) {
  std::vector<double> values(static_cast<std::size_t>(psi.count), 0.0);
  if (num_projectors() == 0) return values;
  Matrix<S> c = overlaps(product, psi);
  d.add_expectations<S>(projections_in(c, components()), values);
  return values;
}

}  // namespace wavegrid
