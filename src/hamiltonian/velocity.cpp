#include <algorithm>
#include <utility>

#include <wavegrid/hamiltonian/species_projectors.hpp>
#include <wavegrid/hamiltonian/velocity.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>

namespace wavegrid {

using Complex = std::complex<double>;

namespace {

using Functions = std::vector<CentredFunction>;

/// The derivatives of a species' projectors at the origin along a Cartesian axis, bohr.
Functions projector_derivatives(const PlaneWaves& waves, std::size_t axis, const Pseudopotential& atom) {
  constexpr double step = 0.01;  // 1/bohr
  constexpr std::array<std::pair<double, double>, 4> weights{{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}}};
  Functions sum;
  for (const auto& [steps, weight] : weights) {
    Vec3 shift{0, 0, 0};
    shift[axis] = steps * step;
    const PlaneWaves shifted = waves.shifted(waves.lattice().reduced(shift));
    const Functions at = species_projectors(shifted, atom).functions;
    if (sum.empty()) sum.assign(at.size(), CentredFunction(static_cast<std::size_t>(waves.size())));
    for (std::size_t p = 0; p < at.size(); ++p)
      for (std::size_t g = 0; g < at[p].size(); ++g) sum[p][g] += weight / (12 * step) * at[p][g];
  }
  return sum;
}

}  // namespace

Velocity::Velocity(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal, const Pseudopotentials& atoms,
                   int components)
    : waves_(waves), nonlocal_(waves, k, crystal, atoms, nullptr, components) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<Functions> functions;
    for (const auto& atom : atoms) functions.push_back(projector_derivatives(waves, axis, *atom));
    derivatives_[axis].reshape(waves.size(), nonlocal_.num_projectors());
    place_on_atoms(waves, k, crystal, functions, derivatives_[axis].view().data);
    if (nonlocal_.charges() != nullptr)
      dipoles_[axis] = Couplings(augmentation_dipoles(crystal, atoms, axis), nonlocal_.atom_projectors());
  }
}

Matrix<Complex> Velocity::slopes(const InnerProduct& product, std::size_t axis, BandView<const Complex> psi) const {
  const int components = nonlocal_.components();
  Matrix<Complex> found = overlap<Complex>(product, derivatives_[axis].view(), psi.split(components));
  found.set_rows(components * found.rows());
  return found;
}

std::vector<Vec3> Velocity::expectations(Hamiltonian<Complex>& h, BandView<const Complex> psi) {
  const InnerProduct& product = h.product();
  const int components = nonlocal_.components();
  std::vector<Vec3> found(static_cast<std::size_t>(psi.count), Vec3{0, 0, 0});
  std::vector<double> sums(3 * found.size());
  const Index n = waves_.size();
  product.sum(n, std::span<double>(sums), [&](Range rows, std::span<double> values) {
    for (std::size_t b = 0; b < found.size(); ++b)
      for (Index g = rows.begin; g < rows.end; ++g) {
        const Vec3 k = waves_.k_plus_g(g);
        double square = 0;
        for (int c = 0; c < components; ++c) square += std::norm(psi.band(static_cast<Index>(b))[c * n + g]);
        for (std::size_t axis = 0; axis < 3; ++axis) values[3 * b + axis] += product.weight * k[axis] * square;
      }
  });
  Matrix<Complex> weights = nonlocal_.overlaps(product, psi);
  h.couplings().multiply(projections_in(weights, components));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Matrix<Complex> slope = slopes(product, axis, psi);
    for (std::size_t b = 0; b < found.size(); ++b) {
      found[b][axis] = sums[3 * b + axis];
      for (Index p = 0; p < weights.rows(); ++p)
        found[b][axis] += 2 * (std::conj(weights(p, static_cast<Index>(b))) * slope(p, static_cast<Index>(b))).real();
    }
  }
  if (nonlocal_.charges() == nullptr) return found;
  Bands<Complex> image(psi.rows, psi.count), change(psi.rows, psi.count);
  h.apply(psi, change.view());
  h.solve_overlap(std::as_const(change).view(), image.view());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec3 along{0, 0, 0};
    along[axis] = 1;
    apply_transport(product, along, psi, change.view());
    const std::vector<Complex> products =
        pair_overlaps<Complex>(product, std::as_const(image).view(), std::as_const(change).view());
    for (std::size_t b = 0; b < found.size(); ++b) found[b][axis] -= 2 * products[b].imag();
  }
  return found;
}

void Velocity::apply_transport(const InnerProduct& product, const Vec3& direction, BandView<const Complex> psi,
                               BandView<Complex> out) {
  const int components = nonlocal_.components();
  const Matrix<Complex> projections = nonlocal_.overlaps(product, psi);
  Matrix<Complex> sum(projections.rows(), projections.columns());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (direction[axis] == 0) continue;
    Matrix<Complex> dipole = projections, slope = slopes(product, axis, psi);
    dipoles_[axis].multiply(projections_in(dipole, components));
    nonlocal_.charges()->multiply(projections_in(slope, components));
    for (std::size_t i = 0; i < sum.elements().size(); ++i)
      sum.elements()[i] += direction[axis] * (dipole.elements()[i] + Complex(0, 1) * slope.elements()[i]);
  }
  std::fill_n(out.data, out.rows * out.count, Complex(0));
  nonlocal_.add(product, sum, out);
}

}  // namespace wavegrid
