#include <algorithm>
#include <cmath>
#include <functional>

#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/hamiltonian/atomic_functions.hpp>

namespace wavegrid {

std::vector<CentredFunction> centred_functions(const PlaneWaves& waves, int l, const std::vector<double>& radial) {
  const std::complex<double> powers[] = {1.0, {0.0, -1.0}, -1.0, {0.0, 1.0}};
  const std::complex<double> factor = powers[l % 4] / std::sqrt(waves.lattice().volume());
  std::vector<CentredFunction> functions(static_cast<std::size_t>(2 * l + 1), CentredFunction(radial.size()));
  for (std::size_t g = 0; g < radial.size(); ++g) {
    const Vec3 wave = waves.k_plus_g(static_cast<Index>(g));
    for (int m = 0; m <= 2 * l; ++m)
      functions[static_cast<std::size_t>(m)][g] = factor * radial[g] * real_ylm(l, m, wave);
  }
  return functions;
}

template <class Real>
void place_on_atoms(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal,
                    const std::vector<std::vector<CentredFunction>>& species_functions, std::complex<Real>* out) {
  std::vector<std::complex<double>> phases(static_cast<std::size_t>(waves.size()));
  for (int species = 0; species < crystal.num_species(); ++species)
    for (const Atom& atom : crystal.atoms) {
      if (atom.species != species) continue;
      atom_phases(waves, atom.position, phases.data(), k);
      for (const CentredFunction& function : species_functions[static_cast<std::size_t>(species)])
        out = std::transform(phases.begin(), phases.end(), function.begin(), out,
                             [](const auto& a, const auto& b) { return std::complex<Real>(a * b); });
    }
}

template void place_on_atoms(const PlaneWaves&, const Vec3&, const Crystal&,
                             const std::vector<std::vector<CentredFunction>>&, std::complex<float>*);
template void place_on_atoms(const PlaneWaves&, const Vec3&, const Crystal&,
                             const std::vector<std::vector<CentredFunction>>&, std::complex<double>*);

}  // namespace wavegrid
