// Electrons in local orbitals: the Kohn-Sham equations in the span of numerical orbitals of the atoms, in boxes.
//
//   sum_j (H_ij - e_n S_ij) C_jn = 0,   H = T + V_nl + V,
//   K_ij = sum_n f_n C_in conj(C_jn),   n(r) = sum_ij K_ij u_i(r) conj(u_j(r))
//
// The orbitals are band-limited to the plane waves of the bands (orbitals/sampled_orbitals.hpp). T and V_nl are
// computed once for a geometry, from plane-wave coefficients; S, V and the density in boxes, so that the density has
// the electrons of the matrices. Where the boxes are the whole cell, all of them are those of plane waves, and the
// energy is an upper bound of theirs; smaller boxes cut the tails off. The bands are there as plane waves too: for
// derivatives, checkpoints, projections, and as start of a plane-wave calculation. Where K is found by purification
// (orbital_kernel.hpp), density and energies are those of K, and the bands are the occupied states in it.
//
// Forces: to the derivatives of the terms come those of the orbitals that move with the atoms, with r_n = (H - e_n)
// psi_n,
//
//   F_a = -2 Re sum_(i at a) sum_n f_n conj(C_in) <d phi_i/d tau_a | r_n>
//
// P. Pulay, Mol. Phys. 17, 197 (1969), 10.1080/00268976900100941.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/boxes/box_exchange.hpp>
#include <wavegrid/discretisation/reports.hpp>
#include <wavegrid/discretisation/setting.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/local_orbital_rules.hpp>
#include <wavegrid/planewaves/orbital_basis.hpp>
#include <wavegrid/planewaves/orbital_kernel.hpp>
#include <wavegrid/planewaves/orbital_optimiser.hpp>
#include <wavegrid/scf/band_potential.hpp>
#include <wavegrid/scf/band_sums.hpp>

namespace wavegrid {

/// Members as ElectronSolver says. For one grid, norm-conserving potentials and bands of one component.
template <class S>
class LocalOrbitalSolver final : public ElectronSolver<GridFields> {
 public:
  /// All references must outlive this object. `problem` has `local_orbitals`. Collective over the world. Throws
  /// bad_input on all ranks if there are fewer orbitals than bands.
  LocalOrbitalSolver(ScfSystem<S, GridFields>& system, const MyBands<S>& bands, const Setting& setting,
                     const Problem& problem);

  void begin(ScfPoint<GridFields>& at, ElectronStates& states) override;
  /// The lowest states of H in `at`, exactly in the span of the functions, which are optimised first where the problem
  /// asks for it. Throws bad_input, on all ranks, if the orbitals are linearly dependent.
  ElectronErrors solve(ScfPoint<GridFields>& at, ElectronStates& states) override;
  ElectronErrors evaluate(ScfPoint<GridFields>& at, ElectronStates& states) override;

  /// Throws bad_input, on all ranks, if purification has filled states of one k-point or spin above empty ones of
  /// another.
  [[nodiscard]] bool verify(const ScfPoint<GridFields>& at, ElectronStates& states, bool small) override;

  [[nodiscard]] ElectronDensity<GridFields>& density() override { return output_; }
  [[nodiscard]] NamedValues<double> energies(const ElectronStates& states) override;
  /// Makes the edges of the gap, the levels and the plane waves of the bands, which large systems do not have.
  void finish_energies(const ScfPoint<GridFields>& at, ElectronStates& states, Energies& energies) override;
  void add_gradients(const Potential& potential, const ElectronStates& states, Gradients& sum) override;
  [[nodiscard]] FieldValues local_density_of_states(const ElectronStates& states) override;
  [[nodiscard]] Index num_bands() const override { return system_.bands_per_k; }
  [[nodiscard]] Index applications() const override { return all_applications() - applications_before_; }

  /// For the result: of the last step. It may outlive the solver. Local.
  [[nodiscard]] std::shared_ptr<const LocalOrbitalReport> report() const { return report_; }

 private:
  /// One k-point and spin.
  struct Set {
    PlaneWaveBands<S>* bands;
    OrbitalFunctions<S>* basis;
    std::unique_ptr<OrbitalOptimiser<S>> optimiser;  ///< null: the functions stay
    std::unique_ptr<OrbitalKernel<S>>* kernel;       ///< of the present functions; null: K is that of the states
    OrbitalStates<S> states{};                       ///< those of the present functions
    KernelReport figures{};                          ///< of the last purification; products of all
  };
  /// The potentials of each spin at the points of the boxes of this rank, Ha.
  using BoxFields = std::vector<std::vector<double>>;

  /// Local.
  [[nodiscard]] bool purifies() const { return problem_.local_orbitals->kernel == DensityKernel::purify; }
  [[nodiscard]] bool optimises() const { return problem_.local_orbitals->optimise; }
  /// Whether functions are values at the points of spheres.
  [[nodiscard]] bool has_spheres() const { return has_all_waves(problem_); }
  [[nodiscard]] std::unique_ptr<OrbitalFunctions<S>> make_functions(const OrbitalSetting& setting,
                                                                    PlaneWaveBands<S>& bands) const;
  /// The plane waves of the bands, which steps of the loop do not need.
  void set_states();
  [[nodiscard]] BoxFields extracted(const Potential& potential);
  /// Functions of which the bands of an earlier geometry or of a file are sums.
  void contain_bands();
  /// Finds the states of all sets, of the same functions.
  void diagonalise(const BoxFields& potential);
  [[nodiscard]] BlockSparse<S> hamiltonian(const Set& set, std::span<const double> potential);
  /// The states of one set by purification.
  [[nodiscard]] OrbitalStates<S> purify(Set& set, const BlockSparse<S>& h);
  /// Completes the figures of purification and, unless they are there or left out, the states one by one.
  void finish(Set& set, std::span<const double> potential);
  /// Of states whose levels are left out: their highest level is the Fermi level.
  void set_edges(ElectronStates& states);
  /// The states of a set whose functions have changed; not definite, with the reason in `fault_`, where purification
  /// finds none.
  [[nodiscard]] OrbitalStates<S> try_states(Set& set, std::span<const double> potential);
  [[nodiscard]] std::unique_ptr<OrbitalOptimiser<S>> make_optimiser(OrbitalFunctions<S>& basis, std::size_t set);
  /// The figures of all sets and k-point groups.
  void report_kernel();
  /// Copies the time that stores of functions have taken into the report. Local.
  void report_sharing();
  /// Makes these the states of a set.
  void take(Set& set, OrbitalStates<S> solution) const;
  /// Improves the functions of all sets.
  void optimise(const Potential& potential, const BoxFields& in_boxes, ElectronStates& states);
  [[nodiscard]] Index all_applications() const;
  void occupy(ElectronStates& states, const Potential& potential);
  /// sum_n w_n C_in conj(C_jn) of the weights of one set.
  [[nodiscard]] BlockSparse<S> density_matrix(const Set& set, const std::vector<double>& weights) const;
  /// sum_n w_n |psi_n|^2 of the bands of a spin at this rank's points.
  [[nodiscard]] FieldValues channel_density(int spin, const std::vector<double>& weights);
  /// Tr K M of a matrix of each basis, over all k-points and spins, Ha.
  [[nodiscard]] double expectation(const BlockSparse<S>& (OrbitalFunctions<S>::*matrix)() const,
                                   const std::vector<double>& occupations);

  ScfSystem<S, GridFields>& system_;
  const Problem& problem_;
  std::vector<std::vector<NumericalOrbital>> species_;  ///< radial functions
  std::vector<double> radii_;                           ///< of the boxes of each species, bohr
  std::shared_ptr<LocalOrbitalReport> report_ = std::make_shared<LocalOrbitalReport>();
  std::vector<Index> order_;  ///< of the crystal's atoms, along a curve: that of layout_
  Crystal crystal_;           ///< with the atoms in this order
  std::unique_ptr<OrbitalLayout> layout_;
  std::unique_ptr<BoxExchange> exchange_;
  /// By k-point, and by spin where functions are optimised; otherwise both spins share them.
  std::map<std::pair<int, int>, std::unique_ptr<OrbitalFunctions<S>>> bases_;
  std::map<std::pair<int, int>, std::unique_ptr<OrbitalKernel<S>>> kernels_;  ///< of bases, for purification
  std::vector<Set> sets_;
  BandPotential<S, GridFields> potential_;
  BandSums<S, GridFields> sums_;
  ElectronDensity<GridFields> output_;
  std::string fault_;          ///< of the last purification without a result
  double minus_ts_ = 0;        ///< Ha
  double density_error_ = 0;   ///< of the last step, Ha
  double orbital_error_ = 0;   ///< of the functions, Ha
  bool is_first_ = true;       ///< the next step of the loop
  Index applications_before_;  ///< of H, by earlier loops on the same operators
};

extern template class LocalOrbitalSolver<double>;
extern template class LocalOrbitalSolver<std::complex<double>>;

}  // namespace wavegrid
