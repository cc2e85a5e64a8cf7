// The functions of a rank's atoms with all their plane waves, on that rank.
//
// In linear algebra every rank has a few plane waves of all functions; boxes need whole functions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/fock/band_box.hpp>
#include <wavegrid/orbitals/orbital_layout.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

/// Functions (my functions, all plane waves) of one k-point. S: real for Gamma.
template <class S>
class GatheredOrbitals {
 public:
  using Complex = std::complex<double>;

  /// `rows`: this rank's plane waves in linear algebra. `sphere`: that of the k-point. References must outlive this
  /// object. Collective over `comm`, whose ranks have the atoms of `layout`.
  GatheredOrbitals(const Comm& comm, const OrbitalLayout& layout, const GSphere& sphere, const PlaneWaves& rows,
                   bool deterministic);

  /// Gets the functions of this rank's atoms. Collective.
  void gather(BandView<const S> functions);
  /// Values u(r) of all functions of an atom of this rank: (functions, points of its box). Local.
  void sample(Index atom, std::span<S> values);
  /// The reverse of both: projects functions with values in the box of an atom of this rank, 0 elsewhere, on the plane
  /// waves. Local.
  void project(Index atom, std::span<const S> values);
  /// Sets what this rank has in linear algebra of the functions. Collective.
  void scatter(BandView<S> functions);

 private:
  [[nodiscard]] WaveList in_rows() const;
  [[nodiscard]] WaveList whole() const;

  Comm comm_;
  const OrbitalLayout& layout_;
  Lattice lattice_;
  std::vector<Int3> g_;  ///< of all plane waves
  BoxFft fft_;
  BandBox<S> box_;
  BoxFft::Workspace work_;
  Mode mode_;
  Range mine_;  ///< functions of this rank
  const PlaneWaves& rows_;
  std::unique_ptr<WaveTransfer> there_, back_;  ///< on one rank of one function, else of all; back_ once it is needed
  std::vector<Complex> values_;                 ///< (my functions, all plane waves)
};

}  // namespace wavegrid
