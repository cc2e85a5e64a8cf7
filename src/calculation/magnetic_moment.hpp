// The magnetic moment of the orbital motion of electrons in a molecule:
//
//   m = -1/2 sum_n f_n <psi_n|r x v|psi_n>,   v = p + A + i [V_nl, r]
//
// The first part is the moment of the current; the second is -1/2 sum_n f_n times, about z,
//
//   i <psi|x V_nl y - y V_nl x|psi> = 1/2 (<u|V_nl|u> - <w|V_nl|w>),   u = (x + iy) psi,   w = (x - iy) psi
//
// r is measured from the centre of the charges of the ions.
#pragma once

#include <array>
#include <complex>
#include <utility>
#include <vector>

#include <wavegrid/calculation/open_positions.hpp>
#include <wavegrid/problem/field_symmetry.hpp>
#include <wavegrid/scf/band_sums.hpp>

namespace wavegrid {

/// Cartesian components of r at this rank's points, bohr. Local.
template <class Space>
[[nodiscard]] std::array<FieldValues, 3> positions_from_centre(const Space& space, const Problem& problem) {
  const OpenAxes axes(problem);
  Vec3 centre{0, 0, 0};
  double charge = 0;
  for (const Atom& atom : problem.crystal.atoms) {
    const double of_atom = problem.pseudopotentials[static_cast<std::size_t>(atom.species)]->valence_charge();
    centre = centre + of_atom * axes.position(atom.position);
    charge += of_atom;
  }
  std::array<FieldValues, 3> r;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec3 along{0, 0, 0};
    along[axis] = 1;
    r[axis] = positions_along(space, problem, along);
    for (double& x : r[axis]) x -= centre[axis] / charge;
  }
  return r;
}

/// <psi|i [V_nl, r] x ...|psi> as above of each band; `r` at the points of the operator, with as many fields as its
/// potential, of which the others are 0. Collective over the ranks of the operator.
inline std::vector<Vec3> nonlocal_momenta(KohnShamOperator<std::complex<double>>& op,
                                          const std::array<FieldValues, 3>& r,
                                          BandView<const std::complex<double>> psi) {
  using Complex = std::complex<double>;
  const Index size = psi.rows * psi.count;
  std::array<Bands<Complex>, 3> moved;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    moved[axis] = Bands<Complex>(psi.rows, psi.count);
    std::fill_n(moved[axis].view().data, size, Complex(0));
    op.apply_change(r[axis], psi, moved[axis].view());
  }
  std::vector<Vec3> found(static_cast<std::size_t>(psi.count), Vec3{0, 0, 0});
  Bands<Complex> turned(psi.rows, psi.count);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      const Complex *const x = moved[(axis + 1) % 3].view().data, *const y = moved[(axis + 2) % 3].view().data;
      for (Index i = 0; i < size; ++i) turned.view().data[i] = x[i] + Complex(0, sign) * y[i];
      const std::vector<double> energies = op.nonlocal_energies(std::as_const(turned).view());
      for (std::size_t b = 0; b < found.size(); ++b) found[b][axis] += 0.5 * sign * energies[b];
    }
  return found;
}

/// m, e hbar/m_e, for norm-conserving potentials; `fields`: those of the potential of the operators. Collective over
/// all ranks.
template <FieldSpace Space>
[[nodiscard]] Vec3 magnetic_moment(const ScfSystem<std::complex<double>, Space>& system,
                                   const BandSums<std::complex<double>, Space>& sums, const Problem& problem,
                                   const std::vector<double>& occupations, int fields) {
  using Complex = std::complex<double>;
  const std::array<FieldValues, 3> r = positions_from_centre(system.space, problem);
  const SpinFields current = sums.current(occupations);
  std::array<FieldValues, 3> at_points;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at_points[axis] = system.space.to_operators(r[axis]);
    at_points[axis].resize(at_points[axis].size() * static_cast<std::size_t>(fields));
  }
  Vec3 sum{0, 0, 0};
  for (KohnShamBands<Complex>* bands : system.bands) {
    const std::vector<double> f = sums.state_values(*bands, occupations);
    const BandView<Complex> psi = bands->state.x.view().slice(0, num_occupied(f));
    const std::vector<Vec3> found = nonlocal_momenta(bands->op, at_points, psi);
    for (std::size_t b = 0; b < found.size(); ++b) sum = sum + f[b] * found[b];
  }
  Vec3 moment{0, 0, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
    moment[axis] = sums.over_kpoint_groups(sum[axis]);
    for (std::size_t s = 0; s < current.size(); s += 3)
      moment[axis] += system.space.integrate(
          [&](std::size_t i) { return r[a][i] * current[s + b][i] - r[b][i] * current[s + a][i]; });
  }
  return symmetrise_vector(problem.symmetry, problem.crystal.lattice, -0.5 * moment, true);
}

}  // namespace wavegrid
