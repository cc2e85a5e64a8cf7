#include <algorithm>
#include <cmath>
#include <span>

#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/terms/structure_derivatives.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

/// sum over `elements` (whole sticks along x) of g Im(conj(phase(g)) w(g)), g the integer coordinates.
Vec3 integer_force(const PlaneWaves& box, Index stick, Range elements, const AtomPhases& phases,
                   const GridFft::Coefficients& weights) {
  Vec3 sum{0, 0, 0};
  for (Index first = elements.begin; first < elements.end; first += stick) {
    const Int3& g = box.g()[static_cast<std::size_t>(first)];
    const Complex* const p = phases.of(0, g[0]);
    const Complex* const w = weights.data() + first;
    double real = 0, imaginary = 0, slope_real = 0, slope_imaginary = 0;  // of sum conj(p) w, and of sum n conj(p) w
#pragma omp simd reduction(+ : real, imaginary, slope_real, slope_imaginary)
    for (Index n = 0; n < stick; ++n) {
      const double re = p[n].real() * w[n].real() + p[n].imag() * w[n].imag();
      const double im = p[n].real() * w[n].imag() - p[n].imag() * w[n].real();
      real += re;
      imaginary += im;
      slope_real += static_cast<double>(n) * re;
      slope_imaginary += static_cast<double>(n) * im;
    }
    const Complex rest = std::conj(*phases.of(1, g[1]) * *phases.of(2, g[2]));
    const double all = (rest * Complex(real, imaginary)).imag();
    sum[0] += (rest * Complex(slope_real, slope_imaginary)).imag() + g[0] * all;
    sum[1] += g[1] * all;
    sum[2] += g[2] * all;
  }
  return sum;
}

}  // namespace

std::vector<Vec3> structure_forces(const GridFft& grid, const Crystal& crystal, const SpeciesWeights& weights) {
  const PlaneWaves& box = grid.waves();
  const Int3 reach = max_indices(box);
  std::vector<Vec3> forces(crystal.atoms.size(), Vec3{0, 0, 0});
  const Index most = std::max<Index>(1, grid.over_waves().at_once() / 3);
  for (int species = 0; species < crystal.num_species(); ++species) {
    const GridFft::Coefficients w = weights(species);
    if (grid.comm().max(static_cast<Index>(w.size())) == 0) continue;
    const std::vector<int> atoms = crystal.species_atoms(species);
    const auto all = static_cast<Index>(atoms.size());
    for (Index first = 0; first < all; first += most) {
      const Index count = std::min(most, all - first);
      std::vector<AtomPhases> phases;
      for (Index a = first; a < first + count; ++a)
        phases.emplace_back(reach,
                            crystal.atoms[static_cast<std::size_t>(atoms[static_cast<std::size_t>(a)])].position);
      std::vector<double> sums(static_cast<std::size_t>(3 * count));
      grid.over_waves().arrays(sums, [&](Range elements, std::span<double> out) {
#pragma omp parallel for schedule(static)
        for (Index a = 0; a < count; ++a) {
          const Vec3 force =
              integer_force(box, grid.over_waves().length(), elements, phases[static_cast<std::size_t>(a)], w);
          std::copy(force.begin(), force.end(), out.begin() + 3 * a);
        }
      });
      for (Index a = 0; a < count; ++a) {
        const auto at = static_cast<std::size_t>(3 * a);
        forces[static_cast<std::size_t>(atoms[static_cast<std::size_t>(first + a)])] =
            box.lattice().g_vector({sums[at], sums[at + 1], sums[at + 2]});
      }
    }
  }
  return forces;
}

Mat3 structure_strain(const GridFft& grid, const Crystal& crystal, const SpeciesWeights& slopes) {
  const PlaneWaves& box = grid.waves();
  Mat3 strain{};
  for (int species = 0; species < crystal.num_species(); ++species) {
    const GridFft::Coefficients w = slopes(species);
    if (grid.comm().max(static_cast<Index>(w.size())) == 0) continue;
    const std::vector<Complex> factor = structure_factor(box, crystal, species);
    strain = strain + -1.0 * sum_of_directions(grid, [&](std::size_t i) {
               return std::sqrt(2.0 * box.kinetic()[i]) * (std::conj(factor[i]) * w[i]).real();
             });
  }
  return strain;
}

}  // namespace wavegrid
