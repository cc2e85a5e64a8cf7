// Local orbitals that are 0 outside a sphere around their atom, with any values at the grid points inside.
//
//   S_ij = dV sum_r conj(u_i(r)) u_j(r),   V_ij = dV sum_r conj(u_i) V u_j at the points of the density's grid,
//   T_ij = dV sum_r conj(u_i) (T u_j)(r),  T = q^2/2 on the waves of a box of the points of several spheres,
//   V_nl = sum_p |p> D <p|,                <p|u> = dV sum_r conj(p(r)) u(r), projectors in boxes (box_projectors.hpp)
//
// A function is a sum of all waves of the grid (psinc functions, its values are their coefficients), not of those up to
// ecut. Where a box would be longer than the cell it is the cell. Boxes for T have the same size for all atoms, so that
// T is Hermitian; T_ij is 0 where the spheres' boxes have no common points. With spheres of the whole cell, energies
// are those of plane waves with all waves of the grid, which are lower than those of the waves up to ecut; they fall as
// the radius grows, because larger spheres allow all functions of smaller ones.
//
// The gradient is restricted to the points of the spheres, which is exact:
//
//   g_i(r) = sum_j [(T + V) u_j K_ji - u_j M_ji](r) + sum_p p(r) (D P K)_pi,   M_ji = sum_n f_n e_n C_jn conj(C_in)
//
// C.-K. Skylaris and others, Phys. Rev. B 66, 035119 (2002), 10.1103/PhysRevB.66.035119 (boxes);
// J. Chem. Phys. 122, 084119 (2005), 10.1063/1.1839852.
//
// Forces: points do not move with the atoms. So the derivatives are those at fixed functions, of the terms of the
// density and of the projectors, at any optimum; a point that enters or leaves a sphere makes a step in the energy.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/orbitals/box_filter.hpp>
#include <wavegrid/orbitals/box_projectors.hpp>
#include <wavegrid/orbitals/line_kinetic.hpp>
#include <wavegrid/orbitals/orbital_spheres.hpp>
#include <wavegrid/planewaves/orbital_basis.hpp>

namespace wavegrid {

/// Members as OrbitalFunctions says. Changes are (values of this rank's functions in boxes, 1).
template <class S>
class SphereOrbitals final : public OrbitalFunctions<S> {
 public:
  /// The numerical orbitals of all atoms, taken to 0 at the radii (bohr, of each species), which are those of the
  /// layout.
  SphereOrbitals(const OrbitalSetting& setting, PlaneWaveBands<S>& bands, const std::vector<double>& radii);

  [[nodiscard]] const BlockSparse<S>& overlaps() const override { return *s_; }
  [[nodiscard]] const BlockSparse<S>& kinetic() const override { return *t_; }
  [[nodiscard]] const BlockSparse<S>& fixed() const override { return *fixed_; }

  [[nodiscard]] BlockSparse<S> hamiltonian(std::span<const double> potential) override;
  [[nodiscard]] SubspaceSolution<S> solve(const BlockSparse<S>& h, Index count) const override {
    return lowest_states<S>(setting_, whole_matrix(h), whole_matrix(*s_), count);
  }
  [[nodiscard]] BlockSparse<S> density_matrix(const Matrix<S>& c, std::span<const double> weights) const override {
    return weighted_blocks<S>(setting_.groups.kpoint_group(), setting_.layout, fixed_->pattern(), c, weights);
  }
  void add_density(const BlockSparse<S>& k, std::span<double> values) override { functions_->add_density(k, values); }
  /// The waves up to ecut of the states: not quite orthonormal.
  void set_states(const Matrix<S>& c, BandView<S> x) override;

  /// Does nothing: bands of the whole cell are no sums of functions in spheres.
  void contain(BandView<const S> /*bands*/) override {}
  void add(double factor, BandView<const S> change) override;
  double find_gradient(std::span<const double> potential, std::span<const double> occupations,
                       const OrbitalStates<S>& solution, Bands<S>& gradient) override;
  /// Restricted to the spheres.
  [[nodiscard]] Bands<S> preconditioned(const Bands<S>& gradient, const BlockSparse<S>& x, double kinetic) override;
  [[nodiscard]] double product(const Bands<S>& a, const Bands<S>& b) const override;
  void add_forces(std::span<const double> occupations, const SubspaceSolution<S>& solution,
                  std::vector<double>& forces) override;
  [[nodiscard]] Index applications() const override { return applications_; }
  [[nodiscard]] FunctionTraffic traffic() const override { return functions_->traffic(); }

 private:
  [[nodiscard]] Range mine() const { return setting_.layout.atoms(setting_.groups.kpoint_group().rank()); }
  /// T by transforms of wide boxes: with vectors that are not perpendicular.
  [[nodiscard]] OrbitalOperator<S> transformed_kinetic();
  /// Applies an operator of the near boxes to changes, which it restricts to the spheres.
  void filter(const std::vector<double>& kernel, std::span<S> values);
  /// K, and minus sum_n f_n e_n C_n C_n^H.
  [[nodiscard]] std::pair<BlockSparse<S>, BlockSparse<S>> density_matrices(std::span<const double> occupations,
                                                                           const OrbitalStates<S>& solution) const;
  /// T, V_nl and S of the present functions.
  void set_fixed();
  /// values, box after box, times a factor of each point that all functions of an atom share.
  void multiply(const std::vector<double>& factors, std::span<S> values) const;

  OrbitalSetting setting_;
  PlaneWaveBands<S>& bands_;
  SphereRows rows_;
  WideBoxes wide_, near_;                    ///< of T; of the preconditioner
  std::optional<BoxFilter<S>> wide_filter_;  ///< of T, where lines do not do
  std::optional<LineKinetic<S>> lines_;
  std::vector<double> kinetic_kernel_;             ///< of wide_filter_
  std::vector<OrbitalOperator<S>> kinetic_parts_;  ///< T
  BoxFilter<S> near_filter_;
  std::vector<double> near_kinetic_;  ///< q^2/2 of the waves of near boxes, Ha
  BoxProjectors<S> projectors_;
  std::vector<double> inside_;  ///< 1 or 0 at each point of this rank's boxes
  std::unique_ptr<BoxOrbitals<S>> functions_, gradient_;
  std::optional<BlockSparse<S>> s_, t_, fixed_;
  ProjectorBlocks<S> projections_;
  std::unique_ptr<GatheredOrbitals<S>> waves_;  ///< once plane waves were asked for
  Index applications_ = 0;
};

extern template class SphereOrbitals<double>;
extern template class SphereOrbitals<std::complex<double>>;

}  // namespace wavegrid
