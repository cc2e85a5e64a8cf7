#include "calculation/mesh_session.hpp"

#include "base/error.hpp"
#include "calculation/mesh_calculation.hpp"

namespace wavegrid {

namespace {

template <class S>
class MeshSession final : public Session::Implementation {
 public:
  MeshSession(const Comm& comm, const Problem& problem, Trace* trace) : comm_(comm), problem_(problem), trace_(trace) {}

  CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) override {
    return MeshCalculation<S>(comm_, problem_, trace_).solve(observer, activity);
  }
  std::optional<CheckpointReport> write_checkpoint() override {
    throw bad_input("a checkpoint is not available on a mesh in real space; valid: plane waves");
  }
  void set_geometry(Crystal crystal, const Int3& grid) override {
    Problem next = problem_;
    next.crystal = std::move(crystal);
    next.grid = grid;
    require_valid(next);
    problem_ = std::move(next);
  }
  [[nodiscard]] const Problem& problem() const override { return problem_; }

 private:
  Comm comm_;
  Problem problem_;
  Trace* trace_;
};

}  // namespace

std::unique_ptr<Session::Implementation> make_mesh_session(const Comm& comm, const Problem& problem, Trace* trace) {
  if (problem.mode == Mode::gamma) return std::make_unique<MeshSession<double>>(comm, problem, trace);
  return std::make_unique<MeshSession<std::complex<double>>>(comm, problem, trace);
}

}  // namespace wavegrid
