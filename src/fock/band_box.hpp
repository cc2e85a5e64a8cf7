// Bands of one k-point between the plane waves of a whole sphere and a box of points, on one rank.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/fock/box_fft.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

/// A band at a point is u(r) = sum_G c(G) exp(iG.r), real in Mode::gamma. Local.
template <class S>
class BandBox {
 public:
  using Complex = std::complex<double>;

  /// `g`: Miller indices of the plane waves; of half of the sphere for real bands. The transform must outlive it.
  BandBox(const BoxFft& fft, std::span<const Int3> g);

  [[nodiscard]] Index size() const { return static_cast<Index>(place_.size()); }
  /// values (bands, points) of bands (bands, plane waves).
  void to_points(const Complex* bands, Index count, S* values, BoxFft::Workspace& work) const;
  /// bands (bands, plane waves) of values.
  void to_waves(const S* values, Index count, Complex* bands, BoxFft::Workspace& work) const;

 private:
  /// One transform: of a band, or for real ones of a + i b (b may be null).
  void pair_to_points(const Complex* a, const Complex* b, Complex* box, BoxFft::Workspace& work) const;
  void pair_to_waves(const Complex* box, Complex* a, Complex* b) const;

  const BoxFft& fft_;
  std::vector<Index> place_, opposite_;  ///< of G and -G in the box; the latter for real bands
};

}  // namespace wavegrid
