#include <algorithm>
#include <numbers>

#include <wavegrid/crystal/line_sums.hpp>
#include <wavegrid/crystal/structure_factor.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

/// The phases of one atom, those along x as separate real and imaginary parts, and its factor.
struct PlacedAtom {
  PlacedAtom(const Int3& reach, const Vec3& position, double weight) : all(reach, position), factor(weight) {
    const Complex* const x = all.of(0, -reach[0]);
    for (int g = 0; g <= 2 * reach[0]; ++g) real.push_back(x[g].real()), imaginary.push_back(x[g].imag());
  }
  AtomPhases all;
  double factor;
  std::vector<double> real, imaginary;  // at gx + reach
};

/// Consecutive plane waves with rising gx and the same gy and gz.
std::vector<Range> lines_along_x(const std::vector<Int3>& g) {
  std::vector<Range> lines;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const auto here = static_cast<Index>(i);
    const bool continues = i > 0 && g[i] == Int3{g[i - 1][0] + 1, g[i - 1][1], g[i - 1][2]};
    if (!continues) lines.push_back({here, here});
    lines.back().end = here + 1;
  }
  return lines;
}

/// sum (of a line) over the atoms in their order: how a rank's plane waves are divided into lines does not matter.
void add_line(const Int3& first, int reach, const std::vector<PlacedAtom>& atoms, std::span<Complex> sum,
              std::vector<double>& work) {
  const std::size_t n = sum.size(), at = static_cast<std::size_t>(first[0] + reach);
  work.assign(2 * n, 0.0);
  double* const real = work.data();
  double* const imaginary = real + n;
  for (const PlacedAtom& atom : atoms) {
    const Complex rest = atom.factor * (*atom.all.of(1, first[1]) * *atom.all.of(2, first[2]));
    const double a = rest.real(), b = rest.imag();
    const double* const re = atom.real.data() + at;
    const double* const im = atom.imaginary.data() + at;
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      real[i] += a * re[i] - b * im[i];
      imaginary[i] += a * im[i] + b * re[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) sum[i] = {real[i], imaginary[i]};
}

}  // namespace

AtomPhases::AtomPhases(const Int3& reach, const Vec3& position, const Vec3& k) : reach_(reach) {
  for (std::size_t i = 0; i < 3; ++i)
    for (int g = -reach[i]; g <= reach[i]; ++g)
      tables_[i].push_back(std::polar(1.0, -2.0 * std::numbers::pi * (k[i] + g) * position[i]));
}

Int3 max_indices(const PlaneWaves& waves) {
  Int3 reach{};
  for (const Int3& g : waves.g())
    for (std::size_t i = 0; i < 3; ++i) reach[i] = std::max(reach[i], std::abs(g[i]));
  return reach;
}

void atom_phases(const PlaneWaves& waves, const Vec3& position, Complex* phases, const Vec3& k) {
  const AtomPhases phase_table(max_indices(waves), position, k);
  for (const Int3& g : waves.g()) *phases++ = phase_table(g);
}

std::vector<Complex> structure_factor(const PlaneWaves& waves, const Crystal& crystal, int species,
                                      std::span<const double> factors) {
  std::vector<Vec3> positions;
  std::vector<double> weights;
  for (std::size_t a = 0; a < crystal.atoms.size(); ++a) {
    if (crystal.atoms[a].species != species) continue;
    positions.push_back(crystal.atoms[a].position);
    weights.push_back(factors.empty() ? 1.0 : factors[a]);
  }
  if (line_sums_pay(waves, std::ssize(positions))) return line_sums(waves, positions, weights);
  const Int3 reach = max_indices(waves);
  std::vector<PlacedAtom> atoms;
  for (std::size_t a = 0; a < positions.size(); ++a) atoms.emplace_back(reach, positions[a], weights[a]);
  std::vector<Complex> sum(static_cast<std::size_t>(waves.size()));
  const std::vector<Range> lines = lines_along_x(waves.g());
#pragma omp parallel
  {
    std::vector<double> work;
#pragma omp for schedule(static)
    for (const Range& line : lines) {
      const auto first = static_cast<std::size_t>(line.begin);
      add_line(waves.g()[first], reach[0], atoms, std::span(sum).subspan(first, static_cast<std::size_t>(line.size())),
               work);
    }
  }
  return sum;
}

}  // namespace wavegrid
