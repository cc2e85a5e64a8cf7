#include <algorithm>
#include <array>
#include <complex>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/same_crystal.hpp>
#include <wavegrid/discretisation/checkpoint_matrices.hpp>
#include <wavegrid/discretisation/restart_file.hpp>
#include <wavegrid/eigen/eigen_state.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

RestartFile::RestartFile(const Comm& world, const std::string& file, const Crystal& crystal)
    : world_(world), crystal_(crystal), reader_(world, file) {
  report_.file = file;
  const Crystal& file_crystal = reader_.header().crystal;
  if (!same_elements(file_crystal, crystal))
    throw bad_input(file + " holds " + std::to_string(file_crystal.num_atoms()) +
                    " atoms that are not those of the input; a restart needs the same elements in the same order");
}

namespace {

/// Turns the moments of the matrices of all atoms.
void turn_moments(const Mat3& turn, SpinMatrices& matrices) {
  for (std::size_t a = 0; a < matrices[0].size(); ++a)
    for (std::size_t i = 0; i < matrices[0][a].elements().size(); ++i) {
      std::array<std::complex<double>, 3> moment;
      for (std::size_t axis = 0; axis < 3; ++axis) moment[axis] = matrices[axis + 1][a].elements()[i];
      for (std::size_t axis = 0; axis < 3; ++axis)
        matrices[axis + 1][a].elements()[i] =
            turn[axis][0] * moment[0] + turn[axis][1] * moment[1] + turn[axis][2] * moment[2];
    }
}

}  // namespace

template <class S>
std::optional<BandOrigin> RestartFile::find(const Vec3& k, const SpaceGroup& symmetry, int components) {
  const auto origin = find_origin(k, header().kpoints, symmetry);
  if (!origin || header().bands == 0 || header().components != components ||
      (ScalarTraits<S>::is_real && header().mode != Mode::gamma)) {
    ++report_.kpoints_missing;
    return std::nullopt;
  }
  ++(origin->map.is_identity() ? report_.kpoints_found : report_.kpoints_rotated);
  return origin;
}

template <class S>
Index RestartFile::read(const Comm& ranks, const BandOrigin& origin, int spin, const PlaneWaves& waves,
                        const InnerProduct& product, BandView<S> bands, BandOperator<S>* overlap, int components) {
  const BandView<S> loaded = bands.slice(0, std::min(bands.count, header().bands));
  reader_.read_bands<S>(ranks, origin.k, origin.map, waves,
                        {{std::min(spin, header().spins - 1), loaded.split(components)}});
  if (components == 2 && !origin.map.is_identity())
    rotate_components<S>(spinor_rotation(origin.map, header().crystal.lattice.vectors()), loaded);
  report_.bands_found = loaded.count;
  for (const double norm : overlap ? overlap_norms<S>(*overlap, loaded) : squared_norms<S>(product, loaded))
    report_.norm_kept = std::min(report_.norm_kept, norm);
  return loaded.count;
}

bool RestartFile::take_tau(bool fits, int spins) {
  const bool taken = header().kinetic_density && fits && header().spins == spins;
  report_.kinetic_density = taken ? "taken" : "model";
  return taken;
}

SpinMatrices RestartFile::matrices(SpinMatrices initial, const std::vector<int>& datasets,
                                   const std::optional<Mat3>& turn) {
  SpinMatrices found = matrices_from(header());
  if (turn && has_vector(found)) turn_moments(*turn, found);
  bool some = false, all = !found.empty();
  for (std::size_t a = 0; a < initial[0].size() && !found.empty(); ++a) {
    if (initial[0][a].rows() == 0) continue;
    if (header().matrix_datasets[a] != datasets[a] || found[0][a].rows() != initial[0][a].rows()) {
      all = false;
      continue;
    }
    some = true;
    for (std::size_t component = 0; component < std::min(found.size(), initial.size()); ++component)
      initial[component][a] = std::move(found[component][a]);
  }
  report_.matrices = all ? "taken" : some ? "partly" : "atoms";
  return initial;
}

std::vector<double> RestartFile::occupations(const Problem& problem) const {
  constexpr double same = 1e-8;  // reciprocal vectors
  const CheckpointHeader& file = header();
  const bool same_points =
      std::equal(file.kpoints.begin(), file.kpoints.end(), problem.kpoints.begin(), problem.kpoints.end(),
                 [&](const KPoint& a, const KPoint& b) { return norm(a.k - b.k) < same; });
  if (!same_points || file.spins != problem.spins || file.bands == 0) return {};
  std::vector<double> all;
  for (Index set = 0; set < static_cast<Index>(problem.kpoints.size()) * problem.spins; ++set)
    for (Index band = 0; band < problem.bands; ++band)
      all.push_back(band < file.bands ? file.occupations[static_cast<std::size_t>(set * file.bands + band)] : 0.0);
  return all;
}

RestartReport RestartFile::report(const ProcessGroups& levels) const {
  RestartReport all = report_;
  const bool is_group_root = levels.kpoint_group().rank() == 0;
  for (Index* count : {&all.kpoints_found, &all.kpoints_rotated, &all.kpoints_missing, &all.bands_random})
    *count = world_.sum(is_group_root ? *count : Index{0});
  all.bands_found = world_.max(all.bands_found);
  all.norm_kept = world_.min(std::min(1.0, all.norm_kept));
  return all;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                    \
  template std::optional<BandOrigin> RestartFile::find<S>(const Vec3&, const SpaceGroup&, int);                    \
  template Index RestartFile::read<S>(const Comm&, const BandOrigin&, int, const PlaneWaves&, const InnerProduct&, \
                                      BandView<S>, BandOperator<S>*, int);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
