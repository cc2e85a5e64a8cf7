#include "atoms/structure_factor.hpp"

#include <algorithm>
#include <numbers>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

}  // namespace

AtomPhases::AtomPhases(const Int3& reach, const Vec3& position, const Vec3& k) : reach_(reach) {
  for (std::size_t i = 0; i < 3; ++i)
    for (int g = -reach[i]; g <= reach[i]; ++g)
      tables_[i].push_back(std::polar(1.0, -2.0 * std::numbers::pi * (k[i] + g) * position[i]));
}

Int3 reach_of(const PlaneWaves& waves) {
  Int3 reach{};
  for (const Int3& g : waves.g())
    for (std::size_t i = 0; i < 3; ++i) reach[i] = std::max(reach[i], std::abs(g[i]));
  return reach;
}

void atom_phases(const PlaneWaves& waves, const Vec3& position, Complex* phases, const Vec3& k) {
  const AtomPhases of_atom(reach_of(waves), position, k);
  for (const Int3& g : waves.g()) *phases++ = of_atom(g);
}

std::vector<Complex> structure_factor(const PlaneWaves& waves, const Crystal& crystal, int species,
                                      std::span<const double> factors) {
  std::vector<Complex> sum(static_cast<std::size_t>(waves.size())), phases(sum.size());
  for (std::size_t a = 0; a < crystal.atoms.size(); ++a) {
    if (crystal.atoms[a].species != species) continue;
    const double factor = factors.empty() ? 1.0 : factors[a];
    atom_phases(waves, crystal.atoms[a].position, phases.data());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * phases[i];
  }
  return sum;
}

}  // namespace wavegrid
