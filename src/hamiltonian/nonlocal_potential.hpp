// Projectors of separable pseudopotentials in reciprocal space: one matrix product over all of them.
//
//   V_nl = sum_a sum_lm sum_ij |beta_a,lm,i> h_l,ij <beta_a,lm,j|
//   beta_a,lm,i(G) = (-i)^l / sqrt(Omega) p_l,i(|k+G|) Y_lm(k+G) exp(-i(k+G).tau_a)
//
// h_l is diagonalised once, so that the couplings of the combined projectors are diagonal. Spinors are projected
// component by component, with the couplings of spinor_couplings.hpp in between.
// C. Hartwigsen, S. Goedecker, J. Hutter, Phys. Rev. B 58, 3641 (1998), 10.1103/PhysRevB.58.3641.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/hamiltonian/atomic_functions.hpp>
#include <wavegrid/hamiltonian/combined_orbitals.hpp>
#include <wavegrid/hamiltonian/projectors.hpp>
#include <wavegrid/terms/local_potential.hpp>

namespace wavegrid {

/// Memory for projectors. k-points that are processed one after the other may share it: each computes its projectors
/// again when they are needed.
template <class S>
struct ProjectorMemory {
  Bands<S> projectors;
  int num_users = 0;  ///< potentials that share it
  int owner = -1;     ///< number of the potential that the stored projectors belong to
};

/// The projectors of a crystal on this rank's plane waves of one k-point; memory O(my plane waves x projectors).
template <class S>
class NonlocalPotential final : public Projectors<S> {
 public:
  /// `waves` has to outlive it. Without `shared` memory the projectors have memory of their own and are computed once.
  NonlocalPotential(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal, const Pseudopotentials& atoms,
                    std::shared_ptr<ProjectorMemory<S>> shared = nullptr, int components = 1);

  /// Those of the same plane waves in the other precision, rounded; they have to be there (`serves`).
  template <class Other>
  NonlocalPotential(const PlaneWaves& waves, const NonlocalPotential<Other>& twin)
      : waves_(waves),
        k_(twin.k_),
        crystal_(twin.crystal_),
        atoms_(twin.atoms_),
        components_(twin.components_),
        couplings_(twin.couplings_),
        charges_(twin.charges_),
        memory_(std::make_shared<ProjectorMemory<S>>()),
        shared_(false),
        combined_(twin.combined_),
        number_(memory_->num_users++) {
    memory_->projectors = converted<S>(twin.memory_->projectors);
    memory_->owner = number_;
  }

  /// Whether the projectors are stored and those of this crystal on so many plane waves of a k-point. Local.
  [[nodiscard]] bool serves(Index waves, const Vec3& k, const Crystal& crystal, const Pseudopotentials& atoms) const;

  /// Bytes of the projectors on `rows` rows, of the data from which k-points that share memory compute them, and of one
  /// apply() to `bands` bands. Pure.
  [[nodiscard]] static double bytes(Index rows, Index projectors) { return Bands<S>::bytes(rows, projectors); }
  [[nodiscard]] static double origin_bytes(Index waves, const Pseudopotentials& atoms);
  [[nodiscard]] static double apply_bytes(Index projectors, Index bands) { return Matrix<S>::bytes(projectors, bands); }

  /// Projectors on other positions of the same atoms in the same cell. Local.
  void set_crystal(const Crystal& crystal, const Pseudopotentials& atoms) override;
  void set_kpoint(const Vec3& k) override;

  [[nodiscard]] Index num_projectors() const override { return couplings_.num_projectors(); }
  [[nodiscard]] int components() const override { return components_; }
  [[nodiscard]] std::vector<Range> atom_projectors() const override;
  [[nodiscard]] const Couplings& couplings() const override { return couplings_; }
  [[nodiscard]] const Couplings* charges() const override { return charges_ ? &*charges_ : nullptr; }
  /// Projectors, species by species and atom by atom in the order of the crystal; computed again if the memory contains
  /// those of another k-point. Local, but collective where they are combined (combined_orbitals.hpp).
  [[nodiscard]] BandView<const S> projectors(const InnerProduct& product) {
    if (memory_->owner != number_) fill(&product);
    return std::as_const(memory_->projectors).view();
  }
  /// Whether those of shells of DFT+U are combinations of functions of several atoms. Local.
  [[nodiscard]] bool are_combined() const { return combined_; }
  /// What these are made of. Collective.
  [[nodiscard]] CombinedOrbitals<S> combined(const InnerProduct& product);
  [[nodiscard]] Matrix<S> overlaps(const InnerProduct& product, BandView<const S> psi) override;
  void add(const InnerProduct& product, const Matrix<S>& c, BandView<S> out) override;
  /// See nonlocal_derivatives.hpp.
  [[nodiscard]] NonlocalDerivatives derivatives(const InnerProduct& product, BandView<const S> psi,
                                                const BandCouplings& couplings, bool with_strain) override;

 private:
  template <class Other>
  friend class NonlocalPotential;

  /// `product` is needed where functions are combined.
  void fill(const InnerProduct* product);

  const PlaneWaves& waves_;
  Vec3 k_;
  Crystal crystal_;
  Pseudopotentials atoms_;
  int components_;
  std::vector<std::vector<CentredFunction>> species_functions_;  ///< at the origin; empty if the memory is not shared
  Couplings couplings_;                                          ///< diagonal without augmentation and spin-orbit terms
  std::optional<Couplings> charges_;
  std::shared_ptr<ProjectorMemory<S>> memory_;
  bool shared_;
  bool combined_ = false;
  int number_;  ///< among the users of the memory
};

/// Number of projectors of a crystal, for all m.
[[nodiscard]] Index count_projectors(const Crystal& crystal, const Pseudopotentials& atoms);

}  // namespace wavegrid
