// The second derivative of the exchange-correlation energy of an LDA by the density, for the response of electrons.
#pragma once

#include <span>

#include <wavegrid/fields/spin_fields.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

/// dv_s/dn_s' at every point, Ha bohr^3, by differences of v that are exact to 1e-8: dv/dn of a density without spin,
/// or of n and n_up - n_down uu, ud and dd. `core`: as much of the density besides, not polarised; empty: none. 0 where
/// the density, or that of a spin, is below 1e-11 electrons/bohr^3. Throws internal_error for other functionals. Local.
[[nodiscard]] SpinFields xc_kernel(const Xc& xc, const SpinFields& density, std::span<const double> core);

/// (f_uu - f_ud)/2 of a density without spin: the response to opposite changes of the spins. `xc` has two spins. Local.
[[nodiscard]] FieldValues xc_kernel_of_spin(const Xc& xc, const FieldValues& density, std::span<const double> core);

}  // namespace wavegrid
