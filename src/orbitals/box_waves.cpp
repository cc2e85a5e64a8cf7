#include <wavegrid/orbitals/box_waves.hpp>

namespace wavegrid {

BoxWaves::BoxWaves(const Lattice& cell, const Int3& grid, const Int3& size, const Vec3& k)
    : cell_(cell), grid_(grid), size_(size), k_(k) {}

double BoxWaves::volume() const {
  double volume = cell_.volume();
  for (std::size_t d = 0; d < 3; ++d) volume *= static_cast<double>(size_[d]) / grid_[d];
  return volume;
}

Vec3 BoxWaves::wave(const Int3& n) const {
  Vec3 coefficients = k_;
  for (std::size_t d = 0; d < 3; ++d) coefficients[d] += static_cast<double>(n[d]) * grid_[d] / size_[d];
  return cell_.g_vector(coefficients);
}

std::vector<double> BoxWaves::kinetic() const {
  std::vector<double> kinetic;
  kinetic.reserve(static_cast<std::size_t>(points()));
  for (int x = 0; x < size_[0]; ++x)
    for (int y = 0; y < size_[1]; ++y)
      for (int z = 0; z < size_[2]; ++z) {
        const Int3 place{x, y, z};
        double sum = 0;
        int count = 0;
        for (int signs = 0; signs < 8; ++signs) {
          Int3 n{};
          bool is_new = true;
          for (std::size_t d = 0; d < 3; ++d) {
            const bool other = ((signs >> d) & 1) != 0, is_two = 2 * place[d] == size_[d];
            is_new = is_new && (is_two || !other);
            n[d] = is_two && other ? place[d] : signed_of(place[d], size_[d]);
          }
          if (!is_new) continue;
          sum += 0.5 * norm2(wave(n));
          ++count;
        }
        kinetic.push_back(sum / count);
      }
  return kinetic;
}

}  // namespace wavegrid
