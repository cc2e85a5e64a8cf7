#include <wavegrid/base/units.hpp>
#include <wavegrid/terms/hartree.hpp>
#include <wavegrid/terms/structure_derivatives.hpp>

namespace wavegrid {

namespace {

/// 4 pi / G^2 = 2 pi / (G^2/2), or 0 beyond the cutoff of the potential.
double coulomb(const PlaneWaves& box, const std::vector<char>& inside, std::size_t i) {
  return inside[i] && static_cast<Index>(i) != box.zero() ? 2.0 * units::pi / box.kinetic()[i] : 0.0;
}

}  // namespace

std::vector<std::complex<double>> hartree_potential(const PlaneWaves& box, const std::vector<char>& inside,
                                                    const std::vector<std::complex<double>>& density) {
  std::vector<std::complex<double>> potential(density.size());
  for (std::size_t i = 0; i < density.size(); ++i) potential[i] = coulomb(box, inside, i) * density[i];
  return potential;
}

double hartree_energy(const GridFft& grid, const std::vector<char>& inside,
                      const std::vector<std::complex<double>>& density) {
  const PlaneWaves& box = grid.waves();
  return 0.5 * box.lattice().volume() *
         grid.over_waves()([&](std::size_t i) { return coulomb(box, inside, i) * std::norm(density[i]); });
}

Mat3 hartree_strain(const FourierBox& box, const GridFft::Coefficients& density, double energy) {
  const Mat3 products = product_sum(
      box.fft, [&](std::size_t i) { return -0.5 * box.interaction_slope(i) * std::norm(density[i]); },
      [&](std::size_t i) { return box.periodic_wave(i); });
  return box.waves().lattice().volume() * products + isotropic(-energy);
}

}  // namespace wavegrid
