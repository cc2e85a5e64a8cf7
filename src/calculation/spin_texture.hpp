// The spin of each state of spinors: <psi|sigma|psi>, a vector of length 1 at most.
//
//   <sigma_z> = |psi_up|^2 - |psi_down|^2,   <sigma_x> + i <sigma_y> = 2 <psi_up|psi_down>
//
// and of ultrasoft and PAW datasets sum_ij q_ij m_ij besides (terms/spinor_matrices.hpp).
// Of degenerate states, as Kramers pairs are, any combination is a state: only their sum means something.
#pragma once

#include <vector>

#include <wavegrid/problem/problem.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>

namespace wavegrid {

/// Collects the spins of bands, k-point by k-point. Refers to the problem.
class SpinTexture {
 public:
  explicit SpinTexture(const Problem& problem) : problem_(problem) {}

  /// Adds the problem's bands of one k-point, which have spinors of S. Collective over the k-point group.
  template <class S>
  void add(KohnShamBands<S>& of);
  /// (k-point, band, axis), of so many k-points, on all ranks. Collective over the world.
  [[nodiscard]] std::vector<double> gather(const ProcessGroups& groups, Index num_k) const;

 private:
  /// Adds what the charges of the datasets have of the spin of each band: (band, axis).
  template <class S>
  void add_augmentation(KohnShamBands<S>& of, std::vector<double>& spins) const;
  struct Found {
    int k;
    std::vector<double> spins;  ///< (band, axis)
  };
  const Problem& problem_;
  std::vector<Found> found_;
};

}  // namespace wavegrid
