#include "realspace/mesh_derivatives.hpp"

#include <algorithm>
#include <array>

#include "linalg/overlap.hpp"
#include "realspace/shortest_wave.hpp"
#include "terms/local_potential.hpp"
#include "terms/symmetric_sums.hpp"

namespace wavegrid {

namespace {

constexpr Index bands_at_once = 16;  ///< whose gradients are held at the same time

/// Bands and their gradients.
template <class S>
struct Slopes {
  std::array<Bands<S>, 3> of_axis;

  Slopes(const MeshHamiltonian<S>& h, BandView<const S> psi)
      : of_axis{Bands<S>(psi.rows, psi.count), Bands<S>(psi.rows, psi.count), Bands<S>(psi.rows, psi.count)} {
    for (int axis = 0; axis < 3; ++axis) h.gradient(axis, psi, of_axis[static_cast<std::size_t>(axis)].view());
  }
  [[nodiscard]] BandView<const S> operator[](std::size_t axis) const { return of_axis[axis].view(); }
};

/// Adds a block of bands to the derivatives.
template <class S>
class BandBlock {
 public:
  BandBlock(const MeshHamiltonian<S>& h, BandView<const S> psi, const BandCouplings& couplings)
      : projectors_(h.projectors()),
        product_(h.product()),
        slopes_(h, psi),
        overlaps_(projectors_.overlaps(product_, psi)),
        weights_(overlaps_),
        occupations_(couplings.occupations) {
    couplings.multiply(projections_in(weights_));
  }

  void add_forces(std::vector<Vec3>& forces) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      for_products(projectors_.overlaps(product_, slopes_[axis]), [&](Index projector, double value) {
        forces[static_cast<std::size_t>(projectors_.atoms()[static_cast<std::size_t>(projector)])][axis] -= 2 * value;
      });
  }
  void add_nonlocal_strain(Mat3& strain) const {
    for_products(overlaps_, [&](Index, double value) { strain = strain + isotropic(-value); });
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        for_products(projectors_.moments(product_, static_cast<int>(b), slopes_[a]), [&](Index, double value) {
          strain[a][b] -= value;  // the other half is that of (b, a)
          strain[b][a] -= value;
        });
  }
  void add_kinetic_strain(Mat3& strain) const {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const std::vector<double> products = diagonal_overlaps<S>(product_, slopes_[a], slopes_[b]);
        for (std::size_t i = 0; i < products.size(); ++i) strain[a][b] -= occupations_[i] * products[i];
      }
  }

 private:
  /// Calls action(projector, Re conj(f (D - e q) <beta|psi>) other) for all projectors and bands.
  template <class Action>
  void for_products(const Matrix<S>& other, Action action) const {
    for (Index b = 0; b < other.columns(); ++b)
      for (Index p = 0; p < other.rows(); ++p) action(p, real_part(conjugate(weights_(p, b)) * other(p, b)));
  }

  const MeshProjectors<S>& projectors_;
  const InnerProduct& product_;
  Slopes<S> slopes_;
  Matrix<S> overlaps_, weights_;  ///< <beta|psi>, and times f (D - e q)
  std::span<const double> occupations_;
};

/// The matrix with another trace.
Mat3 with_trace(const Mat3& of, double trace) { return of + isotropic((trace - of[0][0] - of[1][1] - of[2][2]) / 3); }

}  // namespace

template <class S>
MeshBandDerivatives band_derivatives(const MeshHamiltonian<S>& h, BandView<const S> psi,
                                     std::span<const double> occupations, int num_atoms, bool with_strain,
                                     std::span<const double> eigenvalues) {
  const BandCouplings couplings = h.band_couplings(occupations, eigenvalues);
  MeshBandDerivatives found{.forces = std::vector<Vec3>(static_cast<std::size_t>(num_atoms), Vec3{0, 0, 0})};
  double kinetic = 0;
  for (Index first = 0; first < psi.count; first += bands_at_once) {
    const Index count = std::min(bands_at_once, psi.count - first);
    const auto share = occupations.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const BandBlock<S> block(h, psi.slice(first, count), couplings.slice(first, count));
    block.add_forces(found.forces);
    if (!with_strain) continue;
    block.add_nonlocal_strain(found.nonlocal_strain);
    block.add_kinetic_strain(found.kinetic_strain);
    const std::vector<double> energies = h.kinetic_energies(psi.slice(first, count));
    for (std::size_t i = 0; i < energies.size(); ++i) kinetic += share[i] * energies[i];
  }
  found.kinetic_strain = with_trace(found.kinetic_strain, -2 * kinetic);
  return found;
}

MeshBox::Coefficients core_potential(MeshBox& box, const SpinFields& xc_potential) {
  FieldValues mean(xc_potential[0]);
  if (xc_potential.size() == 2)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = 0.5 * (mean[i] + xc_potential[1][i]);
  MeshBox::Coefficients in_box = box.to_box(mean);
  for (std::size_t i = 0; i < in_box.size(); ++i)
    if (!box.inside()[i]) in_box[i] = 0;
  return in_box;
}

Mat3 hartree_strain(MeshBox& box, const FieldValues& density) {
  const MeshBox::Coefficients in_box = box.to_box(density);
  const PlaneWaves& waves = box.fft().waves();
  std::array<double, 7> sums{};  // of the products, and of the energy
  for (Index i = 0; i < waves.size(); ++i) {
    if (i == waves.zero()) continue;
    const auto at = static_cast<std::size_t>(i);
    const Vec3 g = shortest_wave(waves.lattice(), box.fft().grid(), waves.k_plus_g(i));
    const double weight = waves.lattice().volume() * box.coulomb()[at] * std::norm(in_box[at]);
    add_to_symmetric(sums, weight / norm2(g), g);
    sums[6] += 0.5 * weight;
  }
  box.fft().comm().sum(std::span<double>(sums));
  return symmetric(sums) + isotropic(-sums[6]);
}

Mat3 local_strain(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms, const FieldValues& density,
                  double local_energy) {
  return local_strain(box.fft(), box.inside(), box.in_box(crystal), atoms, box.to_box(density), local_energy);
}

#define WAVEGRID_INSTANTIATE(S)                                                                  \
  template MeshBandDerivatives band_derivatives<S>(const MeshHamiltonian<S>&, BandView<const S>, \
                                                   std::span<const double>, int, bool, std::span<const double>);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
