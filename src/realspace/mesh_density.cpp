#include <wavegrid/planewaves/superposed_density.hpp>
#include <wavegrid/realspace/mesh_density.hpp>

namespace wavegrid {

void scale_to_electrons(const MeshFields& fields, double electrons, FieldValues& density) {
  const double found = fields.integrate([&](std::size_t i) { return density[i]; });
  for (double& value : density) value *= electrons / found;
}

FieldValues superposed_density(MeshFields& fields, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                               std::span<const double> factors) {
  MeshBox& box = fields.box();
  return box.to_mesh(superposed_density(box.fft().waves(), box.in_box(crystal), atoms, factors));
}

FieldValues reference_density(MeshFields& fields, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                              double electrons) {
  FieldValues density = superposed_density(fields, crystal, atoms);
  scale_to_electrons(fields, electrons, density);
  return density;
}

}  // namespace wavegrid
