// The FFT box around a mesh: Fourier coefficients of functions on a mesh, and Poisson's equation in them.
//
// In periodic directions the box is the cell. In the others it is wider than the region, and the Coulomb interaction
// does not reach a periodic image there: it is cut off at a distance that no two points exceed
// (ions/coulomb_kernel.hpp), or, if no direction is periodic, the box has twice the extent of the region
// (terms/isolated_coulomb.hpp). The potential is exactly that of an isolated molecule, chain or layer.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/fields/spin_fields.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>
#include <wavegrid/mesh/mesh.hpp>

namespace wavegrid {

/// The largest distance between two points of the region of a mesh across its periodic directions, or a little more,
/// bohr. Pure.
[[nodiscard]] double diameter_of(const MeshGrid& grid);

/// The ranks as the rows and columns that divide transforms of a box of `counts` points. Collective.
[[nodiscard]] ProcessGrid ranks_of_box(const Comm& comm, const Int3& counts);

/// Functions on a mesh are zero outside its region. Members are collective over the mesh's communicator unless they say
/// "local".
class MeshBox {
 public:
  using Coefficients = GridFft::Coefficients;

  /// The mesh is not needed afterwards. `transport`: of the transforms; none: the fastest.
  MeshBox(const Mesh& mesh, int threads, Profile* profile, const std::optional<Transport>& transport = {});
  MeshBox(const MeshBox&) = delete;
  MeshBox& operator=(const MeshBox&) = delete;

  /// Points of the box along each axis. Pure.
  [[nodiscard]] static Int3 counts_of(const MeshGrid& grid);
  /// Bytes on a rank, with what forms the potential of the atoms and solves Poisson's equation. Pure.
  [[nodiscard]] static double bytes(const MeshGrid& grid, int ranks, int threads);

  [[nodiscard]] GridFft& fft() { return fft_; }
  [[nodiscard]] const GridFft& fft() const { return fft_; }
  /// Whether all directions are periodic: the box is the cell then. Local.
  [[nodiscard]] bool is_periodic() const { return periodic_; }
  /// The largest wave number of the mesh in every direction, pi over its largest step, 1/bohr. Local.
  [[nodiscard]] double largest_g() const { return largest_g_; }
  /// 1 where |G| < largest_g(), on this rank's G. Local.
  [[nodiscard]] const std::vector<char>& inside() const { return inside_; }

  /// Fourier coefficients in the box of values at this rank's points of the mesh.
  [[nodiscard]] Coefficients to_box(const FieldValues& values);
  /// The same values at this rank's points of the box.
  [[nodiscard]] FieldValues on_grid(const FieldValues& values);
  /// Values at this rank's points of the mesh.
  [[nodiscard]] FieldValues to_mesh(const Coefficients& coefficients);

  /// The Coulomb interaction at this rank's G, bohr^2; 0 at G = 0 of a periodic cell (docs/conventions.md). Local.
  [[nodiscard]] const std::vector<double>& coulomb() const { return coulomb_; }
  /// The same with one or two periodic directions, as a function; null otherwise. Local.
  [[nodiscard]] const CoulombKernel* kernel() const;
  /// The width of Gaussian charges that have no waves beyond largest_g(), bohr. Local.
  [[nodiscard]] double smooth_width() const;

  /// The same atoms in the lattice of the box, with the positions that the points of the mesh have there. Local.
  [[nodiscard]] Crystal in_box(const Crystal& crystal) const;

 private:
  MeshGrid grid_;
  Index num_points_;
  bool periodic_;
  double largest_g_;
  ProcessGrid ranks_;
  GridFft fft_;
  ExchangePlan plan_;     ///< from the box to the mesh
  CoulombKernel kernel_;  ///< without meaning where no direction is periodic
  std::vector<char> inside_;
  std::vector<double> coulomb_;
};

}  // namespace wavegrid
