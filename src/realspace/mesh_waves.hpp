// Functions on a mesh as plane waves, and plane waves as functions on a mesh.
//
// The values of a function at the points are those of a sum of plane waves of a box that contains the mesh and repeats
// it; the points of the box outside the mesh's region are zeros. Waves beyond a cutoff, which are few, are left out.
#pragma once

#include <optional>

#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/fft/sphere_fft.hpp>
#include <wavegrid/mesh/mesh.hpp>

namespace wavegrid {

/// A periodic box of points with the distances of a mesh's.
struct WaveBox {
  Lattice lattice;
  Int3 counts;  ///< points along its vectors
  Int3 origin;  ///< the point of the box that is point (0, 0, 0) of the mesh

  /// The cell where the region is the cell, otherwise the smallest box of all points with sizes that an FFT likes.
  /// Pure.
  [[nodiscard]] static WaveBox around(const MeshGrid& grid);

  /// The largest cutoff at which the waves of all k-points fit into the box, Ha. Pure.
  [[nodiscard]] double largest_cutoff(const std::vector<KPoint>& kpoints) const;
  /// Coordinates in units of the points of the mesh, as fractions of the box, and back. Pure.
  [[nodiscard]] Vec3 from_points(const Vec3& points) const;
  [[nodiscard]] Vec3 to_points(const Vec3& fractions) const;
};

/// Fields and bands of S at one k-point. Members are collective over the mesh's communicator unless they say "local".
template <class S>
class MeshWaves {
 public:
  /// The sphere of `ecut` (Ha) around k has to fit into the box. The mesh must outlive it. `components`: of a band.
  /// Throws bad_input as GSphere does.
  MeshWaves(const Mesh& mesh, const WaveBox& box, double ecut, const Vec3& kpoint, int components = 1);

  [[nodiscard]] const PlaneWaves& waves() const { return waves_; }  ///< of this rank. Local.
  /// Of coefficients as rows of bands (wave_rows.hpp). Local.
  [[nodiscard]] InnerProduct product() const { return wave_product(mesh_.comm(), waves_); }
  /// Of values at this rank's points of the box. Local.
  [[nodiscard]] const FftLayout& layout() const { return fft_.layout(); }

  /// The coefficients of bands, orthonormal: rows of bands, (components x waves, bands). Fewer bands are returned only
  /// if some depend linearly on others.
  [[nodiscard]] Bands<S> to_waves(BandView<const S> spinors);
  /// Values at the points of the mesh of bands given by coefficients, normalised as these.
  [[nodiscard]] Bands<S> to_mesh(BandView<const S> coefficients_of_bands);

  /// A field at this rank's points of the box; zero outside the mesh.
  [[nodiscard]] std::vector<double> on_box(const std::vector<double>& values);
  /// Its values at this rank's points of the mesh.
  [[nodiscard]] std::vector<double> on_mesh(const std::vector<double>& in_box);

 private:
  /// values *= exp(sign i k.r), from Bloch functions (sign -1) to their periodic part and back.
  void multiply_phases(int sign, BandView<S> values) const;

  const Mesh& mesh_;
  Vec3 kpoint_;
  int components_;
  Int3 counts_;
  double volume_;
  ProcessGrid ranks_;
  GSphere sphere_;
  Partition partition_;
  PlaneWaves waves_;
  SphereFft<double> fft_;
  ExchangePlan plan_;  ///< from the box to the mesh; points outside the box are in no run
};

}  // namespace wavegrid
