#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/spinor_couplings.hpp>
#include <wavegrid/terms/spinor_matrices.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;
using Square = Matrix<Complex>;

/// <Y_lm|Y_lM> of a real harmonic m with the complex one M of the usual phase (Condon and Shortley): those of M = |m|
/// and M = -|m|, where Y_lM is (-1)^M P exp(iM phi) for M > 0 and P exp(iM phi) for M < 0.
Complex real_part_of_complex(int m, int big_m) {
  if (std::abs(m) != std::abs(big_m)) return 0.0;
  if (m == 0) return 1.0;
  const double sign = big_m > 0 && big_m % 2 != 0 ? -1.0 : 1.0;
  const double half = sign / std::sqrt(2.0);
  // cos = (e + e*) / 2, sin = (e - e*) / 2i
  return m > 0 ? Complex(half) : Complex(0.0, big_m > 0 ? half : -half);
}

/// L_z, L_+ and L_- over the real harmonics.
struct Momenta {
  Square z, plus, minus;

  explicit Momenta(int l) : z(2 * l + 1, 2 * l + 1), plus(z.rows(), z.rows()), minus(z.rows(), z.rows()) {
    const auto raised = [l](int m) { return std::sqrt(static_cast<double>((l - m) * (l + m + 1))); };
    for (int a = -l; a <= l; ++a)
      for (int b = -l; b <= l; ++b)
        for (int m = -l; m <= l; ++m) {
          const Complex from = std::conj(real_part_of_complex(b, m));  // <Y_lm|b>
          z(a + l, b + l) += real_part_of_complex(a, m) * static_cast<double>(m) * from;
          if (m < l) plus(a + l, b + l) += real_part_of_complex(a, m + 1) * raised(m) * from;
          if (m > -l) minus(a + l, b + l) += real_part_of_complex(a, m - 1) * raised(m - 1) * from;
        }
  }
};

}  // namespace

Matrix<std::complex<double>> spin_orbit_matrix(int l) {
  const Momenta momenta(l);
  const Index n = 2 * l + 1;
  Square matrix(2 * n, 2 * n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b) {
      matrix(a, b) = 0.5 * momenta.z(a, b);
      matrix(n + a, n + b) = -0.5 * momenta.z(a, b);
      matrix(a, n + b) = 0.5 * momenta.minus(a, b);
      matrix(n + a, b) = 0.5 * momenta.plus(a, b);
    }
  return matrix;
}

// In the order of the projectors: channel, projector, m.
Matrix<std::complex<double>> spin_orbit_couplings(const Pseudopotential& atom) {
  const Index n = num_projectors_per_atom(atom);
  Square matrix(2 * n, 2 * n);
  Index first = 0;
  for (int c = 0; c < atom.num_channels(); ++c) {
    const Index width = 2 * atom.channel_l(c) + 1;
    const Square ls = spin_orbit_matrix(atom.channel_l(c));
    for (int i = 0; i < atom.num_projectors(c); ++i)
      for (int j = 0; j < atom.num_projectors(c); ++j) {
        const double h = atom.coupling(c, i, j), k = atom.spin_orbit_coupling(c, i, j);
        for (Index a = 0; a < 2 * width; ++a)
          for (Index b = 0; b < 2 * width; ++b)
            matrix(a / width * n + first + i * width + a % width, b / width * n + first + j * width + b % width) =
                (a == b ? h : 0.0) + k * ls(a, b);
      }
    first += width * atom.num_projectors(c);
  }
  return matrix;
}

Matrix<std::complex<double>> spin_angle_projection(const Pseudopotential& atom) {
  const AugmentedDataset* const dataset = atom.augmented();
  if (dataset == nullptr || !dataset->fully_relativistic) return {};
  const Index n = num_projectors_per_atom(atom);
  Square projection(2 * n, 2 * n);
  Index first = 0;
  for (const PartialWave& wave : dataset->waves) {
    const Index width = 2 * wave.l + 1;
    const Square ls = spin_orbit_matrix(wave.l);
    const bool upper = wave.j > wave.l;
    const double scalar = (upper ? wave.l + 1.0 : wave.l) / static_cast<double>(width);
    const double spin_orbit = (upper ? 2.0 : -2.0) / static_cast<double>(width);
    for (Index b = 0; b < 2 * width; ++b)
      for (Index a = 0; a < 2 * width; ++a)
        projection(a / width * n + first + a % width, b / width * n + first + b % width) =
            (a == b ? scalar : 0.0) + spin_orbit * ls(a, b);
    first += width;
  }
  return projection;
}

bool has_spin_orbit(const Pseudopotentials& atoms) {
  return std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) { return atom->has_spin_orbit(); });
}

AtomMatrices spinor_couplings(const Crystal& crystal, const Pseudopotentials& atoms) {
  AtomMatrices all = bare_couplings(crystal, atoms);
  for (std::size_t a = 0; a < all.size(); ++a) {
    const Pseudopotential& atom = *atoms[static_cast<std::size_t>(crystal.atoms[a].species)];
    if (atom.has_spin_orbit()) all[a] = spin_orbit_couplings(atom);
  }
  return all;
}

AtomMatrices spinor_charges(const Crystal& crystal, const Pseudopotentials& atoms) {
  return SpinorMatrices(crystal, atoms).couplings({augmentation_charges(crystal, atoms)});
}

}  // namespace wavegrid
