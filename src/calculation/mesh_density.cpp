#include "calculation/mesh_density.hpp"

#include "calculation/initial_density.hpp"

namespace wavegrid {

namespace {

FieldValues superposed(MeshFields& fields, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                       const std::vector<double>& factors) {
  MeshBox& box = fields.box();
  return box.to_mesh(superposed_density(box.fft().waves(), box.in_box(crystal), atoms, factors));
}

}  // namespace

void scale_to_electrons(const MeshFields& fields, double electrons, FieldValues& density) {
  const double found = fields.integrate([&](std::size_t i) { return density[i]; });
  for (double& value : density) value *= electrons / found;
}

FieldValues superposed_density(MeshFields& fields, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                               double electrons) {
  FieldValues density = superposed(fields, crystal, atoms, {});
  scale_to_electrons(fields, electrons, density);
  return density;
}

SpinFields initial_density(MeshFields& fields, const Problem& problem, const std::vector<PseudoAtom>& atoms,
                           double electrons) {
  SpinFields density{superposed_density(fields, problem.crystal, atoms, electrons)};
  if (problem.spins == 1) return density;
  const std::vector<double>& moments = problem.initial_magnetic_moments;
  if (moments.empty()) {
    density.push_back(density[0]);
    for (double& value : density[1]) value *= problem.total_magnetisation.value_or(0.0) / electrons;
    return density;
  }
  std::vector<double> shares;
  for (std::size_t a = 0; a < moments.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    shares.push_back(moments[a] / problem.pseudopotentials[species]->valence_charge());
  }
  density.push_back(superposed(fields, problem.crystal, atoms, shares));
  return density;
}

}  // namespace wavegrid
