#include "scf/memory_estimate.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "costmodel/choose_partition.hpp"
#include "scf/band_solver.hpp"
#include "scf/start_density.hpp"

namespace wavegrid {

namespace {

/// What all parts of a calculation have in common.
struct Division {
  GSphere sphere, box;
  Partition partition, box_partition;

  Division(const Problem& problem, int ranks)
      : sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode),
        box(GSphere::box(problem.crystal.lattice, problem.grid)),
        partition(choose_partition(problem.scheme, sphere.counts(), problem.grid[0], ranks).partition),
        box_partition(make_partition(partition.scheme, box.counts(), partition.shape, ranks)) {}
};

template <class S>
MemoryEstimate estimate_part(const Problem& problem, const Division& division, int part, Index orbitals) {
  const FftOptions options{.transport = problem.transport, .threads = problem.threads};
  const FftLayout layout(division.sphere, division.partition, part, sizeof(std::complex<double>));
  const FftLayout box(division.box, division.box_partition, part, sizeof(std::complex<double>));
  const Index waves = loads(division.partition, division.sphere.counts())[static_cast<std::size_t>(part)];
  const Index box_waves = box.grid[0] * static_cast<Index>(box.my_sticks.size()), points = box.grid_size();
  const Index rows = waves * ScalarTraits<S>::rows_per_wave;
  const Index projectors = count_projectors(problem.crystal, problem.pseudopotentials);
  const Index functions = std::max(orbitals, problem.bands);

  using Solver = BandSolver<S>;
  const auto solver = Solver::bytes(problem.scf.eigensolver, rows, problem.bands);
  const double weights = NonlocalPotential<S>::apply_bytes(projectors, problem.bands);
  const double mixer = Mixer::bytes(box_waves, problem.scf.mixer, problem.scf.max_steps);
  // Matrices and fields come and go in turn: a new potential is made while the solver's matrices are not there. In it
  // the density's values and the old potential stand beside the new one.
  const Xc xc = Xc::parse(problem.xc);
  const double fields =
      EffectivePotential::potential_bytes(xc, box_waves, points) + 2.0 * sizeof(double) * static_cast<double>(points);
  const double passing = std::max({solver.matrices, weights, fields});
  const double scf = solver.arrays + mixer + passing;
  const double start = start_bytes<S>(rows, functions, problem.bands);

  MemoryEstimate estimate;
  const auto add = [&](const char* name, double bytes) { estimate.parts.push_back({name, bytes}); };
  add("plane_waves", PlaneWaves::bytes(waves));
  add("projectors", NonlocalPotential<S>::bytes(rows, projectors));
  add("transform", SphereFft<double>::bytes(layout, division.partition, options));
  add("exchange", SphereFft<double>::exchange_bytes(layout, division.partition, options) +
                      GridFft::exchange_bytes(box, division.box_partition, options));
  // Beside the grid's transform and potentials: the densities going in and coming out.
  add("grid", GridFft::bytes(box, division.box_partition, options) +
                  EffectivePotential::bytes(xc, problem.pseudopotentials, box_waves, points) +
                  Hamiltonian<S>::bytes(rows, points) +
                  2.0 * sizeof(std::complex<double>) * static_cast<double>(box_waves));
  if (start > scf) {
    add("start", start);
  } else {
    add("bands", solver.arrays);
    add("mixer", mixer);
    add("passing", passing);
  }
  return estimate;
}

}  // namespace

double MemoryEstimate::total() const {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const Part& part) { return sum + part.bytes; });
}

MemoryEstimate estimate_memory(const Problem& problem, int ranks) {
  const Division division(problem, ranks);
  const std::vector<Index> waves = loads(division.partition, division.sphere.counts());
  const auto fullest = std::max_element(waves.begin(), waves.end()) - waves.begin();
  const Index orbitals =
      problem.start == Start::lcao ? count_orbitals(problem.crystal, solve_pseudo_atoms(problem.pseudopotentials)) : 0;
  MemoryEstimate largest;
  for (const int part : std::set<int>{0, static_cast<int>(fullest)}) {
    MemoryEstimate estimate = problem.mode == Mode::gamma
                                  ? estimate_part<double>(problem, division, part, orbitals)
                                  : estimate_part<std::complex<double>>(problem, division, part, orbitals);
    if (estimate.total() > largest.total()) largest = std::move(estimate);
  }
  return largest;
}

}  // namespace wavegrid
