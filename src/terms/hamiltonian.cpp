#include "terms/hamiltonian.hpp"

namespace wavegrid {

template <class S>
Hamiltonian<S>::Hamiltonian(BandFft<Real>& fft, const NonlocalPotential<S>& nonlocal, Profile* profile)
    : fft_(fft),
      nonlocal_(nonlocal),
      product_{fft.comm(), waves().zero() < 0 ? -1 : waves().zero() * ScalarTraits<S>::rows_per_wave},
      profile_(profile) {}

template <class S>
void Hamiltonian<S>::apply(BandView<const S> psi, BandView<S> out) {
  fft_.apply_local(coefficients(psi), potential_.data(), coefficients(out), psi.count);
  const Index n = waves().size();
  const double* const kinetic = waves().kinetic().data();
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < psi.count; ++b) {
    const ComplexOf<S>* const c = coefficients(psi) + b * n;
    ComplexOf<S>* const h = coefficients(out) + b * n;
    for (Index g = 0; g < n; ++g) h[g] += static_cast<Real>(kinetic[g]) * c[g];
  }
  const auto guard = time(Phase::nonlocal);
  nonlocal_.apply(product_, psi, out);
  applications_ += psi.count;
  nonlocal_applications_ += psi.count;
}

template <class S>
void Hamiltonian<S>::apply_change(std::span<const Real> change, BandView<const S> psi, BandView<S> out) {
  constexpr Index block = change_block;
  scratch_.resize(static_cast<std::size_t>(block * psi.rows));
  for (Index first = 0; first < psi.count; first += block) {
    const Index count = std::min(block, psi.count - first);
    const BandView<S> product{scratch_.data(), psi.rows, count};
    fft_.apply_local(coefficients(psi.slice(first, count)), change.data(), coefficients(product), count);
    S* const target = out.band(first);
#pragma omp parallel for simd schedule(static)
    for (Index i = 0; i < count * psi.rows; ++i) target[i] += product.data[i];
  }
  applications_ += psi.count;
}

template <class S>
std::vector<double> Hamiltonian<S>::kinetic_energies(BandView<const S> psi) const {
  std::vector<double> energy(static_cast<std::size_t>(psi.count));
  const Index n = waves().size();
  const double pairs = ScalarTraits<S>::is_real ? 2.0 : 1.0;  // G = 0, which stands alone, has no kinetic energy
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < psi.count; ++b) {
    const ComplexOf<S>* const c = coefficients(psi) + b * n;
    double sum = 0;
    for (Index g = 0; g < n; ++g)
      sum += waves().kinetic()[static_cast<std::size_t>(g)] * std::norm(std::complex<double>(c[g]));
    energy[static_cast<std::size_t>(b)] = pairs * sum;
  }
  product_.comm.sum(std::span<double>(energy));
  return energy;
}

template class Hamiltonian<double>;
template class Hamiltonian<std::complex<double>>;

}  // namespace wavegrid
