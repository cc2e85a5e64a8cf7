#include "calculation/restart.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "linalg/overlap.hpp"
#include "mpi/process_grid.hpp"
#include "wavefunctions/reassign.hpp"

namespace wavegrid {

RestartFile::RestartFile(const Comm& world, const std::string& file, const Crystal& crystal)
    : world_(world), crystal_(crystal), reader_(world, file) {
  report_.file = file;
  const Crystal& of_file = reader_.header().crystal;
  if (!same_elements(of_file, crystal))
    throw bad_input(file + " holds " + std::to_string(of_file.num_atoms()) +
                    " atoms that are not those of the input; a restart needs the same elements in the same order");
}

template <class S>
std::optional<BandOrigin> RestartFile::find(const Vec3& k, const SpaceGroup& symmetry) {
  const auto origin = origin_of(k, header().kpoints, symmetry);
  if (!origin || (ScalarTraits<S>::is_real && header().mode != Mode::gamma)) {
    ++report_.kpoints_missing;
    return std::nullopt;
  }
  ++(origin->map.is_identity() ? report_.kpoints_found : report_.kpoints_rotated);
  return origin;
}

template <class S>
Index RestartFile::read(const Comm& ranks, const BandOrigin& origin, int spin, const PlaneWaves& waves,
                        const InnerProduct& product, BandView<S> bands, BandOperator<S>* overlap) {
  const BandView<S> loaded = bands.slice(0, std::min(bands.count, header().bands));
  reader_.read_bands<S>(ranks, origin.k, origin.map, waves, {{std::min(spin, header().spins - 1), loaded}});
  report_.bands_found = loaded.count;
  for (const double norm : overlap ? overlap_norms<S>(*overlap, loaded) : squared_norms<S>(product, loaded))
    report_.norm_kept = std::min(report_.norm_kept, norm);
  return loaded.count;
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

Restart::Restart(const Comm& world, const std::string& file, const Crystal& crystal)
    : RestartFile(world, file, crystal),
      same_crystal_(same_cell(header().crystal.lattice, crystal.lattice) && same_positions(header().crystal, crystal)) {
}

SpinCoefficients Restart::density(GridFft& grid, SpinCoefficients superposed,
                                  const std::vector<PseudoAtom>& pseudo_atoms) {
  const ScopeTimer timer(report_.seconds);
  const CheckpointHeader& header = reader_.header();
  if (same_crystal_ && header.grid == grid.layout().grid) {
    report_.density = "taken";
    const auto fields = reader_.read_field(GridField::density, grid.layout());
    for (std::size_t c = 0; c < std::min(fields.size(), superposed.size()); ++c)
      superposed[c] = grid.to_recip(fields[c]);
    return superposed;
  }
  report_.density = "carried over";
  const GridShape shape = plane_shape(world_.size(), header.grid[0]);
  const ProcessGrid ranks(world_, shape.rows, shape.columns);
  GridFft old(ranks, header.crystal.lattice, header.grid, Scheme::greedy,
              {.transport = Transport::alltoallv, .effort = PlanEffort::estimate});
  EarlierDensity earlier{header.crystal, old, {}};
  for (const auto& component : reader_.read_field(GridField::density, old.layout()))
    earlier.density.push_back(old.to_recip(component));
  return carried_density(grid, crystal_, std::move(superposed), std::move(earlier), pseudo_atoms);
}

template <class S>
std::optional<EigenState<S>> Restart::bands(PlaneWaveBands<S>& of_k, Index count) {
  const ScopeTimer timer(report_.seconds);
  const auto origin = find<S>(of_k.basis->sphere.k(), same_crystal_ ? header().symmetry : SpaceGroup::identity());
  if (!origin) return std::nullopt;
  EigenState<S> state(of_k.h.rows(), count, of_k.h.has_overlap());
  const Index loaded =
      read<S>(of_k.basis->fft.comm(), *origin, of_k.spin, of_k.h.waves(), of_k.h.product(), state.x.view(), &of_k.h);
  report_.bands_random += complete_bands<S>({of_k.h.waves(), of_k.h.product()}, state.x.view(), loaded, &of_k.h);
  apply_images<S>(of_k.h, state.view());
  rayleigh_ritz(of_k.h, state);
  return state;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                    \
  template std::optional<BandOrigin> RestartFile::find<S>(const Vec3&, const SpaceGroup&);                         \
  template Index RestartFile::read<S>(const Comm&, const BandOrigin&, int, const PlaneWaves&, const InnerProduct&, \
                                      BandView<S>, BandOperator<S>*);                                              \
  template std::optional<EigenState<S>> Restart::bands<S>(PlaneWaveBands<S>&, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
