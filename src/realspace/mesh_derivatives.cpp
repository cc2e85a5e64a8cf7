#include <algorithm>
#include <array>
#include <utility>

#include <wavegrid/base/component_values.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/realspace/mesh_derivatives.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_at_once = 16;  ///< whose gradients are held at the same time

/// The gradients of bands, each component as a band of its own.
template <class S>
struct Slopes {
  std::array<Bands<S>, 3> axis_gradients;
  int components;

  Slopes(const MeshHamiltonian<S>& h, BandView<const S> psi)
      : axis_gradients{Bands<S>(psi.rows, psi.count), Bands<S>(psi.rows, psi.count), Bands<S>(psi.rows, psi.count)},
        components(h.components()) {
    for (int axis = 0; axis < 3; ++axis) h.gradient(axis, psi, axis_gradients[static_cast<std::size_t>(axis)].view());
  }
  [[nodiscard]] BandView<const S> operator[](std::size_t axis) const {
    return axis_gradients[axis].view().split(components);
  }
};

/// Adds what the functions of projectors give to derivatives, for a block of bands with weights of the functions.
template <class S>
class FunctionDerivatives {
 public:
  /// `slopes`: of the bands, which must outlive it; `overlaps`: <f|psi>; `weights`: c, or the same through
  /// combinations.
  FunctionDerivatives(const MeshHamiltonian<S>& h, const Slopes<S>& slopes, const Matrix<S>& overlaps,
                      Matrix<S> weights)
      : projectors_(h.projectors()),
        product_(h.product()),
        slopes_(slopes),
        overlaps_(overlaps),
        weights_(std::move(weights)) {}

  void add_forces(std::vector<Vec3>& forces) const {
    const std::vector<int>& atoms = projectors_.function_atoms();
    for (std::size_t axis = 0; axis < 3; ++axis)
      for_products(projectors_.function_overlaps(product_, slopes_[axis]), [&](Index function, double value) {
        forces[static_cast<std::size_t>(atoms[static_cast<std::size_t>(function)])][axis] -= 2 * value;
      });
  }
  void add_strain(Mat3& strain) const {
    for_products(overlaps_, [&](Index, double value) { strain = strain + isotropic(-value); });
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        for_products(projectors_.function_moments(product_, static_cast<int>(b), slopes_[a]), [&](Index, double value) {
          strain[a][b] -= value;  // the other half is that of (b, a)
          strain[b][a] -= value;
        });
  }

 private:
  /// Calls action(function, Re conj(weight) other) for all functions and bands.
  template <class Action>
  void for_products(const Matrix<S>& other, Action action) const {
    for (Index b = 0; b < weights_.columns(); ++b)
      for (Index f = 0; f < weights_.rows(); ++f) action(f, real_part(conjugate(weights_(f, b)) * other(f, b)));
  }

  const MeshProjectors<S>& projectors_;
  const InnerProduct& product_;
  const Slopes<S>& slopes_;
  const Matrix<S>& overlaps_;
  Matrix<S> weights_;
};

/// Adds a block of bands to the derivatives.
template <class S>
class BandBlock {
 public:
  BandBlock(const MeshHamiltonian<S>& h, BandView<const S> psi, const BandCouplings& couplings)
      : product_(h.product()),
        slopes_(h, psi),
        overlaps_(h.projectors().function_overlaps(product_, psi.split(h.components()))),
        weights_(h.projectors().of_projectors(overlaps_)),
        occupations_(repeated_for_components(couplings.occupations, h.components())) {
    couplings.multiply(h.projections(weights_));
  }

  [[nodiscard]] FunctionDerivatives<S> functions(const MeshHamiltonian<S>& h) const {
    const bool are_combined = h.projectors().orbitals() != nullptr;
    return {h, slopes_, overlaps_,
            are_combined ? h.projectors().of_functions(weights_, 0, weights_.columns()) : weights_};
  }
  /// Adds <phi|X_h> of shells that are combinations of orbitals, (orbitals, shells).
  void add_shell_products(const MeshOrbitals<S>& orbitals, Matrix<S>& m) const {
    for (Index b = 0; b < weights_.columns(); ++b)
      for (Index h = 0; h < m.columns(); ++h) {
        const S weight = conjugate(weights_(orbitals.shells[static_cast<std::size_t>(h)], b));
        for (Index i = 0; i < m.rows(); ++i)
          m(i, h) += overlaps_(orbitals.functions[static_cast<std::size_t>(i)], b) * weight;
      }
  }
  void add_kinetic_strain(Mat3& strain) const {
    for (std::size_t a = 0; a < 3; ++a) add_products(slopes_[a], strain[a]);
  }
  /// The same times v_tau.
  void add_tau_strain(std::span<const double> v_tau, Mat3& strain) const {
    for (std::size_t a = 0; a < 3; ++a) {
      Bands<S> times(slopes_[a].rows, slopes_[a].count);
      for (Index b = 0; b < times.count(); ++b)
        for (std::size_t p = 0; p < v_tau.size(); ++p) times.view().band(b)[p] = v_tau[p] * slopes_[a].band(b)[p];
      add_products(std::as_const(times).view(), strain[a]);
    }
  }

 private:
  void add_products(BandView<const S> bands, Vec3& row) const {
    for (std::size_t b = 0; b < 3; ++b) {
      const std::vector<double> products = diagonal_overlaps<S>(product_, bands, slopes_[b]);
      for (std::size_t i = 0; i < products.size(); ++i) row[b] -= occupations_[i] * products[i];
    }
  }

  const InnerProduct& product_;
  Slopes<S> slopes_;
  Matrix<S> overlaps_, weights_;  ///< <f|psi>, and f (D - e q) <beta|psi>
  std::vector<double> occupations_;
};

/// Adds what the change of O^(-1/2) gives; `m`: <phi|X_h>.
template <class S>
void add_change_of_combinations(const MeshHamiltonian<S>& h, const MeshOrbitals<S>& orbitals, const Matrix<S>& m,
                                bool with_strain, BandDerivatives& sum) {
  const Matrix<S> g = overlap_weights(orbitals.combination, m);
  const int components = h.components();
  const Index bands = (g.rows() + components - 1) / components;
  const Bands<S> phi = h.projectors().orbital_bands(bands * components);  // as components of bands
  const Slopes<S> slopes(h, {phi.view().data, phi.rows() * components, bands});
  const Matrix<S> overlaps = h.projectors().function_overlaps(h.product(), phi.view());
  Matrix<S> weights(overlaps.rows(), overlaps.columns());
  for (Index n = 0; n < g.columns(); ++n)
    for (Index i = 0; i < g.rows(); ++i) weights(orbitals.functions[static_cast<std::size_t>(i)], n) = S(2) * g(i, n);
  const FunctionDerivatives<S> functions(h, slopes, overlaps, std::move(weights));
  functions.add_forces(sum.forces);
  if (with_strain) functions.add_strain(sum.nonlocal_strain);
}

/// The matrix with another trace.
Mat3 with_trace(const Mat3& of, double trace) { return of + isotropic((trace - of[0][0] - of[1][1] - of[2][2]) / 3); }

}  // namespace

template <class S>
void add_band_derivatives(MeshHamiltonian<S>& h, BandView<const S> psi, std::span<const double> occupations,
                          std::span<const double> eigenvalues, bool with_strain, BandDerivatives& sum) {
  const BandCouplings couplings = h.band_couplings(occupations, eigenvalues);
  Mat3 kinetic_strain{}, tau_strain{};
  double kinetic = 0;
  const OperatorPotential<double>& potential = h.potential();
  const MeshOrbitals<S>* const orbitals = h.projectors().orbitals();
  Matrix<S> shell_products;
  if (orbitals != nullptr) shell_products = Matrix<S>(orbitals->columns.rows(), orbitals->columns.columns());
  for (Index first = 0; first < psi.count; first += bands_at_once) {
    const Index count = std::min(bands_at_once, psi.count - first);
    const auto share = occupations.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const BandBlock<S> block(h, psi.slice(first, count), couplings.slice(first, count));
    const FunctionDerivatives<S> functions = block.functions(h);
    functions.add_forces(sum.forces);
    if (orbitals != nullptr) block.add_shell_products(*orbitals, shell_products);
    if (!with_strain) continue;
    functions.add_strain(sum.nonlocal_strain);
    block.add_kinetic_strain(kinetic_strain);
    const std::vector<double> energies = h.kinetic_energies(psi.slice(first, count));
    for (std::size_t i = 0; i < energies.size(); ++i) kinetic += share[i] * energies[i];
    if (potential.has_tau()) block.add_tau_strain(potential.tau(), tau_strain);
  }
  if (orbitals != nullptr) add_change_of_combinations(h, *orbitals, shell_products, with_strain, sum);
  if (!with_strain) return;
  sum.kinetic_strain = sum.kinetic_strain + with_trace(kinetic_strain, -2 * kinetic);
  if (potential.has_tau())
    sum.tau_strain = sum.tau_strain + with_trace(tau_strain, -2 * h.tau_energy(psi, occupations));
}

#define WAVEGRID_INSTANTIATE(S)                                                                          \
  template void add_band_derivatives<S>(MeshHamiltonian<S>&, BandView<const S>, std::span<const double>, \
                                        std::span<const double>, bool, BandDerivatives&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
