// What self-consistency knows of a density: a function in a space that can integrate, differentiate and solve Poisson's
// equation. The FFT grid models it (terms/grid_fields.hpp); so does any mesh.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "fields/spin_fields.hpp"

namespace wavegrid {

/// Preconditioners of density mixing; what they are stands with each space.
enum class PreconditionerKind { none, kerker, dielectric, ldos };

/// The name used in input and output, such as "kerker".
[[nodiscard]] const char* name_of(PreconditionerKind kind);

struct Preconditioner {
  PreconditionerKind kind = PreconditionerKind::none;
  double k0 = 1.2;      ///< 1/bohr, of kerker
  double epsilon = 10;  ///< dielectric constant, of dielectric
};

/// What mixing needs. A `Field` is a function as the space keeps it for linear operations (Fourier coefficients,
/// values): an array of real or complex numbers of which linear combinations with real factors make sense element by
/// element. All ranks of the space call all members together.
template <class Space>
concept MixingSpace = requires(Space& space, const Space& same, typename Space::Field& field,
                               const SpinComponents<Space>& components, const Preconditioner& preconditioner,
                               const FieldValues& values) {
  /// The inner product by which changes of a density with its magnetisation are compared: near their electrostatic
  /// energy, finite for the magnetisation.
  { same.mixing_product(components, components) } -> std::convertible_to<double>;
  /// Multiplies a change of the density by an approximate inverse dielectric response, in place. `values`: the local
  /// density of states at the Fermi level, 1/(Ha bohr^3), for PreconditionerKind::ldos.
  space.precondition(preconditioner, values, field);
  /// Makes a change of the density one that keeps the number of electrons.
  same.remove_mean(field);
};

/// What the functionals of the density and the self-consistency loop need besides.
template <class Space>
concept FieldSpace = MixingSpace<Space> &&
    requires(Space& space, const Space& same, typename Space::Field& field, const FieldValues& values,
             const SpinComponents<Space>& components, std::span<const FieldValues> vector_field) {
  /// Directions in which a field has a derivative.
  { Space::dimensions } -> std::convertible_to<int>;
  /// Points of this rank.
  { same.num_points() } -> std::same_as<Index>;
  /// The integral of term(local point) over all ranks' points, volume element included.
  {
    same.integrate([](std::size_t) { return 1.0; })
    } -> std::same_as<double>;
  { space.to_field(values) } -> std::same_as<typename Space::Field>;
  { space.to_values(field) } -> std::same_as<FieldValues>;
  /// The integral of the product of two fields.
  { same.inner_product(field, field) } -> std::same_as<double>;
  /// Derivatives along each direction, per bohr, and minus the adjoint of that operation.
  { space.gradient(field) } -> std::same_as<std::vector<FieldValues>>;
  { space.divergence(vector_field) } -> std::same_as<FieldValues>;
  /// The electrostatic potential of a density (Ha, zero mean) and its energy (Ha): Poisson's equation.
  { same.coulomb_potential(field) } -> std::same_as<typename Space::Field>;
  { same.coulomb_energy(field) } -> std::same_as<double>;
  /// What a change of the density with its magnetisation is worth, Ha: its electrostatic energy, and for the
  /// magnetisation the same with a kernel that stays finite where moments differ most.
  { same.change_energy(components) } -> std::same_as<double>;
  /// Whether the space has a symmetry, and the average of a density over it, in place.
  { same.has_symmetry() } -> std::same_as<bool>;
  space.symmetrise(field);
  /// A potential on the points on which the operators of this rank want it, and the sum of the densities that the
  /// operators of all ranks have added up there. Both are the values themselves where there is one group of ranks.
  { space.to_operators(values) } -> std::same_as<FieldValues>;
  { space.sum_of_operators(values) } -> std::same_as<FieldValues>;
};

}  // namespace wavegrid
