#include "scf/calculation.hpp"

#include <bit>
#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "base/process_memory.hpp"
#include "costmodel/choose_partition.hpp"
#include "exchange/carriers/shared.hpp"
#include "fft/wisdom.hpp"
#include "scf/start_density.hpp"
#include "terms/ewald.hpp"

namespace wavegrid {

namespace {

/// Ewald energy, the work shared by the ranks. Collective.
double ewald_of(const Comm& comm, const Crystal& crystal, const Pseudopotentials& atoms) {
  std::vector<Vec3> positions;
  std::vector<double> charges;
  for (const Atom& atom : crystal.atoms) {
    positions.push_back(atom.position);
    charges.push_back(atoms[static_cast<std::size_t>(atom.species)]->valence_charge());
  }
  return comm.sum(ewald_energy(crystal.lattice, positions, charges, comm.rank(), comm.size()));
}

void require_sound(const Problem& problem) {
  require_valid(problem.crystal);
  if (problem.pseudopotentials.size() != problem.crystal.species.size())
    throw bad_input("there are " + std::to_string(problem.pseudopotentials.size()) + " pseudopotentials for " +
                    std::to_string(problem.crystal.species.size()) + " species; give one for each");
  if (problem.bands < 1) throw bad_input("the number of bands must be at least 1");
  if (problem.threads < 1) throw bad_input("the number of threads must be at least 1");
  if (!(problem.scf.energy_tolerance > 0)) throw bad_input("the energy tolerance must be positive");
}

/// Patient planning costs a second or two the first time on a machine and saves a tenth of the transforms' time: worth
/// it where they will take minutes. Later runs plan from wisdom.
PlanEffort effort_for(const Problem& problem) {
  const double points = static_cast<double>(problem.grid[0]) * problem.grid[1] * problem.grid[2];
  const double band_points = points * static_cast<double>(problem.bands);
  return band_points > 2e8 ? PlanEffort::patient : PlanEffort::measure;
}

/// Everything that lives as long as the calculation, in the order in which it is needed.
template <class S>
class Calculation {
 public:
  Calculation(const Comm& comm, const Problem& problem, Trace* trace)
      : problem_(problem),
        profile_(trace),
        sphere_(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode),
        choice_(choose_partition(problem.scheme, sphere_.counts(), problem.grid[0], comm.size())),
        partition_(choice_.partition),
        ranks_(comm, partition_.shape.rows, partition_.shape.columns),
        waves_(sphere_, partition_, comm.rank()),
        fft_(ranks_, partition_, sphere_, fft_options(effort_for(problem))),
        grid_(ranks_, problem.crystal.lattice, problem.grid, partition_.scheme, fft_options(PlanEffort::estimate)),
        potential_(grid_, Xc::parse(problem.xc), problem.crystal, problem.pseudopotentials, problem.ecut),
        nonlocal_(waves_, sphere_.k(), problem.crystal, problem.pseudopotentials),
        h_(waves_, fft_, nonlocal_, comm, &profile_) {
    wisdom_.save(comm);
    recall_transport();
  }

  CalculationResult run(const ScfObserver& observer) {
    const double electrons = count_electrons(problem_.crystal, problem_.pseudopotentials);
    const std::vector<PseudoAtom> atoms = solve_pseudo_atoms(problem_.pseudopotentials);
    ScfSystem<S> system{h_,
                        grid_,
                        potential_,
                        electrons,
                        problem_.smearing,
                        ewald_of(ranks_.all(), problem_.crystal, problem_.pseudopotentials),
                        core_energy(problem_.crystal, problem_.pseudopotentials, electrons)};
    const auto start = [&](Hamiltonian<S>& h) {
      return start_bands<S>(h, problem_.start, sphere_.k(), problem_.crystal, atoms, problem_.bands);
    };
    CalculationResult result;
    result.scf = solve_scf<S>(system, start_density(atoms, electrons), start, problem_.scf, observer);
    fill_figures(result);
    remember_transport(result);
    result.peak_memory = static_cast<double>(ranks_.all().max(static_cast<Index>(peak_memory())));
    return result;
  }

 private:
  FftOptions fft_options(PlanEffort effort) {
    return {.transport = problem_.transport, .threads = problem_.threads, .effort = effort, .profile = &profile_};
  }

  /// Superposed atoms, scaled to the exact number of electrons.
  GridFft::Coefficients start_density(const std::vector<PseudoAtom>& atoms, double electrons) {
    GridFft::Coefficients density = superposed_density(grid_.waves(), problem_.crystal, atoms);
    const Index zero = grid_.waves().zero();
    const double mean = ranks_.all().sum(zero >= 0 ? density[static_cast<std::size_t>(zero)].real() : 0.0);
    const double scale = electrons / problem_.crystal.lattice.volume() / mean;
    for (auto& value : density) value *= scale;
    return density;
  }

  void fill_figures(CalculationResult& result) {
    const LoadFigures load = load_figures(partition_, sphere_.counts());
    result.plane_waves = load.plane_waves;
    result.max_plane_waves = load.max;
    result.min_plane_waves = load.min;
    result.ranks = ranks_.all().size();
    result.scheme = partition_.scheme;
    result.shape = partition_.shape;
    result.tuning = fft_.tuning();
    result.transport = transport_label();
    result.partition_reason = choice_.reason;
    result.h_applications = h_.applications();
    result.nonlocal_applications = h_.nonlocal_applications();
    result.ffts = fft_.transforms();
    auto& s = result.seconds;
    s.fft = profile_.seconds(Phase::fft);
    s.exchange = profile_.seconds(Phase::exchange);
    s.linear_algebra = profile_.seconds(Phase::linear_algebra);
    s.nonlocal = profile_.seconds(Phase::nonlocal);
    s.other = profile_.seconds(Phase::other);
    s.total = s.fft + s.exchange + s.linear_algebra + s.nonlocal + s.other;
  }

  /// What a decision on the transport depends on: MPI, ranks, and the messages of a band in powers of two.
  std::string exchange_shape() const {
    std::string shape = mpi_library_version() + ", " + std::to_string(ranks_.all().size()) + " ranks";
    for (const ExchangePlan* plan : {&fft_.pipeline().to_planes(), &fft_.pipeline().to_sections()}) {
      const auto bytes = static_cast<std::uint64_t>(16 * ranks_.all().max(plan->longest_message()));
      shape += ", " + std::to_string(ranks_.all().max(plan->messages_sent())) + " x 2^" +
               std::to_string(std::bit_width(bytes)) + " B";
    }
    return shape;
  }

  void recall_transport() {
    if (problem_.transports_file.empty() || !fft_.is_tuning()) return;
    const auto known = TransportMemory(ranks_.all(), problem_.transports_file).recall(exchange_shape());
    if (known) fft_.decide(*known, "remembered in " + problem_.transports_file);
  }

  void remember_transport(const CalculationResult& result) {
    if (problem_.transports_file.empty() || !result.tuning || result.tuning->rows.empty()) return;
    TransportMemory(ranks_.all(), problem_.transports_file).remember(exchange_shape(), result.tuning->chosen);
  }

  /// Collective.
  std::string transport_label() const {
    if (ranks_.all().size() == 1) return problem_.transport ? name_of(*problem_.transport) : "none";
    const Transport used = fft_.pipeline().to_planes().transport();
    const bool mixed = used == Transport::shared && spans_nodes(ranks_.all());
    return mixed ? "shared+pairwise" : name_of(used);
  }

  const Problem& problem_;
  Profile profile_;
  Wisdom wisdom_;
  GSphere sphere_;
  PartitionChoice choice_;
  const Partition& partition_;
  ProcessGrid ranks_;
  PlaneWaves waves_;
  SphereFft<double> fft_;
  GridFft grid_;
  EffectivePotential potential_;
  NonlocalPotential<S> nonlocal_;
  Hamiltonian<S> h_;
};

}  // namespace

CalculationResult run_calculation(const Comm& comm, const Problem& problem, const ScfObserver& observer, Trace* trace) {
  comm.together([&] {
    require_sound(problem);
    (void)Xc::parse(problem.xc);
    (void)GSphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode);
  });
  if (problem.mode == Mode::gamma) return Calculation<double>(comm, problem, trace).run(observer);
  return Calculation<std::complex<double>>(comm, problem, trace).run(observer);
}

}  // namespace wavegrid
