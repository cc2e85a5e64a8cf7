#include <cmath>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/calculation/make_calculation.hpp>
#include <wavegrid/planewaves/plane_wave_rules.hpp>
#include <wavegrid/realspace/mesh_rules.hpp>

namespace wavegrid {

const DiscretisationRules& rules_for(const Problem& problem) {
  static const PlaneWaveRules plane_waves;
  static const MeshRules mesh;
  if (problem.mesh_basis) return mesh;
  return plane_waves;
}

void require_valid(const Problem& problem) {
  require_valid_values(problem);
  rules_for(problem).require_valid(problem);
}

void require_memory_for(const Comm& ranks, const Problem& problem, Index bands) {
  ranks.collectively([&] {
    if (!problem.memory_limit) return;
    Problem more = problem;
    more.bands = bands;
    const double needed = estimate_memory(more, ranks.size()).total();
    if (needed <= *problem.memory_limit) return;
    const auto megabytes = [](double bytes) { return std::to_string(std::llround(bytes / 1e6)) + " MB"; };
    throw environment_error("the highest of " + std::to_string(problem.bands) + " bands stays occupied, and " +
                            std::to_string(bands) + " bands need " + megabytes(needed) +
                            " of memory on a rank, which has " + megabytes(*problem.memory_limit) +
                            "; use more ranks on more machines, a lower cutoff or, with smearing, a smaller width");
  });
}

std::unique_ptr<Session::Implementation> make_calculation(const Comm& comm, const Problem& problem, Trace* trace,
                                                          SessionOptions options) {
  const bool real = problem.mode == Mode::gamma;
  if (problem.mesh_basis)
    return real ? make_calculation<MeshDiscretisation, double>(comm, problem, trace, options)
                : make_calculation<MeshDiscretisation, std::complex<double>>(comm, problem, trace, options);
  return real ? make_calculation<PlaneWaveDiscretisation, double>(comm, problem, trace, options)
              : make_calculation<PlaneWaveDiscretisation, std::complex<double>>(comm, problem, trace, options);
}

}  // namespace wavegrid
