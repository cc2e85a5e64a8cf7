#include "calculation/restart.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.hpp"
#include "calculation/start_density.hpp"
#include "linalg/overlap.hpp"
#include "mpi/process_grid.hpp"
#include "wavefunctions/reassign.hpp"

namespace wavegrid {

namespace {

bool same_atoms(const Crystal& a, const Crystal& b) {
  if (a.num_atoms() != b.num_atoms()) return false;
  for (int i = 0; i < a.num_atoms(); ++i)
    if (a.element(i) != b.element(i)) return false;
  return true;
}

constexpr double same_place = 1e-9;  // bohr of vectors, fractional coordinates of atoms

bool same_cell(const Lattice& a, const Lattice& b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (std::abs(a.vectors()[i][j] - b.vectors()[i][j]) > same_place) return false;
  return true;
}

/// But for whole lattice vectors.
bool same_positions(const Crystal& a, const Crystal& b) {
  for (std::size_t i = 0; i < a.atoms.size(); ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double apart = a.atoms[i].position[j] - b.atoms[i].position[j];
      if (std::abs(apart - std::round(apart)) > same_place) return false;
    }
  return true;
}

/// `crystal` in the cell and at the positions of another with the same atoms.
Crystal moved_to(Crystal crystal, const Crystal& other) {
  crystal.lattice = other.lattice;
  for (std::size_t a = 0; a < crystal.atoms.size(); ++a) crystal.atoms[a].position = other.atoms[a].position;
  return crystal;
}

/// Adds to a report's time what passes during its life.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - began_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace

Restart::Restart(const Comm& world, const std::string& file, const Crystal& crystal)
    : world_(world),
      crystal_(crystal),
      reader_(world, file),
      same_cell_(same_cell(reader_.header().crystal.lattice, crystal.lattice)),
      same_crystal_(same_cell_ && same_positions(reader_.header().crystal, crystal)) {
  report_.file = file;
  if (!same_atoms(reader_.header().crystal, crystal))
    throw bad_input(file + " holds " + std::to_string(reader_.header().crystal.num_atoms()) +
                    " atoms that are not those of the input; a restart wants the same elements in the same order");
}

SpinCoefficients Restart::density(GridFft& grid, SpinCoefficients atoms, const std::vector<PseudoAtom>& pseudo_atoms) {
  const Stopwatch watch(report_.seconds);
  const CheckpointHeader& header = reader_.header();
  const std::size_t components = std::min(static_cast<std::size_t>(header.spins), atoms.size());
  if (same_crystal_ && header.grid == grid.layout().grid) {
    report_.density = "taken";
    const auto fields = reader_.read_field(GridField::density, grid.layout());
    for (std::size_t c = 0; c < components; ++c) atoms[c] = grid.to_recip(fields[c]);
    return atoms;
  }
  report_.density = "carried over";
  const GridShape shape = plane_shape(world_.size(), header.grid[0]);
  const ProcessGrid ranks(world_, shape.rows, shape.columns);
  GridFft old(ranks, header.crystal.lattice, header.grid, Scheme::greedy, {.effort = PlanEffort::estimate});
  WaveTransfer to_grid(world_, {.g = old.waves().g()}, {.g = grid.waves().g()});
  const double scale = header.crystal.lattice.volume() / crystal_.lattice.volume();
  const auto fields = reader_.read_field(GridField::density, old.layout());
  for (std::size_t c = 0; c < components; ++c) {
    GridFft::Coefficients values = old.to_recip(fields[c]);
    if (c == 0) {
      const auto superposed = superposed_density(old.waves(), moved_to(crystal_, header.crystal), pseudo_atoms);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] -= superposed[i];
    }
    GridFft::Coefficients moved(static_cast<std::size_t>(grid.waves().size()));
    to_grid.forward(values.data(), moved.data());
    for (std::size_t i = 0; i < moved.size(); ++i) atoms[c][i] = (c == 0 ? atoms[c][i] : 0.0) + scale * moved[i];
  }
  return atoms;
}

std::optional<Restart::Origin> Restart::origin_of(const Vec3& k) const {
  const CheckpointHeader& header = reader_.header();
  for (int i = 0; i < header.num_kpoints(); ++i)
    if (auto map = map_between(header.kpoints[static_cast<std::size_t>(i)].k, k, SymmetryOperation{}, false))
      return Origin{i, *map};
  const SpaceGroup group = same_crystal_ ? header.symmetry : SpaceGroup::identity();
  for (int i = 0; i < header.num_kpoints(); ++i)
    if (auto map = map_between(header.kpoints[static_cast<std::size_t>(i)].k, k, group)) return Origin{i, *map};
  return std::nullopt;
}

template <class S>
std::optional<EigenState<S>> Restart::bands(PlaneWaveBands<S>& of_k, Index count) {
  const Stopwatch watch(report_.seconds);
  const CheckpointHeader& header = reader_.header();
  const auto origin = origin_of(of_k.basis->sphere.k());
  if (!origin || (ScalarTraits<S>::is_real && header.mode != Mode::gamma)) {
    ++report_.kpoints_missing;
    return std::nullopt;
  }
  ++(origin->map.is_identity() ? report_.kpoints_found : report_.kpoints_rotated);
  EigenState<S> state(of_k.h.rows(), count);
  const BandView<S> loaded = state.x.view().slice(0, std::min(count, header.bands));
  const int spin = std::min(of_k.spin, header.spins - 1);
  reader_.read_bands<S>(of_k.basis->fft.comm(), origin->k, origin->map, of_k.h.waves(), {{spin, loaded}});
  report_.bands_found = loaded.count;
  for (const double norm : squared_norms<S>(of_k.h.product(), loaded))
    report_.norm_kept = std::min(report_.norm_kept, norm);
  report_.bands_random += complete_bands<S>({of_k.h.waves(), of_k.h.product()}, state.x.view(), loaded.count);
  of_k.h.apply(std::as_const(state.x).view(), state.hx.view());
  rayleigh_ritz(of_k.h, state);
  return state;
}

RestartReport Restart::report(const ProcessGroups& levels) const {
  RestartReport all = report_;
  const bool speaks = levels.kgroup().rank() == 0;
  for (Index* count : {&all.kpoints_found, &all.kpoints_rotated, &all.kpoints_missing, &all.bands_random})
    *count = world_.sum(speaks ? *count : Index{0});
  all.bands_found = world_.max(all.bands_found);
  all.norm_kept = world_.min(std::min(1.0, all.norm_kept));
  return all;
}

#define WAVEGRID_INSTANTIATE(S) template std::optional<EigenState<S>> Restart::bands<S>(PlaneWaveBands<S>&, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
