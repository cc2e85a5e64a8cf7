#include <cmath>
#include <utility>

#include <wavegrid/planewaves/atomic_orbitals.hpp>

namespace wavegrid {

namespace {

/// Appends the functions with the radial part F(|k+G|) = transform(g).
template <class Transform>
void append(const PlaneWaves& waves, int l, const Transform& transform, std::vector<CentredFunction>& functions) {
  std::vector<double> radial;
  for (const double t : waves.kinetic()) radial.push_back(transform(std::sqrt(2.0 * t)));
  for (CentredFunction& function : centred_functions(waves, l, radial)) functions.push_back(std::move(function));
}

}  // namespace

std::vector<CentredFunction> make_atomic_orbitals(const PlaneWaves& waves, const PseudoAtom& atom) {
  std::vector<CentredFunction> functions;
  for (const PseudoAtom::Orbital& orbital : atom.orbitals)
    append(
        waves, orbital.l, [&](double g) { return g > atom.largest_g() ? 0.0 : (*orbital.transform)(g); }, functions);
  return functions;
}

std::vector<CentredFunction> make_atomic_orbitals(const PlaneWaves& waves, const Pseudopotential& potential) {
  std::vector<CentredFunction> functions;
  for (int i = 0; i < potential.num_orbitals(); ++i)
    append(
        waves, potential.orbital_l(i), [&](double g) { return potential.orbital(i, g); }, functions);
  return functions;
}

}  // namespace wavegrid
