#include <algorithm>

#include <wavegrid/crystal/same_crystal.hpp>
#include <wavegrid/mpi/process_grid.hpp>
#include <wavegrid/planewaves/moved_density.hpp>
#include <wavegrid/planewaves/plane_wave_restart.hpp>
#include <wavegrid/wavefunctions/reassign.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

namespace {

/// The grid of a file over the ranks of the world.
struct FileGrid {
  ProcessGrid ranks;
  GridFft fft;

  FileGrid(const Comm& world, const CheckpointHeader& header)
      : FileGrid(world, header, plane_shape(world.size(), header.grid[0])) {}

 private:
  FileGrid(const Comm& world, const CheckpointHeader& header, const GridShape& shape)
      : ranks(world, shape.rows, shape.columns),
        fft(ranks, header.crystal.lattice, header.grid, Scheme::greedy,
            {.transport = Transport::alltoallv, .effort = PlanEffort::estimate}) {}
};

/// The components of a field of a file on its grid.
SpinCoefficients coefficients(CheckpointReader& reader, GridField field, GridFft& grid) {
  SpinCoefficients found;
  for (const auto& component : reader.read_field(field, grid.layout())) found.push_back(grid.to_recip(component));
  return found;
}

}  // namespace

PlaneWaveRestart::PlaneWaveRestart(const Comm& world, const Problem& problem, GridFields& fields)
    : RestartFile(world, problem.restart_file, problem.crystal),
      grid_(fields.grid()),
      turn_(problem.restart_turn),
      same_crystal_(same_cell(header().crystal.lattice, problem.crystal.lattice) &&
                    same_positions(header().crystal, problem.crystal)) {}

SpinCoefficients PlaneWaveRestart::density(SpinCoefficients superposed, const std::vector<PseudoAtom>& pseudo_atoms) {
  const ScopeTimer timer(report_.seconds);
  const CheckpointHeader& header = reader_.header();
  if (same_crystal_ && header.grid == grid_.layout().grid) {
    report_.density = "taken";
    SpinCoefficients found = with_components(coefficients(reader_, GridField::density, grid_), superposed.size());
    for (std::size_t c = 0; c < std::min(found.size(), superposed.size()); ++c) superposed[c] = std::move(found[c]);
    return superposed;
  }
  report_.density = "carried over";
  FileGrid old(world_, header);
  EarlierDensity earlier{header.crystal, old.fft,
                         with_components(coefficients(reader_, GridField::density, old.fft), superposed.size())};
  return carried_density(grid_, crystal_, std::move(superposed), std::move(earlier), pseudo_atoms);
}

SpinCoefficients PlaneWaveRestart::tau(int spins) {
  if (!take_tau(same_crystal_, spins)) return {};
  const ScopeTimer timer(report_.seconds);
  if (header().grid == grid_.layout().grid) return coefficients(reader_, GridField::kinetic_density, grid_);
  FileGrid old(world_, header());
  return moved_density(old.fft, grid_, coefficients(reader_, GridField::kinetic_density, old.fft));
}

template <class S>
std::optional<Bands<S>> PlaneWaveRestart::orbitals(PlaneWaveBands<S>& kpoint_bands, Index count) {
  const ScopeTimer timer(report_.seconds);
  const auto origin = find<S>(kpoint_bands.basis->sphere.k(),
                              same_crystal_ ? header().symmetry : SpaceGroup::identity(), kpoint_bands.h.components());
  if (!origin) return std::nullopt;
  Bands<S> x(kpoint_bands.h.rows(), count);
  const Index loaded = read<S>(kpoint_bands.basis->fft.comm(), *origin, kpoint_bands.spin, kpoint_bands.h.waves(),
                               kpoint_bands.h.product(), x.view(), &kpoint_bands.h, kpoint_bands.h.components());
  if (turn_ && kpoint_bands.h.components() == 2)
    rotate_components<S>(spinor_rotation(*turn_), x.view().slice(0, loaded));
  report_.bands_random += complete_bands<S>(kpoint_bands.h.wave_basis(), x.view(), loaded, &kpoint_bands.h);
  return x;
}

template <class S>
std::optional<EigenState<S>> PlaneWaveRestart::bands(PlaneWaveBands<S>& kpoint_bands, Index count) {
  auto x = orbitals<S>(kpoint_bands, count);
  if (!x) return std::nullopt;
  const ScopeTimer timer(report_.seconds);
  EigenState<S> state(kpoint_bands.h.rows(), count, kpoint_bands.h.has_overlap());
  state.x = std::move(*x);
  apply_h_and_s<S>(kpoint_bands.h, state.view());
  rayleigh_ritz(kpoint_bands.h, state);
  return state;
}

#define WAVEGRID_INSTANTIATE(S)                                                              \
  template std::optional<Bands<S>> PlaneWaveRestart::orbitals<S>(PlaneWaveBands<S>&, Index); \
  template std::optional<EigenState<S>> PlaneWaveRestart::bands<S>(PlaneWaveBands<S>&, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
