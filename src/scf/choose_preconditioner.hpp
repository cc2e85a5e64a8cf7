// Choice of the preconditioner of density mixing.
#pragma once

#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Kerker, or the dielectric model for an insulator (`fixed` occupations). If more than a tenth of the cell is vacuum
/// (density below a hundredth of its mean): LDOS; none for an insulator, and where waves of charge are too short for
/// metallic screening to matter, as in a molecule or a layer of atoms. `density`: electrons/bohr^3 at this rank's
/// points; `smallest_wave_number`: 1/bohr, of the longest of these waves. `spins_with_tau`: of a meta-GGA with spin;
/// instead of Kerker's none where waves are shorter still. Kerker's acts on n alone and leaves mixed n_s below 0 where
/// tau_s is not (decision 0025). Collective over the space.
template <FieldSpace Space>
[[nodiscard]] PreconditionerKind choose_preconditioner(const Space& space, bool fixed, const FieldValues& density,
                                                       double smallest_wave_number, bool spins_with_tau = false) {
  constexpr double short_wave = 0.3;  // 1/bohr: metallic screening would enlarge the change of the density 16 times
  const double volume = space.integrate([](std::size_t) { return 1.0; });
  const double mean = space.integrate([&](std::size_t i) { return density[i]; }) / volume;
  const double empty = space.integrate([&](std::size_t i) { return density[i] < 0.01 * mean ? 1.0 : 0.0; });
  if (empty > 0.1 * volume)
    return fixed || smallest_wave_number > short_wave ? PreconditionerKind::none : PreconditionerKind::ldos;
  if (fixed) return PreconditionerKind::dielectric;
  constexpr double shorter_wave = 0.6;  // 1/bohr: 5 times
  return spins_with_tau && smallest_wave_number > shorter_wave ? PreconditionerKind::none : PreconditionerKind::kerker;
}

}  // namespace wavegrid
