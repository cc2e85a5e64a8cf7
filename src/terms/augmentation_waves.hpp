// The functions (-i)^L Y_LM(G) u_k(|G|) of an augmentation_table.hpp at some G, as matrices for products with the
// moments of many atoms.
//
//   n^(G) = 1/Omega sum_a exp(-iG.tau_a) (sum_{even L} B_j(G) n_a,j + i sum_{odd L} B_j(G) n_a,j),   j = (L, k, M)
//
// Half of the G are enough where functions are real: fourier_box.hpp, half_weight().
#pragma once

#include <span>
#include <vector>

#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/terms/augmentation_table.hpp>
#include <wavegrid/terms/fourier_box.hpp>

namespace wavegrid {

/// Atoms of a species that are treated together, with their phases.
struct AtomGroup {
  AtomGroup(const FourierBox& box, const Crystal& crystal, std::span<const int> which);
  [[nodiscard]] Index size() const { return static_cast<Index>(phases.size()); }

  std::vector<std::size_t> numbers;  ///< in the crystal
  std::vector<AtomPhases> phases;
};

/// What atoms of a species share at some G. Memory is kept from one set() to the next. Members are local.
class AugmentationWaves {
 public:
  /// Both arguments must outlive this object.
  AugmentationWaves(const AugmentationTable& table, const FourierBox& box);

  /// Those of a range of this rank's G that electrostatic potentials have and whose half_weight() is not 0.
  void set(Range elements, bool with_slopes = false);

  [[nodiscard]] Index size() const { return std::ssize(at_); }
  [[nodiscard]] std::size_t element(Index n) const { return at_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] double weight(Index n) const { return weight_[static_cast<std::size_t>(n)]; }

  /// Real and imaginary parts, arrays (waves, atoms).
  struct Parts {
    std::vector<double> real, imaginary;
  };
  /// sum_j B_j n_a,j of `moments` (moments, atoms): even L are real, odd ones imaginary.
  void sum_moments(const std::vector<double>& moments, Index atoms, Parts& sums) const;
  /// The adjoint: adds sum_G B_j Re(z) for even L and -sum_G B_j Im(z) for odd ones to `sums` (moments, atoms).
  void add_products(const Parts& z, Index atoms, std::span<double> sums) const;
  /// weight(G) conj(V(G)) exp(-iG.tau_a), the imaginary part with the other sign.
  void turned(const GridFft::Coefficients& potential, const AtomGroup& atoms, Parts& z) const;
  /// Adds the derivatives of sum_G Re(z_a (-i)^L B_j n_a,j) by a strain, summed over atoms, to six numbers
  /// (symmetric_sums.hpp).
  void add_strain(const Parts& z, const std::vector<double>& moments, Index atoms, std::span<double> sums) const;

 private:
  const AugmentationTable& table_;
  FourierBox box_;
  RealHarmonics harmonics_;
  std::vector<std::size_t> at_;
  std::vector<double> weight_;
  std::vector<double> radial_, slope_;  ///< u_k and du_k/dq, (shapes, waves)
  std::vector<double> y_;               ///< Y_LM, (harmonics, waves)
  std::vector<Vec3> gradient_;          ///< |G| grad Y_LM, likewise
  std::vector<double> products_;        ///< B, (moments, waves)
};

}  // namespace wavegrid
