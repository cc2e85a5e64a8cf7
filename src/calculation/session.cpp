#include <utility>

#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/calculation/next_geometry.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/linalg/blas_kernels.hpp>
#include <wavegrid/linalg/blas_memory.hpp>

namespace wavegrid {

Session::Session(const Comm& comm, const Problem& problem, Trace* trace, SessionOptions options) {
  comm.collectively([&] {
    require_valid(problem);
    (void)rules_for(problem).groups(problem, comm.size());
    fit_blas_kernels();
    reserve_blas_memory(problem.threads);
  });
  implementation_ = make_calculation(comm, problem, trace, options);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

CalculationResult Session::solve(const ScfObserver& observer, const ActivityObserver& activity) {
  return implementation_->solve(observer, activity);
}

PropagationResult Session::propagate(const Propagation& options, const PropagationObserver& observer) {
  Problem problem = implementation_->problem();
  problem.propagation = options;
  require_valid(problem);
  return implementation_->propagate(options, observer);
}

FieldResponseResult Session::respond(const FieldResponse& options, const FieldResponseObserver& observer) {
  Problem problem = implementation_->problem();
  problem.field_response = options;
  require_valid(problem);
  return implementation_->respond(options, observer);
}

BandStructure Session::levels(const std::vector<Vec3>& kpoints) {
  Problem problem = implementation_->problem();
  problem.band_path.clear();
  for (const Vec3& k : kpoints) problem.band_path.push_back({k, 0.0});
  require_valid(problem);
  return implementation_->levels(kpoints);
}

std::optional<CheckpointReport> Session::write_checkpoint() { return implementation_->write_checkpoint(); }

void Session::set_positions(const std::vector<Vec3>& fractional) {
  implementation_->set_geometry(at_positions(problem().crystal, fractional), problem().grid, problem().field_grid());
}

void Session::set_cell(const Mat3& vectors, std::optional<Int3> grid, std::optional<Int3> density_grid) {
  Crystal crystal = problem().crystal;
  crystal.lattice = Lattice(vectors);
  implementation_->set_geometry(std::move(crystal), grid.value_or(problem().grid),
                                density_grid.value_or(problem().field_grid()));
}

SolvedFields Session::fields() { return implementation_->fields(); }

std::vector<SolvedBands> Session::bands() { return implementation_->bands(); }

void Session::visit_bands(BandsVisitor& visitor) { implementation_->visit_bands(visitor); }

const Problem& Session::problem() const { return implementation_->problem(); }

CalculationResult run_calculation(const Comm& comm, const Problem& problem, const ScfObserver& observer, Trace* trace,
                                  const ActivityObserver& activity) {
  return Session(comm, problem, trace, {.keep_plans = false}).solve(observer, activity);
}

}  // namespace wavegrid
