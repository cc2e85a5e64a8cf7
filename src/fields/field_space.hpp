// The interface through which the self-consistency loop uses densities: functions in a space that can integrate,
// differentiate and solve Poisson's equation. The FFT grid models it (planewaves/grid_fields.hpp); a mesh can, too.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/fields/spin_fields.hpp>

namespace wavegrid {

/// Preconditioners of density mixing; each space defines them.
enum class PreconditionerKind { none, kerker, dielectric, ldos };

/// The name used in input and output, such as "kerker".
[[nodiscard]] const char* to_string(PreconditionerKind kind);

struct Preconditioner {
  PreconditionerKind kind = PreconditionerKind::none;
  double k0 = 1.2;      ///< 1/bohr, of kerker
  double epsilon = 10;  ///< dielectric constant, of dielectric
};

/// A preconditioner, and why this one.
struct PreconditionerChoice {
  PreconditionerKind kind = PreconditionerKind::none;
  std::string reason;
};

/// What mixing needs. A `Field` is a function in the representation that the space uses for linear operations (Fourier
/// coefficients, values): an array of real or complex numbers, so that linear combinations with real factors are formed
/// element by element. All members are collective over the ranks of the space.
template <class Space>
concept MixingSpace = requires(Space& space, const Space& same, typename Space::Field& field,
                               const SpinComponents<Space>& components, const Preconditioner& preconditioner,
                               const FieldValues& values, const std::vector<const SpinComponents<Space>*>& several) {
  /// The inner products of a change of a density with several, by which changes are compared: their electrostatic
  /// interaction, Ha, or close to it, with a kernel for the magnetisation that stays finite.
  { same.mixing_products(components, several) } -> std::same_as<std::vector<double>>;
  /// Multiplies a change of the density by an approximate inverse dielectric response, in place. `values`: the local
  /// density of states at the Fermi level, 1/(Ha bohr^3), for PreconditionerKind::ldos.
  space.precondition(preconditioner, values, field);
  /// Removes the part of a density change that changes the number of electrons.
  same.remove_mean(field);
};

/// What the functionals of the density and the self-consistency loop need in addition.
template <class Space>
concept FieldSpace = MixingSpace<Space> &&
    requires(Space& space, const Space& same, typename Space::Field& field, const FieldValues& values,
             const SpinComponents<Space>& components, std::span<const FieldValues> vector_field) {
  /// The number of directions in which a field has a derivative.
  { Space::dimensions } -> std::convertible_to<int>;
  /// Whether derivatives are finite differences: the gradient of a square is not that of the product rule.
  { Space::finite_differences } -> std::convertible_to<bool>;
  /// The integral of term(local point) over all ranks' points, volume element included.
  {
    same.integrate([](std::size_t) { return 1.0; })
    } -> std::same_as<double>;
  { space.to_field(values) } -> std::same_as<typename Space::Field>;
  { space.to_values(field) } -> std::same_as<FieldValues>;
  /// The integral of the product of two fields.
  { same.inner_product(field, field) } -> std::same_as<double>;
  /// Derivatives along each direction, per bohr, and minus the adjoint of that operation. The divergence is one for
  /// to_values() of itself or of a sum with other fields, and for nothing else.
  { space.gradient(field) } -> std::same_as<std::vector<FieldValues>>;
  { space.divergence(vector_field) } -> std::same_as<typename Space::Field>;
  /// The Laplacian, per bohr^2, as the operators of the bands have it; its own adjoint.
  { space.laplacian(field) } -> std::same_as<typename Space::Field>;
  /// The electrostatic potential of a density (Ha, zero mean) and its energy (Ha): Poisson's equation.
  { same.coulomb_potential(field) } -> std::same_as<typename Space::Field>;
  { same.coulomb_energy(field) } -> std::same_as<double>;
  /// The energy of a change of the density with its magnetisation, Ha: its electrostatic energy, and for the
  /// magnetisation the same with a kernel that stays finite at long wavelengths.
  { same.change_energy(components) } -> std::same_as<double>;
  /// Whether the space has a symmetry, and the average of a density over it, in place.
  { same.has_symmetry() } -> std::same_as<bool>;
  space.symmetrise(field);
  /// A potential at the points on which the operators of this rank work, and the sum over all ranks of densities that
  /// their operators have accumulated there. Both are the values themselves if there is one group of ranks.
  { space.to_operators(values) } -> std::same_as<FieldValues>;
  { space.sum_over_operators(values) } -> std::same_as<FieldValues>;
};

}  // namespace wavegrid
