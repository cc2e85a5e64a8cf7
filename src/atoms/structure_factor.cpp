#include "atoms/structure_factor.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

/// exp(-2 pi i (k + g) x) for g in [-reach, reach]: three small tables replace a sine and cosine per plane wave.
class AxisPhases {
 public:
  AxisPhases(double x, double k, int reach) : reach_(reach) {
    for (int g = -reach; g <= reach; ++g) phases_.push_back(std::polar(1.0, -2.0 * std::numbers::pi * (k + g) * x));
  }
  const Complex& operator[](int g) const { return phases_[static_cast<std::size_t>(g + reach_)]; }

 private:
  int reach_;
  std::vector<Complex> phases_;
};

Int3 reach_of(const PlaneWaves& waves) {
  Int3 reach{};
  for (const Int3& g : waves.g())
    for (std::size_t i = 0; i < 3; ++i) reach[i] = std::max(reach[i], std::abs(g[i]));
  return reach;
}

}  // namespace

void atom_phases(const PlaneWaves& waves, const Vec3& position, Complex* phases, const Vec3& k) {
  const Int3 reach = reach_of(waves);
  const std::array<AxisPhases, 3> axis{AxisPhases(position[0], k[0], reach[0]), AxisPhases(position[1], k[1], reach[1]),
                                       AxisPhases(position[2], k[2], reach[2])};
  for (const Int3& g : waves.g()) *phases++ = axis[0][g[0]] * axis[1][g[1]] * axis[2][g[2]];
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
