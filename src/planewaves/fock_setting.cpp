#include <wavegrid/base/error.hpp>
#include <wavegrid/discretisation/band_origin.hpp>
#include <wavegrid/planewaves/fock_setting.hpp>

namespace wavegrid {

FockSetting fock_setting(const Problem& problem) {
  const KMesh mesh = problem.mesh.value_or(KMesh{});
  FockSetting setting{.lattice = problem.crystal.lattice,
                      .ecut = problem.ecut,
                      .mode = problem.mode,
                      .spins = problem.spins,
                      .components = problem.components(),
                      .interaction = functional_of(problem).interaction(),
                      .options = *problem.exchange,
                      .mesh = problem.exchange->mesh.value_or(mesh.size),
                      .threads = problem.threads};
  for (const KPoint& point : problem.kpoints) {
    setting.k_points.push_back(point.k);
    setting.k_weights.push_back(point.weight);
  }
  for (const KPoint& point : monkhorst_pack(mesh)) {
    const auto origin = find_origin(point.k, problem.kpoints, problem.symmetry);
    if (!origin) throw internal_error("a point of the mesh of k is equivalent to none of the k-points");
    setting.zone.push_back({point.k, origin->k, origin->map});
  }
  return setting;
}

}  // namespace wavegrid
