// Bands of ultrasoft and PAW datasets while the vector potential changes.
#pragma once

#include <complex>

#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Gives plane waves and projectors the vector potential of the problem, which has changed by `change` (1/bohr,
/// Cartesian), and the bands what the pulse of that field leaves of them: dpsi/dA = i S^-1 G psi (hamiltonian/
/// velocity.hpp) by steps of fourth order of Runge and Kutta, of at most 0.02/bohr, with an error of 1e-11 of a band
/// each. Afterwards the inverse of S is that of the end. Collective over the k-point group.
void transport_bands(MyBands<std::complex<double>>& bands, const Problem& problem, const Vec3& change);

}  // namespace wavegrid
