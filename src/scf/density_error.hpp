// The error of a step's free energy that is caused by its density.
//
// With the kernel K of the electrostatic energy and the response chi of the electrons to a potential, an input density
// that differs by d_in from the self-consistent one has an output that differs by d_out = chi K d_in. The Kohn-Sham
// functional of the output bands is too high by (1/2) <d_out, (K - 1/chi) d_out>, that is (1/2) <d_out, K (d_out -
// d_in)>. The difference in the second factor is known, output - input, and d_out is estimated by output - next, where
// `next` is what mixing proposes from the response in earlier steps. Derivation and measurements: decision 0014.
#pragma once

#include <algorithm>
#include <cmath>

namespace wavegrid {

/// An estimate of the error of the free energy of a step whose density differs from its input by the energy
/// `step_energy`, Ha: between a tenth of that energy and all of it, which is an upper bound. Energies are those of
/// EnergyTerms::change_energy, from `next` to the output and from the input to `next`. Pure.
[[nodiscard]] inline double output_error(double step_energy, double next_to_output, double input_to_next) {
  constexpr double least = 0.1;  // below that, the estimate is mostly the error of `next`
  // <a, K b> from the energies E[x] = (1/2) <x, K x> of a = output - next, b = output - input and a - b.
  const double product = next_to_output + step_energy - input_to_next;
  return std::clamp(0.5 * std::abs(product), least * step_energy, step_energy);
}

}  // namespace wavegrid
