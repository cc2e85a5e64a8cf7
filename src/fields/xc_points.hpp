// Exchange and correlation at the points of a space: from densities and gradients to energies and derivatives.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

/// Derivatives of each component or channel along each direction: [dimensions * channel + axis][point].
using SpinGradients = std::vector<FieldValues>;

/// The energy density at every point, Ha per volume, of a valence density with a core density (empty: none; not
/// polarised). If the functional needs gradients, `gradients` has those of the components, core included, on input and
/// de/d(grad n_s) of the channels on output; `potential`, unless null, becomes de/dn_s and, for a meta-GGA, de/dtau_s.
/// Local, threads share the points.
[[nodiscard]] FieldValues xc_at_points(const Xc& xc, int dimensions, const DensityValues& density,
                                       std::span<const double> core, SpinGradients& gradients, Potential* potential);

}  // namespace wavegrid
