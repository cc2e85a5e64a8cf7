// The state of a propagation in time in one HDF5 file, from which it goes on with any number of ranks: bands, the
// potentials from which the next one is extrapolated, and a few numbers. Exact: values are those of the memory.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/checkpoint/file_order.hpp>
#include <wavegrid/checkpoint/table.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// All but the arrays, the same on all ranks. Units: Ha, bohr, hbar = 1.
struct PropagationHeader {
  std::string identity{};  ///< JSON: what of an input has to be the same for another part of the run
  int step = 0;            ///< after which the state is
  double timestep = 0;
  Vec3 vector_potential{};            ///< 1/bohr
  std::vector<double> occupations{};  ///< electrons of all states: k-point, spin, band
  std::vector<double> statistics{};   ///< sums and maxima of the steps so far
  std::vector<double> atoms{};        ///< of moving atoms: positions (bohr), then velocities, Cartesian
  std::vector<double> matrices{};     ///< of the earlier potentials, with couplings of the projectors, where they have
  std::vector<int> bands{};           ///< that are propagated, of each k-point and spin
  int potentials = 0, fields = 1;     ///< the earlier potentials, and the fields of each
};

/// The occupied bands of a k-point and spin of this rank's k-point group.
struct PropagatedBands {
  int set = 0;             ///< k-point times spins, and the spin
  std::vector<Int3> rows;  ///< what this rank's rows are
  BandView<std::complex<double>> bands{};
};

/// This rank's values of a potential and what its points are.
struct PropagatedFields {
  std::vector<Int3> points;
  std::vector<std::vector<double>> values;  ///< potential by potential
};

/// Writes a file under another name and renames it when it is complete. Collective over the world of `groups`; the same
/// error on all ranks: environment_error where the system cannot write. Returns its bytes.
Index write_propagation(const std::filesystem::path& path, const PropagationHeader& header, const ProcessGroups& groups,
                        const std::vector<PropagatedBands>& bands, const PropagatedFields& fields);

/// A file that is open. Errors, the same on all ranks: bad_input where it is none, damaged or of other sizes.
class PropagationReader {
 public:
  /// Collective over the world.
  PropagationReader(const ProcessGroups& groups, const std::filesystem::path& path);

  [[nodiscard]] const PropagationHeader& header() const { return header_; }
  /// Reads bands into the views, and the fields, as many as the file has. Collective over the world.
  void read(const std::vector<PropagatedBands>& bands, PropagatedFields& fields) const;

 private:
  const ProcessGroups& groups_;
  std::filesystem::path path_;
  PropagationHeader header_;
  std::vector<double> checksums_;
  std::vector<Index> sizes_;  ///< rows of each k-point and spin, and points
};

}  // namespace wavegrid
