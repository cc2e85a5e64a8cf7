// An opened checkpoint from which a calculation restarts: of the same crystal or a moved one, with any parallel layout,
// k-points and cutoff.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/checkpoint/read_checkpoint.hpp>
#include <wavegrid/discretisation/band_origin.hpp>
#include <wavegrid/discretisation/restart_report.hpp>
#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/linalg/inner_product.hpp>
#include <wavegrid/mpi/process_groups.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// A density with a magnetisation along z as one with a vector, or that along z of a vector, where `components` says
/// so; another one as it is. Local.
template <class Field>
[[nodiscard]] std::vector<Field> with_components(std::vector<Field> density, std::size_t components) {
  if (density.size() == 2 && components == 4) {
    const Field none(density[0].size());
    density.insert(density.begin() + 1, {none, none});
  } else if (density.size() == 4 && components == 2) {
    density.erase(density.begin() + 1, density.begin() + 3);
  }
  return density;
}

/// An opened checkpoint and the crystal of the calculation that restarts from it. Each discretisation derives from it.
class RestartFile {
 public:
  /// Reads the header. Collective. Throws on all ranks if the file cannot be read or has other atoms.
  RestartFile(const Comm& world, const std::string& file, const Crystal& crystal);

  [[nodiscard]] const CheckpointHeader& header() const { return reader_.header(); }
  /// The matrices rho_ij with which a calculation begins: those of the file for the atoms that have the same projectors
  /// there (`datasets`: their hashes by atom), otherwise `initial`, those of free atoms, which also stand for the
  /// magnetisation that a file without spin lacks. Those of the file are turned by `turn` (Problem::restart_turn).
  /// Records it. Local.
  [[nodiscard]] SpinMatrices matrices(SpinMatrices initial, const std::vector<int>& datasets,
                                      const std::optional<Mat3>& turn = std::nullopt);
  /// The occupations of the file for the states of a problem: electrons, weights included; empty where it has other
  /// k-points or spins. Local.
  [[nodiscard]] std::vector<double> occupations(const Problem& problem) const;
  /// The report, with counts summed over the k-point groups. Collective over the world.
  [[nodiscard]] RestartReport report(const ProcessGroups& levels) const;

 protected:
  /// The k-point of the file from which the bands of S at k, of so many components, are obtained, with `symmetry`;
  /// counts what was found. Local.
  template <class S>
  [[nodiscard]] std::optional<BandOrigin> find(const Vec3& k, const SpaceGroup& symmetry, int components = 1);
  /// Reads bands and records what they have lost in this basis; returns how many the file has. `overlap`:
  /// an operator on the basis whose S norms are those of the bands. `components`: of a band. Collective over `ranks`.
  template <class S>
  Index read(const Comm& ranks, const BandOrigin& origin, int spin, const PlaneWaves& waves,
             const InnerProduct& product, BandView<S> bands, BandOperator<S>* overlap = nullptr, int components = 1);

  /// Whether the kinetic-energy density of the file is used, with the same basis and atoms (`fits`); records it. Local.
  bool take_tau(bool fits, int spins);

  Comm world_;
  const Crystal& crystal_;
  CheckpointReader reader_;
  RestartReport report_;
};

}  // namespace wavegrid
