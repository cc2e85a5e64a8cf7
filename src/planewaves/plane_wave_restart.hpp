// Restart in plane waves.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/discretisation/restart_file.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Restart in plane waves.
class PlaneWaveRestart : public RestartFile {
 public:
  /// As RestartFile. The fields must outlive it.
  PlaneWaveRestart(const Comm& world, const Problem& problem, GridFields& fields);

  /// The initial density: that of the file if cell, grid and atoms are the same, otherwise that of carried_density().
  /// `superposed`: that of superposed atoms. Collective over the world.
  [[nodiscard]] SpinCoefficients density(SpinCoefficients superposed, const std::vector<PseudoAtom>& pseudo_atoms);

  /// The kinetic-energy density of the file, `spins` components; empty if it has none for this cell and these atoms.
  /// Collective over the world.
  [[nodiscard]] SpinCoefficients tau(int spins);

  /// Bands of the same or an equivalent k-point of the file; bands that the file lacks are random. Empty if the file
  /// has no such k-point. Collective over the k-point group.
  template <class S>
  [[nodiscard]] std::optional<Bands<S>> orbitals(PlaneWaveBands<S>& kpoint_bands, Index count);
  /// The same with HX and Ritz values in the present potential.
  template <class S>
  [[nodiscard]] std::optional<EigenState<S>> bands(PlaneWaveBands<S>& kpoint_bands, Index count);

 private:
  GridFft& grid_;
  std::optional<Mat3> turn_;
  bool same_crystal_ = false;
};

}  // namespace wavegrid
