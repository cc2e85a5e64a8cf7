#include "realspace/mesh_forces.hpp"

#include "terms/core_density.hpp"

namespace wavegrid {

template <class S>
std::vector<Vec3> nonlocal_forces(const MeshHamiltonian<S>& h, BandView<const S> psi,
                                  std::span<const double> occupations, int num_atoms) {
  std::vector<Vec3> forces(static_cast<std::size_t>(num_atoms), Vec3{0, 0, 0});
  const MeshProjectors<S>& projectors = h.projectors();
  if (projectors.count() == 0) return forces;
  const Matrix<S> weights = projectors.overlaps(h.product(), psi);
  Bands<S> slopes(psi.rows, psi.count);
  for (int axis = 0; axis < 3; ++axis) {
    h.gradient(axis, psi, slopes.view());
    const Matrix<S> of_slopes = projectors.overlaps(h.product(), std::as_const(slopes).view());
    for (Index b = 0; b < psi.count; ++b)
      for (Index p = 0; p < projectors.count(); ++p)
        forces[static_cast<std::size_t>(projectors.atoms()[static_cast<std::size_t>(p)])]
              [static_cast<std::size_t>(axis)] -=
            2 * occupations[static_cast<std::size_t>(b)] * projectors.strengths()[static_cast<std::size_t>(p)] *
            real_part(conjugate(weights(p, b)) * of_slopes(p, b));
  }
  return forces;
}

std::vector<Vec3> core_forces(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                              const SpinFields& xc_potential) {
  FieldValues mean(xc_potential[0]);
  if (xc_potential.size() == 2)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = 0.5 * (mean[i] + xc_potential[1][i]);
  MeshBox::Coefficients in_box = box.to_box(mean);
  for (std::size_t i = 0; i < in_box.size(); ++i)
    if (!box.inside()[i]) in_box[i] = 0;
  return core_forces(box.fft(), box.in_box(crystal), atoms, in_box);
}

template std::vector<Vec3> nonlocal_forces<double>(const MeshHamiltonian<double>&, BandView<const double>,
                                                   std::span<const double>, int);
template std::vector<Vec3> nonlocal_forces<std::complex<double>>(const MeshHamiltonian<std::complex<double>>&,
                                                                 BandView<const std::complex<double>>,
                                                                 std::span<const double>, int);

}  // namespace wavegrid
