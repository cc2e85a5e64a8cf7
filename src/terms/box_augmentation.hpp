// The augmentation charge (augmentation.hpp) in boxes around the atoms, on the points of the density's grid.
//
//   n^(r) = sum_a sum_LM n_a,LM(|r - tau_a|) Y_LM(r - tau_a) at the points r of the grid      (box_shapes.hpp)
//   int V Q_a,ij = the derivative of Omega/N sum_r V(r) n^(r) by rho_a,ij
//
// Each box is on one rank, and the union of a rank's boxes is exchanged with the owners of the points
// (boxes/box_exchange.hpp). The time does not grow with the cell for an atom, as it does in reciprocal space.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/boxes/box_exchange.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/fields/spin_fields.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/terms/atom_box.hpp>
#include <wavegrid/terms/augmentation.hpp>
#include <wavegrid/terms/box_shapes.hpp>

namespace wavegrid {

/// Matrices are over all projectors of each atom, and the same on all ranks. Members are collective over the ranks of
/// the grid unless they say "local". Fields are values at this rank's points; n^ still has waves beyond the density's,
/// and a potential must not have them.
class BoxAugmentation {
 public:
  /// `box` is that of a periodic cell and has to outlive this object.
  BoxAugmentation(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                  Augmentation::Datasets which, const BoxOptions& options);

  /// electrons/bohr^3
  [[nodiscard]] FieldValues density(const AtomMatrices& rho) const;
  /// int V Q_ij, Ha.
  [[nodiscard]] AtomMatrices integrals(const FieldValues& potential) const;
  /// As Augmentation::forces() and strain().
  [[nodiscard]] std::vector<Vec3> forces(const AtomMatrices& rho, const FieldValues& potential) const;
  [[nodiscard]] Mat3 strain(const AtomMatrices& rho, const FieldValues& potential) const;

  [[nodiscard]] double largest_radius() const;  ///< of the boxes' spheres, bohr. Local.

 private:
  /// An atom whose box is on this rank.
  struct MyAtom {
    std::size_t number, species;
    AtomBox box;
  };
  struct Species {
    std::unique_ptr<AugmentationTable> table{};  ///< null: no augmentation
    std::unique_ptr<BoxShapes> shapes{};
  };
  [[nodiscard]] const Species& species(const MyAtom& atom) const { return species_[atom.species]; }
  /// n_LM of this rank's atoms at the nodes.
  [[nodiscard]] std::vector<std::vector<double>> functions(const AtomMatrices& rho) const;
  /// Calls action(number of a box, V, r, n^, grad n^) for the points of each of this rank's boxes.
  template <class Action>
  void for_slopes(const AtomMatrices& rho, const FieldValues& potential, Action action) const;

  FourierBox box_;
  std::vector<Index> num_projectors_;  ///< of each atom
  std::vector<Species> species_;
  std::vector<MyAtom> atoms_;
  std::unique_ptr<BoxExchange> exchange_;
};

}  // namespace wavegrid
