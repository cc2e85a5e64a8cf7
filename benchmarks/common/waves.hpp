// What is transformed: spheres in cubic cells, bands and a potential, the same functions on every partition.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/fft/fft_layout.hpp>

namespace wavegrid::bench {

using Complex = std::complex<double>;

/// A cubic cell of 2 pi bohr has G = integers, so a radius in grid steps is a radius in 1/bohr.
[[nodiscard]] Lattice cubic_lattice();
/// The sphere of that radius in n^3 points.
[[nodiscard]] GSphere sphere_of(int n, double radius, Mode mode);

/// A number for a G and a key.
[[nodiscard]] Complex random_complex(const Int3& g, Index key);

/// The product's real-space function on this rank's points (my x, my y, nz). Every point has its own value, so that a
/// library that mixes up points, or a rank that has another's planes, is found.
[[nodiscard]] std::vector<double> potential_on(const FftLayout& layout);
[[nodiscard]] inline double potential_at(Index x, Index y, Index z) { return 1 + 0.5 * random_at({x, y, z}); }

/// Start coefficients of bands (bands, plane waves), addressed by G and band: the same wave on every partition.
[[nodiscard]] std::vector<Complex> initial_bands(const PlaneWaves& waves, Index bands);

}  // namespace wavegrid::bench
