#include <algorithm>

#include <wavegrid/hamiltonian/kinetic.hpp>

namespace wavegrid {

namespace {

/// sum_G weight(|k+G|^2/2) |psi|^2 per band. At Gamma, G = 0 counts otherwise than the others: its weight must be 0.
template <class S, class Weight>
std::vector<double> weighted_sums(const InnerProduct& product, const PlaneWaves& waves, BandView<const S> psi,
                                  Weight weight) {
  std::vector<double> sums(static_cast<std::size_t>(psi.count));
  const Index n = waves.size();
  const double* const kinetic = waves.kinetic().data();
  product.sum(psi.rows, std::span<double>(sums), [&](Range rows, std::span<double> row_sums) {
    const Range mine{rows.begin / rows_per_wave<S>, rows.end / rows_per_wave<S>};
#pragma omp parallel for schedule(static)
    for (Index b = 0; b < psi.count; ++b) {
      const ComplexOf<S>* const c = coefficients(psi) + b * n;
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (Index g = mine.begin; g < mine.end; ++g) {
        const double re = c[g].real(), im = c[g].imag();
        sum += weight(kinetic[g]) * (re * re + im * im);
      }
      row_sums[static_cast<std::size_t>(b)] = product.weight * sum;
    }
  });
  return sums;
}

}  // namespace

template <class S>
std::vector<double> kinetic_energies(const InnerProduct& product, const PlaneWaves& waves, BandView<const S> psi) {
  return weighted_sums<S>(product, waves, psi, [](double kinetic) { return kinetic; });
}

template <class S>
std::vector<double> eigenvalue_errors(const InnerProduct& product, const PlaneWaves& waves, BandView<const S> residuals,
                                      const std::vector<double>& squares, double least) {
  // Less than with `least` for all, by a sum without G = 0.
  const double most = 1.0 / least;
  std::vector<double> errors = weighted_sums<S>(
      product, waves, residuals, [&](double kinetic) { return most - 1.0 / std::max(least, kinetic - 1.0); });
  for (std::size_t b = 0; b < errors.size(); ++b) errors[b] = most * squares[b] - errors[b];
  return errors;
}

template <class S>
void precondition_by_kinetic_energy(const PlaneWaves& waves, std::span<const double> kinetic, BandView<S> bands) {
  const Index n = waves.size();
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < bands.count; ++b) {
    ComplexOf<S>* const c = coefficients(bands) + b * n;
    const double inverse = 1.0 / (1.5 * kinetic[static_cast<std::size_t>(b)]);
    for (Index g = 0; g < n; ++g) {
      const double t = waves.kinetic()[static_cast<std::size_t>(g)] * inverse;
      const double top = 27.0 + t * (18.0 + t * (12.0 + t * 8.0));
      c[g] *= static_cast<RealOf<S>>(top / (top + 16.0 * t * t * t * t) * 2.0 * inverse);
    }
  }
}

void precondition_step_by_kinetic_energy(const PlaneWaves& waves, double time, std::span<const double> energies,
                                         BandView<std::complex<double>> bands) {
  const Index n = waves.size();
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < bands.count; ++b)
    for (Index g = 0; g < n; ++g)
      bands.band(b)[g] /= std::complex<double>(
          1, time * (waves.kinetic()[static_cast<std::size_t>(g)] - energies[static_cast<std::size_t>(b)]));
}

#define WAVEGRID_INSTANTIATE(S)                                                                                \
  template std::vector<double> kinetic_energies<S>(const InnerProduct&, const PlaneWaves&, BandView<const S>); \
  template std::vector<double> eigenvalue_errors<S>(const InnerProduct&, const PlaneWaves&, BandView<const S>, \
                                                    const std::vector<double>&, double);                       \
  template void precondition_by_kinetic_energy<S>(const PlaneWaves&, std::span<const double>, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
