// Densities and potentials on a mesh: the mesh as a field space (fields/field_space.hpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/mesh/halo.hpp>
#include <wavegrid/mesh/stencil.hpp>
#include <wavegrid/realspace/mesh_box.hpp>
#include <wavegrid/terms/density_symmetriser.hpp>
#include <wavegrid/terms/fourier_box.hpp>
#include <wavegrid/terms/moment_symmetriser.hpp>

namespace wavegrid {

/// A field is its values at this rank's points. Members are collective over all ranks.
class MeshFields {
 public:
  using Field = FieldValues;
  static constexpr int dimensions = 3;
  static constexpr bool finite_differences = true;

  /// `mesh`: over all ranks, for the fields. `group_mesh`: the same points over the group of ranks on which the
  /// operators of this rank work; the same object if there is one group. Both must outlive it. `transport`: of
  /// transforms and of exchanges with the groups; none: the fastest.
  MeshFields(const Mesh& mesh, const Mesh& group_mesh, int threads = 1, Profile* profile = nullptr,
             const std::optional<Transport>& transport = {});
  explicit MeshFields(const Mesh& mesh) : MeshFields(mesh, mesh) {}
  MeshFields(const MeshFields&) = delete;
  MeshFields& operator=(const MeshFields&) = delete;

  [[nodiscard]] const Mesh& mesh() const { return mesh_; }
  [[nodiscard]] MeshBox& box() { return box_; }
  /// The exchange with the groups; null with one group.
  [[nodiscard]] FieldExchange* exchange() { return exchange_ ? &*exchange_ : nullptr; }
  /// Densities are averaged over a group that maps the points of the mesh onto themselves, and leaves free directions
  /// as they are; at first over none. Throws an internal error for another group.
  void set_symmetry(const SpaceGroup& symmetry);

  // The members of FourierSpace: functions of the atoms are formed in the box and cut off at the largest wave number of
  // the mesh. Without this filter a function that varies between points would be sampled differently where an atom has
  // another place between them, and the energy would depend on it.

  [[nodiscard]] FourierBox fourier_box() {
    return {.fft = box_.fft(),
            .inside = box_.inside(),
            .resolved = &box_.inside(),
            .periodic = box_.is_periodic(),
            .shortest_waves = true,
            .coulomb = box_.coulomb(),
            .smooth_width = box_.smooth_width(),
            .kernel = box_.kernel()};
  }
  [[nodiscard]] MeshBox::Coefficients to_box(const Field& field) { return box_.to_box(field); }
  [[nodiscard]] Field from_box(const MeshBox::Coefficients& coefficients) { return box_.to_mesh(coefficients); }
  [[nodiscard]] Crystal in_box(const Crystal& crystal) const { return box_.in_box(crystal); }

  [[nodiscard]] std::vector<Int3> point_indices() const;

  // The members of FieldSpace.

  template <class Term>
  [[nodiscard]] double integrate(Term term) const {
    double sum = 0;
    for (Index i = 0; i < mesh_.num_points(); ++i) sum += term(static_cast<std::size_t>(i));
    return mesh_.grid().point_volume() * mesh_.comm().sum(sum);
  }
  [[nodiscard]] Field to_field(const FieldValues& values) const { return values; }
  [[nodiscard]] FieldValues to_values(const Field& field) const { return field; }
  [[nodiscard]] double inner_product(const Field& a, const Field& b) const;
  /// By finite differences, of functions that are zero outside the region.
  [[nodiscard]] std::vector<FieldValues> gradient(const Field& field);
  [[nodiscard]] Field divergence(std::span<const FieldValues> field);
  [[nodiscard]] Field laplacian(const Field& field);
  /// The weight of a point in minus the Laplacian there, 1/bohr^2.
  [[nodiscard]] double laplacian_centre() const;
  [[nodiscard]] Field coulomb_potential(const Field& density) const;
  [[nodiscard]] double coulomb_energy(const Field& density) const;
  [[nodiscard]] double change_energy(const std::vector<Field>& change) const;
  [[nodiscard]] bool has_symmetry() const { return symmetriser_.has_value(); }
  void symmetrise(Field& density);
  /// The same of the components of a vector magnetisation, with a magnetic group.
  void symmetrise_moments(Field& x, Field& y, Field& z);
  /// The same energy, of one solution of Poisson's equation for each component of `a`.
  [[nodiscard]] std::vector<double> mixing_products(const std::vector<Field>& a,
                                                    const std::vector<const std::vector<Field>*>& others) const;
  void precondition(const Preconditioner& preconditioner, const FieldValues& ldos, Field& change);
  void remove_mean(Field& change) const;
  [[nodiscard]] FieldValues to_operators(const FieldValues& values) {
    return exchange_ ? exchange_->to_groups(values) : values;
  }
  [[nodiscard]] FieldValues sum_over_operators(const FieldValues& part) {
    return exchange_ ? exchange_->sum_over_groups(part) : part;
  }

 private:
  [[nodiscard]] FieldValues with_ghosts(const FieldValues& values);
  /// That of a magnetisation, with 4 pi / max(G^2, 1).
  [[nodiscard]] Field moment_potential(const Field& moment) const;

  const Mesh& mesh_;
  mutable MeshBox box_;  ///< transforms use its work arrays
  Halo halo_;
  Stencil stencil_;
  std::optional<DensitySymmetriser> symmetriser_;
  std::optional<MomentSymmetriser> moment_symmetriser_;  ///< of a magnetic group
  std::optional<FieldExchange> exchange_;                ///< none with one group
};

static_assert(FourierSpace<MeshFields>);

/// The energy terms on a mesh.
using MeshPotential = EnergyTerms<MeshFields>;

}  // namespace wavegrid
