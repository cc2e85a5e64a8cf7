#include <utility>

#include <wavegrid/hamiltonian/species_projectors.hpp>
#include <wavegrid/hamiltonian/velocity.hpp>
#include <wavegrid/linalg/overlap.hpp>

namespace wavegrid {

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

Velocity::Velocity(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal, const Pseudopotentials& atoms)
    : waves_(waves), nonlocal_(waves, k, crystal, atoms) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<Functions> functions;
    for (const auto& atom : atoms) functions.push_back(projector_derivatives(waves, axis, *atom));
    derivatives_[axis].reshape(waves.size(), nonlocal_.num_projectors());
    place_on_atoms(waves, k, crystal, functions, derivatives_[axis].view().data);
  }
}

std::vector<Vec3> Velocity::expectations(const InnerProduct& product, BandView<const Complex> psi) {
  std::vector<Vec3> found(static_cast<std::size_t>(psi.count), Vec3{0, 0, 0});
  std::vector<double> sums(3 * found.size());
  product.sum(psi.rows, std::span<double>(sums), [&](Range rows, std::span<double> values) {
    for (std::size_t b = 0; b < found.size(); ++b)
      for (Index g = rows.begin; g < rows.end; ++g) {
        const Vec3 k = waves_.k_plus_g(g);
        const double square = product.weight * std::norm(psi.band(static_cast<Index>(b))[g]);
        for (std::size_t axis = 0; axis < 3; ++axis) values[3 * b + axis] += k[axis] * square;
      }
  });
  Matrix<Complex> weights = nonlocal_.overlaps(product, psi);
  nonlocal_.couplings().multiply(projections_in(weights));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Matrix<Complex> slopes = overlap<Complex>(product, std::as_const(derivatives_[axis]).view(), psi);
    for (std::size_t b = 0; b < found.size(); ++b) {
      found[b][axis] = sums[3 * b + axis];
      for (Index p = 0; p < weights.rows(); ++p)
        found[b][axis] += 2 * (std::conj(weights(p, static_cast<Index>(b))) * slopes(p, static_cast<Index>(b))).real();
    }
  }
  return found;
}

}  // namespace wavegrid
