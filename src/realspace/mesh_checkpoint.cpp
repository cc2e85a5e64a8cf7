#include <algorithm>
#include <cmath>

#include <wavegrid/crystal/same_crystal.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/eigen/missed_states.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/planewaves/moved_density.hpp>
#include <wavegrid/realspace/mesh_box.hpp>
#include <wavegrid/realspace/mesh_checkpoint.hpp>
#include <wavegrid/realspace/mesh_density.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

namespace {

/// A position in units of the points of a mesh.
Vec3 in_points(const Crystal& crystal, std::size_t atom, const Int3& counts) {
  Vec3 points = crystal.atoms[atom].position;
  for (std::size_t i = 0; i < 3; ++i) points[i] *= counts[i];
  return points;
}

/// The cell of a file in points of the mesh, shifted so that its atoms are nearest to those of `crystal`.
WaveBox box_over(const Mesh& mesh, const Crystal& file_crystal, const Crystal& crystal) {
  const MeshGrid& grid = mesh.grid();
  if (grid.region().kind == MeshRegion::Kind::cell) return {grid.lattice(), grid.counts(), {0, 0, 0}};
  WaveBox box{file_crystal.lattice, {}, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double steps = norm(file_crystal.lattice.vectors()[i]) / norm(grid.steps()[i]);
    box.counts[i] = static_cast<int>(std::clamp(std::round(steps), 1.0, double{max_axis_points}));
    double shift = 0;
    for (std::size_t a = 0; a < crystal.atoms.size(); ++a)
      shift += file_crystal.atoms[a].position[i] * box.counts[i] - in_points(crystal, a, grid.counts())[i];
    box.origin[i] = static_cast<int>(std::round(shift / static_cast<double>(crystal.atoms.size())));
  }
  return box;
}

/// The atoms of a file where they are over the points of the mesh, with the species of `like`.
Crystal placed_atoms(const MeshGrid& grid, const WaveBox& box, const Crystal& file_crystal, const Crystal& like) {
  Crystal placed = like;
  for (std::size_t a = 0; a < placed.atoms.size(); ++a) {
    placed.atoms[a].position = box.to_points(file_crystal.atoms[a].position);
    for (std::size_t i = 0; i < 3; ++i) placed.atoms[a].position[i] /= grid.counts()[i];
  }
  return placed;
}

/// Fields on a grid, divided over all ranks.
struct BoxTransform {
  ProcessGrid ranks;
  GridFft fft;

  BoxTransform(const Comm& world, const Lattice& lattice, const Int3& counts)
      : ranks(ranks_of_box(world, counts)),
        fft(ranks, lattice, counts, Scheme::greedy,
            {.transport = Transport::alltoallv, .effort = PlanEffort::estimate}) {}
};

/// Whether the box has the steps of the mesh, so that nothing is stretched.
bool same_steps(const WaveBox& box, const Crystal& file_crystal, const MeshGrid& grid) {
  constexpr double tolerance = 1e-9;  // bohr
  for (std::size_t i = 0; i < 3; ++i)
    if (norm(file_crystal.lattice.vectors()[i] - static_cast<double>(box.counts[i]) * grid.steps()[i]) > tolerance)
      return false;
  return true;
}

}  // namespace

template <class S>
WriteState writing_mesh(const Problem& problem, const ProcessGroups& groups, MeshSpace& space,
                        const MeshPotential& potential, const MeshBands<S>& bands, const Density<MeshFields>& density) {
  return [&](const CheckpointHeader& of_problem) {
    const WaveBox box = WaveBox::around(space.mesh.grid());
    CheckpointHeader header = of_problem;
    header.crystal.lattice = box.lattice;
    for (std::size_t a = 0; a < header.crystal.atoms.size(); ++a)
      header.crystal.atoms[a].position = box.from_points(in_points(problem.crystal, a, space.mesh.grid().counts()));
    header.grid = box.counts;
    header.ecut = box.largest_cutoff(problem.kpoints);
    std::vector<std::unique_ptr<MeshWaves<S>>> waves;
    std::vector<Bands<S>> rows;
    std::vector<CheckpointBands<S>> mine;
    rows.reserve(bands.size());
    for (const auto& one : bands) {
      if (waves.empty() || one->spin == 0)
        waves.push_back(
            std::make_unique<MeshWaves<S>>(space.band_mesh(), box, header.ecut, one->h.kpoint(), problem.components()));
      rows.push_back(waves.back()->to_waves(std::as_const(one->state.x).view()));
      mine.push_back({one->k, one->spin, waves.back()->waves(), std::as_const(rows.back()).view()});
    }
    MeshWaves<double> field_waves(space.mesh, box, header.ecut, {0, 0, 0});
    SpinFields values, effective_potential, tau;
    for (const FieldValues& component : density.n) values.push_back(field_waves.on_box(component));
    for (const FieldValues& component : density.tau) tau.push_back(field_waves.on_box(component));
    const DensityValues at_points{density.n, density.tau};
    for (const FieldValues& component : potential.potential({density, at_points}).v)
      effective_potential.push_back(field_waves.on_box(component));
    return write_checkpoint<S>(problem.checkpoint->file, header, groups, mine,
                               {field_waves.layout(), values, effective_potential, tau},
                               {.keep = problem.checkpoint->keep});
  };
}

MeshRestart::MeshRestart(const Comm& world, const Problem& problem, MeshSpace& grid)
    : RestartFile(world, problem.restart_file, problem.crystal),
      grid_(grid),
      turn_(problem.restart_turn),
      box_(box_over(grid.mesh, header().crystal, problem.crystal)),
      placed_(placed_atoms(grid.mesh.grid(), box_, header().crystal, problem.crystal)),
      same_steps_(same_steps(box_, header().crystal, grid.mesh.grid())),
      same_atoms_(same_steps_ && same_positions(placed_, problem.crystal)) {}

SpinFields MeshRestart::read_on_mesh(GridField field) {
  MeshWaves<double> in_box(grid_.mesh, box_, box_.largest_cutoff(std::vector<KPoint>(1)), {0, 0, 0});
  SpinFields found;
  if (header().grid == box_.counts) {
    for (const FieldValues& component : reader_.read_field(field, in_box.layout()))
      found.push_back(in_box.on_mesh(component));
    return found;
  }
  BoxTransform old(world_, header().crystal.lattice, header().grid), now(world_, box_.lattice, box_.counts);
  for (const FieldValues& component : reader_.read_field(field, old.fft.layout()))
    found.push_back(
        in_box.on_mesh(now.fft.to_real(moved_density(old.fft, now.fft, {old.fft.to_recip(component)}).front())));
  return found;
}

SpinFields MeshRestart::stretched_change(const std::vector<PseudoAtom>& atoms) {
  MeshWaves<double> in_box(grid_.mesh, box_, box_.largest_cutoff(std::vector<KPoint>(1)), {0, 0, 0});
  BoxTransform old(world_, header().crystal.lattice, header().grid), now(world_, box_.lattice, box_.counts);
  SpinCoefficients density;
  for (const FieldValues& component : reader_.read_field(GridField::density, old.fft.layout()))
    density.push_back(old.fft.to_recip(component));
  Crystal before = placed_;  // its species have the order of `atoms`
  before.lattice = header().crystal.lattice;
  for (std::size_t a = 0; a < before.atoms.size(); ++a) before.atoms[a].position = header().crystal.atoms[a].position;
  SpinFields found;
  for (const auto& component : moved_density(old.fft, now.fft, density_change(old.fft, before, density, atoms)))
    found.push_back(in_box.on_mesh(now.fft.to_real(component)));
  return found;
}

SpinFields MeshRestart::density(SpinFields initial, const std::vector<PseudoAtom>& atoms) {
  const ScopeTimer timer(report_.seconds);
  const bool same_grid = header().grid == box_.counts;
  SpinFields found =
      with_components(same_steps_ ? read_on_mesh(GridField::density) : stretched_change(atoms), initial.size());
  found.resize(std::min(found.size(), initial.size()));
  report_.density = same_grid && same_atoms_ ? "taken" : "carried over";
  if (!same_steps_) {
    for (std::size_t i = 0; i < found[0].size(); ++i) found[0][i] += initial[0][i];
  } else if (!same_atoms_) {
    const double electrons = grid_.fields.integrate([&](std::size_t i) { return initial[0][i]; });
    const FieldValues before = reference_density(grid_.fields, placed_, atoms, electrons);
    for (std::size_t i = 0; i < before.size(); ++i) found[0][i] += initial[0][i] - before[i];
  }
  for (std::size_t c = 0; c < found.size(); ++c) initial[c] = std::move(found[c]);
  return initial;
}

SpinFields MeshRestart::tau(int spins) {
  if (!take_tau(same_atoms_, spins)) return {};
  const ScopeTimer timer(report_.seconds);
  return read_on_mesh(GridField::kinetic_density);
}

template <class S>
std::optional<EigenState<S>> MeshRestart::bands(MeshKPointBands<S>& kpoint_bands, Index count) {
  const ScopeTimer timer(report_.seconds);
  const Vec3& kpoint = kpoint_bands.h.kpoint();
  const int components = kpoint_bands.components();
  const auto origin = find<S>(kpoint, same_atoms_ ? header().symmetry : SpaceGroup::identity(), components);
  if (!origin) return std::nullopt;
  const Mesh& mesh = grid_.band_mesh();
  const double ecut = std::min(header().ecut, box_.largest_cutoff({KPoint{kpoint, 1}}));
  MeshWaves<S> waves(mesh, box_, ecut, kpoint, components);
  Bands<S> rows(waves.waves().size() * rows_per_wave<S> * components, std::min(count, header().bands));
  (void)read<S>(mesh.comm(), *origin, kpoint_bands.spin, waves.waves(), waves.product(), rows.view(), nullptr,
                components);
  if (turn_ && components == 2) rotate_components<S>(spinor_rotation(*turn_), rows.view());
  Bands<S> found = orthonormal_part<S>(kpoint_bands.op, waves.to_mesh(std::as_const(rows).view()));
  report_.bands_random += count - found.count();
  EigenState<S> state(found.rows(), found.count(), kpoint_bands.op.has_overlap());
  state.x = std::move(found);
  apply_h_and_s<S>(kpoint_bands.op, state.view());
  rayleigh_ritz<S>(kpoint_bands.op, state);
  if (state.x.count() < count) add_bands<S>(kpoint_bands.op, state, count);
  return state;
}

#define WAVEGRID_INSTANTIATE(S)                                                                               \
  template WriteState writing_mesh<S>(const Problem&, const ProcessGroups&, MeshSpace&, const MeshPotential&, \
                                      const MeshBands<S>&, const Density<MeshFields>&);                       \
  template std::optional<EigenState<S>> MeshRestart::bands<S>(MeshKPointBands<S>&, Index);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
