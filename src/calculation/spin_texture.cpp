#include <algorithm>
#include <array>
#include <complex>
#include <span>
#include <utility>

#include <wavegrid/calculation/spin_texture.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/spinor_matrices.hpp>

namespace wavegrid {

template <class S>
void SpinTexture::add_augmentation(KohnShamBands<S>& of, std::vector<double>& spins) const {
  const SpinorMatrices matrices(problem_.crystal, problem_.pseudopotentials);
  const AtomMatrices q = augmentation_charges(problem_.crystal, problem_.pseudopotentials);
  const std::array<double, 1> one{1.0};
  for (Index b = 0; b < problem_.bands; ++b) {
    AtomMatrices rho = matrices.zeros();
    of.op.accumulate_projections(std::as_const(of.state.x).view().slice(b, 1), one, rho);
    const SpinMatrices components = matrices.components(rho, true);
    for (std::size_t axis = 0; axis < 3; ++axis)
      spins[3 * static_cast<std::size_t>(b) + axis] += contraction(q, components[1 + axis]);
  }
}

template <class S>
void SpinTexture::add(KohnShamBands<S>& of) {
  const InnerProduct& product = of.op.product();
  const BandView<const S> parts = std::as_const(of.state.x).view().slice(0, problem_.bands).split(2);
  const std::vector<double> squares = squared_norms<S>(product, parts);
  // Of neighbours: those of an even number are the components of a band.
  const BandView<const S> first{parts.data, parts.rows, parts.count - 1},
      second{parts.band(1), parts.rows, first.count};
  const auto products = pair_overlaps<S>(product, first, second);
  Found found{of.k, {}};
  for (std::size_t b = 0; b < squares.size(); b += 2) {
    const std::complex<double> across = 2.0 * std::complex<double>(products[b]);
    const double along = squares[b] - squares[b + 1];
    found.spins.insert(found.spins.end(), {across.real(), across.imag(), along});
  }
  if (has_augmentation(problem_.pseudopotentials)) add_augmentation<S>(of, found.spins);
  found_.push_back(std::move(found));
}

std::vector<double> SpinTexture::gather(const ProcessGroups& groups, Index num_k) const {
  const Index size = 3 * problem_.bands;
  std::vector<double> all(static_cast<std::size_t>(num_k * size), 0.0);
  if (groups.kpoint_group().rank() == 0)
    for (const Found& one : found_)
      std::copy(one.spins.begin(), one.spins.end(), all.begin() + static_cast<std::ptrdiff_t>(one.k * size));
  groups.world().merge(std::span<double>(all));
  return all;
}

template void SpinTexture::add(KohnShamBands<double>&);
template void SpinTexture::add(KohnShamBands<std::complex<double>>&);

}  // namespace wavegrid
