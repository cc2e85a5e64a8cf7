#include <algorithm>

#include <wavegrid/atom/shells.hpp>
#include <wavegrid/checkpoint/write_checkpoint.hpp>
#include <wavegrid/discretisation/extrapolation.hpp>
#include <wavegrid/eigen/band_descent.hpp>
#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/hamiltonian/nonlocal_derivatives.hpp>
#include <wavegrid/hamiltonian/velocity.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/planewaves/choose_projectors.hpp>
#include <wavegrid/planewaves/dataset_memory.hpp>
#include <wavegrid/planewaves/fock_setting.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/initial_wavefunctions.hpp>
#include <wavegrid/planewaves/local_orbital_rules.hpp>
#include <wavegrid/planewaves/parallel_layout.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/planewaves/plane_wave_rules.hpp>
#include <wavegrid/problem/casida_memory.hpp>
#include <wavegrid/propagation/chebyshev_exponential.hpp>
#include <wavegrid/propagation/flow_bytes.hpp>
#include <wavegrid/propagation/implicit_midpoint.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>

namespace wavegrid {

namespace {

/// Layout data that are the same on all ranks.
struct LayoutData {
  ParallelLayout layout;
  GSphere box, bands_box;                     ///< of the fields, and of the bands
  bool two_grids;                             ///< whether both are needed
  int ranks, in_kpoint_group, in_band_group;  ///< sizes of the smallest groups, whose ranks need most memory
  Partition partition, rows, fields;          ///< of a band group, of linear algebra, of the box
  Partition bands_fields;                     ///< of the bands' box over all ranks
  Index kpoints, sets;                        ///< of the largest k-point group; k-points times spins
  ProjectorChoice projectors;

  LayoutData(const Problem& problem, int all_ranks)
      : layout(problem, all_ranks),
        box(GSphere::box(problem.crystal.lattice, problem.field_grid())),
        bands_box(GSphere::box(problem.crystal.lattice, problem.grid)),
        two_grids(problem.density_grid.has_value()),
        ranks(all_ranks),
        in_kpoint_group(smallest_group(all_ranks, layout.groups.counts.kpoint_groups)),
        in_band_group(smallest_group(in_kpoint_group, layout.groups.counts.band_groups)),
        partition(layout.partition(problem, in_band_group).partition),
        rows(BandFft<double>::partition_rows(layout.sphere, partition, layout.groups.counts.band_groups,
                                             in_kpoint_group, problem.deterministic)),
        fields(partition_of_box(box, problem)),
        bands_fields(partition_of_box(bands_box, problem)),
        projectors(choose_projectors(problem)) {
    const Index all = static_cast<Index>(problem.kpoints.size()) * problem.spins;
    sets = BlockLayout(all, layout.groups.counts.kpoint_groups).range(0).size();
    kpoints = std::min<Index>((sets + problem.spins - 1) / problem.spins + (sets % problem.spins ? 1 : 0),
                              static_cast<Index>(problem.kpoints.size()));
  }
  [[nodiscard]] bool one_group() const { return layout.groups.counts == GroupCounts{}; }
  [[nodiscard]] Partition partition_of_box(const GSphere& any_box, const Problem& problem) const {
    return one_group() ? make_partition(partition.scheme, any_box.counts(), partition.shape, ranks)
                       : make_partition(Scheme::greedy, any_box.counts(), problem.grid[0], ranks);
  }
};

/// A rank by its numbers within its band group (`part`), its k-point group (`row_part`) and the world (`field_part`).
struct RankPosition {
  int part, row_part, field_part;
};

/// Rows of a rank's bands, its G of the box and its points.
struct Sizes {
  Index rows, box_waves, points;
};

/// Bytes for forces and stress at the end of a loop, if requested: the larger of the part of the bands and the later
/// part of the density, whose fields come in addition to `fields`.
template <class S>
double derivatives_bytes(const Problem& problem, const Sizes& sizes, double fields) {
  if (!problem.derivatives.any()) return 0.0;
  const bool slopes = problem.derivatives.stress && Xc::parse(problem.xc, problem.spins).needs_gradient();
  const double density_bytes =
      fields + 3.0 * sizeof(std::complex<double>) * static_cast<double>(sizes.box_waves) +
      (slopes ? 3.0 * problem.spins * sizeof(double) * static_cast<double>(sizes.points) : 0.0);
  return std::max(density_bytes,
                  nonlocal_derivatives_bytes<S>(sizes.rows / problem.components(), problem.bands * problem.components(),
                                                problem.crystal, problem.pseudopotentials, problem.derivatives.stress));
}

/// Bytes of the projectors, in real space with the bands that stay on the grid while they are applied.
template <class S>
double projector_bytes(const Problem& problem, const LayoutData& shares, const FftLayout& layout,
                       const FftOptions& options, Index rows) {
  using Real = RealOf<S>;
  const Index projectors = count_projectors(problem.crystal, problem.pseudopotentials);
  const auto num_kpoints = static_cast<double>(shares.kpoints);
  if (shares.projectors.in_real_space) {
    const double all = static_cast<double>(problem.grid[0]) * problem.grid[1] * problem.grid[2];
    const double points =
        shares.projectors.points * problem.crystal.num_atoms() * static_cast<double>(layout.grid_size()) / all;
    const double on_grid = SphereFft<Real>::grid_bytes(layout, shares.partition, options);
    const double plane = static_cast<double>(layout.y.size()) * problem.grid[2];
    const double phases = problem.mode == Mode::gamma ? 0.0 : num_kpoints * points * sizeof(ComplexOf<S>);
    const double per_atom = static_cast<double>(projectors) / problem.crystal.num_atoms();
    return ProjectorSpheres<Real>::bytes(points, per_atom, plane, problem.threads) + on_grid + phases;
  }
  const double projector_memory = NonlocalPotential<S>::bytes(rows, projectors);
  if (!KPointBasis<S>::shares_projectors(problem.bands)) return num_kpoints * projector_memory;
  return (has_all_waves(problem) ? 0.0 : projector_memory) +  // shared ones are made when they are first applied
         num_kpoints * NonlocalPotential<S>::origin_bytes(rows / rows_per_wave<S>, problem.pseudopotentials);
}

/// Bytes of a grid of the bands besides that of the density: its transform and exchanges, and the coefficients and
/// values of a field that is moved between both.
double bands_grid_bytes(const LayoutData& shares, int part, const FftOptions& options) {
  if (!shares.two_grids) return 0;
  const FftLayout box(shares.bands_box, shares.bands_fields, part, sizeof(std::complex<double>));
  const Index waves = box.grid[0] * static_cast<Index>(box.my_sticks.size());
  const double coefficients = sizeof(std::complex<double>) * static_cast<double>(waves);
  return GridFft::bytes(box) + GridFft::exchange_bytes(box, shares.bands_fields, options).total() +
         GridTransfer::bytes(waves) + 4.0 * coefficients + sizeof(double) * static_cast<double>(box.grid_size());
}

/// Estimate of one loop with bands of S, which makes initial bands or (`takes_over`) continues with existing ones.
template <class S>
MemoryEstimate estimate_loop(const Problem& problem, const LayoutData& shares, const RankPosition& place,
                             Index orbitals, bool takes_over) {
  const FftOptions options{
      .transport = problem.transport, .threads = problem.threads, .deterministic = problem.deterministic};
  const GSphere& sphere = shares.layout.sphere;
  const FftLayout layout(sphere, shares.partition, place.part, sizeof(ComplexOf<S>));
  const FftLayout box(shares.box, shares.fields, place.field_part, sizeof(std::complex<double>));
  const Index waves = loads(shares.rows, sphere.counts())[static_cast<std::size_t>(place.row_part)];
  const Index box_waves = box.grid[0] * static_cast<Index>(box.my_sticks.size()), points = box.grid_size();
  const int parts = problem.components();
  const Index rows = waves * rows_per_wave<S> * parts;
  const Index projectors = count_projectors(problem.crystal, problem.pseudopotentials);
  const Index functions = std::max(orbitals * parts, problem.bands);
  const auto num_kpoints = static_cast<double>(shares.kpoints), num_sets = static_cast<double>(shares.sets);
  const auto spins = static_cast<double>(problem.density_components());
  const Xc xc = Xc::parse(problem.xc, problem.xc_spins());

  using Solver = BandSolver<S>;
  const bool augmented = has_augmentation(problem.pseudopotentials);
  const auto solver =
      Solver::bytes(choose_eigensolver(problem, PlaneWaveRules()).kind, rows, problem.bands, shares.sets, 1, augmented);
  // Local orbitals have no eigensolver for bands. Direct minimisation frees the arrays of the eigensolver first.
  const double kept = keeps_plane_waves(problem) ? num_sets * 2 * Bands<S>::bytes(rows, problem.bands) : 0.0;
  const double bands_arrays = problem.local_orbitals ? kept
                              : problem.scf.method != ScfMethod::direct
                                  ? solver.arrays
                                  : std::max(solver.arrays, (augmented ? 1.5 : 1.0) * num_sets *
                                                                (2 * Bands<S>::bytes(rows, problem.bands) +
                                                                 BandDescent<S>::bytes(rows, problem.bands)));
  const double weights =
      shares.projectors.in_real_space ? 0.0 : NonlocalPotential<S>::apply_bytes(projectors, problem.bands * parts);
  const double field = static_cast<double>(box_waves) * sizeof(std::complex<double>);
  // The metric, and pairs of inputs and changes.
  const int pairs = problem.scf.method == ScfMethod::direct
                        ? 1  // a trial and the density before
                        : Mixer<GridFields>::pairs_after(problem.scf.max_steps, problem.scf.mixer);
  const double matrices = spins * density_matrix_bytes(problem);
  const double components = spins * (xc.needs_tau() ? 2.0 : 1.0);  // of a density
  const double mixer =
      2.0 * sizeof(double) * static_cast<double>(box_waves) + 2.0 * (components * field + matrices) * pairs;
  // Matrices and fields do not exist at the same time: a new potential is made after the solver's matrices are freed.
  // It needs the density's values and the old potential in addition to the new one.
  const double fields = grid_potential_evaluation_bytes(xc, box_waves, points) +
                        2.0 * components * sizeof(double) * static_cast<double>(points);
  // A checkpoint is written between two steps, with its own copy of both fields.
  const double checkpoint = problem.checkpoint ? fields + static_cast<double>(WriteOptions{}.buffer_bytes) : 0;
  double derivatives = 0;
  if constexpr (!is_single<S>) derivatives = derivatives_bytes<S>(problem, {rows, box_waves, points}, fields);
  const CombinedBytes combined = combined_bytes(problem, rows, sizeof(S));
  if (problem.derivatives.any() && !is_single<S>) derivatives += combined.derivatives;
  const double passing = std::max({problem.local_orbitals ? 0.0 : solver.matrices, weights,
                                   weights + combined.functions, fields, checkpoint, derivatives});
  const double scf = bands_arrays + mixer + passing;
  const double start = takes_over || problem.local_orbitals
                           ? 0
                           : initial_bands_bytes<S>(rows, functions, problem.bands) +
                                 (num_sets - 1) * 2 * Bands<S>::bytes(rows, problem.bands);

  MemoryEstimate estimate;
  const auto add = [&](const char* name, double bytes) { estimate.parts.push_back({name, bytes}); };
  add("plane_waves", num_kpoints * PlaneWaves::bytes(waves));
  add("projectors", projector_bytes<S>(problem, shares, layout, options, rows / parts));
  // All k-points, and the fields, share the same work arrays and message buffers.
  add("transform", std::max(SphereFft<RealOf<S>>::bytes(layout, shares.partition, options),
                            GridFft::transform_bytes(box, shares.fields, options)));
  const Index in_transform = loads(shares.partition, sphere.counts())[static_cast<std::size_t>(place.part)];
  if (xc.needs_tau())
    add("laplacians",
        num_kpoints * LaplacianFft<RealOf<S>>::bytes(in_transform) +
            LaplacianFft<RealOf<S>>::work_bytes(layout, shares.partition, options, in_transform) +
            (shares.projectors.in_real_space ? 0.0
                                             : SphereFft<RealOf<S>>::grid_bytes(layout, shares.partition, options)));
  const int groups = shares.layout.groups.counts.band_groups;
  const bool rows_move = groups > 1 || (problem.deterministic && shares.in_kpoint_group > 1);
  const auto band_bytes = SphereFft<RealOf<S>>::exchange_bytes(layout, shares.partition, options);
  const auto field_bytes = GridFft::exchange_bytes(box, shares.fields, options);
  const double row_bytes =
      rows_move ? BandFft<RealOf<S>>::bytes(groups, {parts * waves, parts * in_transform, parts * sphere.size()},
                                            !problem.transport)
                : 0.0;
  add("exchange", num_kpoints * band_bytes.runs + band_bytes.buffers + row_bytes + field_bytes.total());
  if (shares.two_grids) add("bands_grid", bands_grid_bytes(shares, place.field_part, options));
  // In addition to the grid's transform and potentials: the input and the output density.
  add("grid", GridFft::bytes(box) + grid_potential_bytes(xc, problem.pseudopotentials, box_waves, points) +
                  num_sets * Hamiltonian<S>::bytes(rows) +
                  components * sizeof(double) * static_cast<double>(points + layout.grid_size()) +
                  2.0 * components * sizeof(std::complex<double>) * static_cast<double>(box_waves));
  if (problem.propagation) {
    const Propagation& time = *problem.propagation;
    const bool has_current = (time.kick && time.kick->gauge == Gauge::velocity) || time.has_laser(Gauge::velocity);
    const Index projectors = has_current ? count_projectors(problem.crystal, problem.pseudopotentials) : 0;
    add("propagation",
        (time.scheme == TimeScheme::crank_nicolson
             ? midpoint_bytes(rows, problem.bands, shares.sets)
             : ChebyshevExponential::bytes(rows, problem.bands, shares.sets,
                                           has_augmentation(problem.pseudopotentials))) +
            num_sets * Velocity::bytes(rows, projectors) +
            (xc.needs_tau() ? flow_bytes(static_cast<double>(points), problem.spins, rows, problem.bands) : 0.0));
  }
  // The occupied bands, their derivatives by k and changes, and four arrays of conjugate gradients.
  if (problem.field_response)
    add("response", 6.0 * num_sets * Bands<S>::bytes(rows, problem.bands) + 5.0 * Bands<S>::bytes(rows, problem.bands));
  if (problem.exchange) {
    const FockSetting setting = fock_setting(problem);
    const double sources = static_cast<double>(setting.zone.size()) * spins * static_cast<double>(sphere.size()) * 3 *
                           sizeof(Index);  // where their plane waves are
    add("exact_exchange",
        FockOperator<DoubleOf<S>>::bytes(setting, sphere.size(), problem.bands, shares.sets, shares.in_kpoint_group) +
            (problem.propagation ? 6 : 2) * num_sets * Bands<S>::bytes(rows, problem.bands) + sources);
  }
  if (problem.local_orbitals)
    add("local_orbitals",
        local_orbital_bytes(problem, rows, sizeof(S), static_cast<int>(num_kpoints), shares.in_kpoint_group));
  if (problem.casida) add("casida", casida_bytes(problem, static_cast<double>(points)));
  if (start > scf) {
    add("start", start);
  } else {
    add("bands", problem.local_orbitals ? bands_arrays : solver.arrays);
    add("mixer", mixer);
    add("passing", passing);
  }
  if (augmented) add("datasets", dataset_bytes(problem) + 4 * matrices);
  estimate.earlier_geometries = history_bytes<S>(rows, problem.bands, shares.sets, components * field + matrices);
  return estimate;
}

/// In mixed precision the larger of the two loops; memory of the first is freed before the second allocates its arrays.
template <class S>
MemoryEstimate estimate_part(const Problem& problem, const LayoutData& shares, const RankPosition& place,
                             Index orbitals) {
  const bool mixed = begins_in_single(problem);
  MemoryEstimate estimate = estimate_loop<S>(problem, shares, place, orbitals, mixed);
  if (!mixed) return estimate;
  MemoryEstimate in_single = estimate_loop<SingleOf<S>>(problem, shares, place, orbitals, false);
  return in_single.total() > estimate.total() ? in_single : estimate;
}

int fullest(const Partition& partition, const StickCounts& counts) {
  const std::vector<Index> load = loads(partition, counts);
  return static_cast<int>(std::max_element(load.begin(), load.end()) - load.begin());
}

}  // namespace

MemoryEstimate PlaneWaveRules::memory(const Problem& problem, int ranks) const {
  const LayoutData shares(problem, ranks);
  const StickCounts& counts = shares.layout.sphere.counts();
  const int part = fullest(shares.partition, counts), row_part = fullest(shares.rows, counts);
  const Index orbitals = problem.initial_wavefunctions == InitialWavefunctions::lcao
                             ? count_orbitals(problem.crystal, problem.pseudopotentials)
                             : 0;
  MemoryEstimate largest;
  for (const RankPosition& place :
       {RankPosition{0, 0, 0}, RankPosition{part, row_part, shares.one_group() ? part : 0}}) {
    MemoryEstimate estimate = problem.mode == Mode::gamma
                                  ? estimate_part<double>(problem, shares, place, orbitals)
                                  : estimate_part<std::complex<double>>(problem, shares, place, orbitals);
    if (estimate.total() > largest.total()) largest = std::move(estimate);
  }
  return largest;
}

}  // namespace wavegrid
