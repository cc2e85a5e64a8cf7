// The Kohn-Sham Hamiltonian of one k-point: H = -1/2 grad^2 + V(r) + V_nl.
#pragma once

#include <span>
#include <vector>

#include "base/profile.hpp"
#include "fft/sphere_fft.hpp"
#include "linalg/subspace.hpp"
#include "terms/nonlocal_potential.hpp"

namespace wavegrid {

/// Applies H to blocks of bands; knows its plane waves, its transform and the potential of the moment. Collective
/// throughout. V(r) is this rank's block of the grid (my x, my y, nz), Ha.
template <class S>
class Hamiltonian {
 public:
  /// `profile` may be null.
  Hamiltonian(const PlaneWaves& waves, SphereFft<double>& fft, const NonlocalPotential<S>& nonlocal, const Comm& comm,
              Profile* profile);

  /// Bytes of the potential on `points` points and of the work array of apply_change. Pure.
  [[nodiscard]] static double bytes(Index rows, Index points) {
    return static_cast<double>(points) * sizeof(double) + Bands<S>::bytes(rows, change_block);
  }

  /// Books the time until the guard dies under `phase`, but for what H itself books; empty without a profile.
  [[nodiscard]] Profile::Guard time(Phase phase) { return {profile_, phase}; }
  /// Replaces V(r).
  void set_potential(std::vector<double> potential) { potential_ = std::move(potential); }
  [[nodiscard]] const std::vector<double>& potential() const { return potential_; }

  /// out = H psi.
  void apply(BandView<const S> psi, BandView<S> out);
  /// out += change(r) psi: brings H psi up to date after a change of the potential, without projectors.
  void apply_change(std::span<const double> change, BandView<const S> psi, BandView<S> out);

  [[nodiscard]] const InnerProduct& product() const { return product_; }
  [[nodiscard]] const PlaneWaves& waves() const { return waves_; }
  [[nodiscard]] SphereFft<double>& fft() { return fft_; }
  [[nodiscard]] Index rows() const { return waves_.size() * ScalarTraits<S>::rows_per_wave; }
  /// sum_G |k+G|^2/2 |psi|^2 per band, Ha.
  [[nodiscard]] std::vector<double> kinetic_energies(BandView<const S> psi) const;

  /// Bands to which H was applied, refreshes by a change of potential included (one backward and one forward
  /// transform each), and those with projectors.
  [[nodiscard]] Index applications() const { return applications_; }
  [[nodiscard]] Index nonlocal_applications() const { return nonlocal_applications_; }

 private:
  static constexpr Index change_block = 32;  ///< bands that apply_change takes at a time
  const PlaneWaves& waves_;
  SphereFft<double>& fft_;
  const NonlocalPotential<S>& nonlocal_;
  InnerProduct product_;
  Profile* profile_;
  std::vector<double> potential_;
  AlignedVector<S> scratch_;
  Index applications_ = 0;
  Index nonlocal_applications_ = 0;
};

}  // namespace wavegrid
