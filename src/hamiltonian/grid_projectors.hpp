// Projectors on the points of the FFT grid near each atom, applied while bands are on the grid.
//
//   <beta|psi> = sqrt(Omega)/N sum_j beta(r_j) exp(ik.r_j) u(r_j),   r_j from the atom
//   sum_p |beta_p> c_p = forward transform of sqrt(Omega) sum_p c_p beta_p(r_j) exp(-ik.r_j)
//
// with u(r) the backward transform of psi. The work for a projector is that of the points of a sphere instead of that
// of all plane waves. Projectors are filtered (filtered_projectors.hpp); forces and stress are the derivatives of these
// filtered functions at the points, so that they are those of the energy that is computed:
//
//   d beta / d tau_a = -d beta / d r_a,   d (sqrt(Omega) beta) / d eps_ab = sqrt(Omega) (r_b d beta / d r_a + delta_ab
//   beta / 2)
//
// R. D. King-Smith, M. C. Payne, J. S. Lin, Phys. Rev. B 44, 13063 (1991), 10.1103/PhysRevB.44.13063.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include <wavegrid/fft/band_fft.hpp>
#include <wavegrid/hamiltonian/projection.hpp>
#include <wavegrid/hamiltonian/projectors.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// Where bands are distributed, and whether sums over points give the same bits on any number of ranks.
struct GridProjectorOptions {
  const ProcessGroups& groups;
  Comm grid;  ///< the ranks of the grid of a band group
  bool deterministic = false;
  Profile* profile = nullptr;
};

template <class S>
class GridProjectors final : public Projectors<S> {
 public:
  using Real = RealOf<S>;

  /// `fft` is that of the k-point `k` (in units of the reciprocal vectors) and must outlive it; `spheres` may be shared
  /// by all k-points with the same grid. Local.
  GridProjectors(BandFft<Real>& fft, const Vec3& k, const Crystal& crystal, const Pseudopotentials& atoms,
                 std::shared_ptr<ProjectorSpheres<Real>> spheres, const GridProjectorOptions& options);

  void set_crystal(const Crystal& crystal, const Pseudopotentials& atoms) override;
  void set_kpoint(const Vec3& k) override;
  [[nodiscard]] Index num_projectors() const override { return spheres_->num_projectors(); }
  [[nodiscard]] std::vector<Range> atom_projectors() const override;
  [[nodiscard]] const Couplings& couplings() const override { return spheres_->couplings(); }
  [[nodiscard]] bool is_on_grid() const override { return true; }
  [[nodiscard]] std::unique_ptr<GridOperator<Real>> on_grid(const Couplings& d) override;
  [[nodiscard]] Matrix<S> overlaps(const InnerProduct& product, BandView<const S> psi) override;
  /// Takes a pair of transforms: on_grid() is faster.
  void add(const InnerProduct& product, const Matrix<S>& c, BandView<S> out) override;
  /// Block by block of the bands, without a matrix of all projections.
  [[nodiscard]] std::vector<double> expectations(const InnerProduct& product, const Couplings& d,
                                                 BandView<const S> psi) override;
  [[nodiscard]] NonlocalDerivatives derivatives(const InnerProduct& product, BandView<const S> psi,
                                                const BandCouplings& couplings, bool with_strain) override;

  [[nodiscard]] const ProjectorSpheres<Real>& spheres() const { return *spheres_; }

 private:
  [[nodiscard]] ProjectionSetting<Real> setting() const;

  BandFft<Real>& fft_;
  Vec3 k_;
  std::shared_ptr<ProjectorSpheres<Real>> spheres_;
  GridProjectorOptions options_;
  std::vector<std::complex<Real>> phases_;  ///< exp(i k.r) at each point; empty at Gamma
};

}  // namespace wavegrid
