// Choice of the preconditioner of density mixing.
//
// Steps to 1e-6 Ha of Al(111) with 1, 3 and 5 layers, in plane waves and on meshes with a free direction:
//
//            none          kerker        ldos
//   1 layer   5     5       9     9       7     8
//   3 layers  8     9       7    10       5     7
//   5 layers 12    13      12    13       6     8
#pragma once

#include <cmath>

#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Whether more than a tenth of the cell is vacuum (density below a hundredth of its mean). `density`: electrons/bohr^3
/// at this rank's points. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] bool has_vacuum(const Space& space, const FieldValues& density) {
  const double volume = space.integrate([](std::size_t) { return 1.0; });
  const double mean = space.integrate([&](std::size_t i) { return density[i]; }) / volume;
  return space.integrate([&](std::size_t i) { return density[i] < 0.01 * mean ? 1.0 : 0.0; }) > 0.1 * volume;
}

/// Whether most electrons have one spin where they are: a magnetisation of more than a third of the density.
/// `magnetisation`: electrons/bohr^3 like `density`. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] bool is_strongly_polarised(const Space& space, const FieldValues& density,
                                         const FieldValues& magnetisation) {
  const double electrons = space.integrate([&](std::size_t i) { return density[i]; });
  return space.integrate([&](std::size_t i) { return std::abs(magnetisation[i]); }) > electrons / 3;
}

/// Kerker, or the dielectric model for an insulator (`fixed` occupations). With vacuum LDOS; none for an insulator, and
/// where waves of charge are too short for metallic screening to matter, as in a molecule or a layer of atoms.
/// `smallest_wave_number`: 1/bohr, of the longest of these waves. `polarised_with_tau`: a meta-GGA with a
/// strongly polarised density; instead of Kerker's none where waves are shorter still. Kerker's acts on n alone and
/// leaves the smaller n_s below 0 where tau_s is not (decision 0025). Pure.
[[nodiscard]] inline PreconditionerChoice choose_preconditioner(bool vacuum, bool fixed, double smallest_wave_number,
                                                                bool polarised_with_tau = false) {
  constexpr double short_wave = 0.3;    // 1/bohr: metallic screening would enlarge the change of the density 16 times
  constexpr double shorter_wave = 0.6;  // 1/bohr: 5 times
  if (!vacuum && fixed) return {PreconditionerKind::dielectric, "fixed occupations, little vacuum"};
  if (!vacuum && polarised_with_tau && smallest_wave_number > shorter_wave)
    return {PreconditionerKind::none, "a meta-GGA, most electrons have one spin, small cell"};
  if (!vacuum) return {PreconditionerKind::kerker, "smearing, little vacuum"};
  if (fixed) return {PreconditionerKind::none, "fixed occupations, vacuum"};
  if (smallest_wave_number > short_wave)
    return {PreconditionerKind::none, "vacuum around few atoms, where charge moves no long way"};
  return {PreconditionerKind::ldos, "smearing, vacuum"};
}

}  // namespace wavegrid
