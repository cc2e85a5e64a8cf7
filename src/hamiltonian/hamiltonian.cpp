#include <cmath>
#include <complex>
#include <type_traits>

#include <wavegrid/base/component_values.hpp>
#include <wavegrid/hamiltonian/hamiltonian.hpp>
#include <wavegrid/hamiltonian/kinetic.hpp>
#include <wavegrid/hamiltonian/kinetic_strain.hpp>
#include <wavegrid/terms/rank_sums.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>
#include <wavegrid/wavefunctions/random_waves.hpp>

namespace wavegrid {

namespace {

/// The blocks of plane waves of `fft` as blocks of rows of S; none if its rows are not divided into blocks.
template <class S>
std::shared_ptr<const RowBlocks> row_blocks(const BandFft<RealOf<S>>& fft) {
  if (fft.block_starts().empty()) return nullptr;
  std::vector<Index> begins = fft.block_begins();
  for (Index& begin : begins) begin *= rows_per_wave<S>;
  return std::make_shared<RowBlocks>(RowBlocks{OrderedSum(fft.comm(), fft.block_starts()), std::move(begins)});
}

template <class Real>
GridOperators<Real> operators_on_grid(const OperatorPotential<Real>& potential) {
  return {.potential = potential.local().data(), .has_tau = potential.has_tau(), .v_tau = potential.tau().data()};
}

}  // namespace

template <class S>
Hamiltonian<S>::Hamiltonian(BandFft<Real>& fft, Projectors<S>& projectors, Profile* profile)
    : KohnShamOperator<S>(wave_product(fft.comm(), fft.rows(), row_blocks<S>(fft)),
                          fft.rows().size() * rows_per_wave<S> * projectors.components(), profile),
      components_(projectors.components()),
      fft_(fft),
      nonlocal_(projectors) {}

template <class S>
void Hamiltonian<S>::apply(BandView<const S> psi, BandView<S> out) {
  apply_local(psi, out);
  const auto guard = this->time(Phase::nonlocal);
  nonlocal_.apply(this->product(), psi, out);
  nonlocal_applications_ += psi.count;
  if (exchange_) exchange_->add(this->product(), psi, out);
}

template <class S>
void Hamiltonian<S>::apply_with_overlap(BandView<const S> psi, BandView<S> h_psi, BandView<S> s_psi) {
  apply_local(psi, h_psi);
  const auto guard = this->time(Phase::nonlocal);
  nonlocal_.apply_with_overlap(fft_, this->product(), psi, h_psi, s_psi);
  nonlocal_applications_ += psi.count;
  if (exchange_) exchange_->add(this->product(), psi, h_psi);
}

template <class S>
void Hamiltonian<S>::apply_local(BandView<const S> psi, BandView<S> out) {
  const auto projectors = nonlocal_.on_grid();
  GridOperators<Real> on_grid = operators_on_grid(potential_);
  if (projectors) on_grid.others.push_back(projectors.get());
  const Index n = waves().size(), count = psi.count * components_;
  if (potential_.has_vector())
    fft_.apply_to_spinors(coefficients(psi), potential_.values.data(), coefficients(out), psi.count);
  else
    fft_.apply_on_grid(coefficients(psi), on_grid, coefficients(out), psi.count);
  const double* const kinetic = waves().kinetic().data();
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < count; ++b) {
    const ComplexOf<S>* const c = coefficients(psi) + b * n;
    ComplexOf<S>* const h = coefficients(out) + b * n;
    for (Index g = 0; g < n; ++g) h[g] += static_cast<Real>(kinetic[g]) * c[g];
  }
  if (potential_.has_current()) add_current_term(potential_, psi, out);
  applications_ += psi.count;
}

template <class S>
void Hamiltonian<S>::momentum(int axis, BandView<const S> psi, BandView<S> out) const {
  if constexpr (ScalarTraits<S>::is_real) {
    KohnShamOperator<S>::momentum(axis, psi, out);
  } else {
    const Index n = waves().size();
    for (Index g = 0; g < n; ++g) {
      const auto k = static_cast<Real>(waves().k_plus_g(g)[static_cast<std::size_t>(axis)]);
      for (Index b = 0; b < psi.count * components_; ++b) out.data[b * n + g] = k * psi.data[b * n + g];
    }
  }
}

template <class S>
void Hamiltonian<S>::add_current_term(const OperatorPotential<Real>& potential, BandView<const S> psi,
                                      BandView<S> out) {
  const Index most = std::min(change_block, psi.count);
  Bands<S> factor(psi.rows, most), product(psi.rows, most);
  for (Index first = 0; first < psi.count; first += most) {
    const BandView<const S> part = psi.slice(first, std::min(most, psi.count - first));
    const BandView<S> p = factor.view().slice(0, part.count), image = product.view().slice(0, part.count);
    S* const target = out.band(first);
    const auto add_half = [&](const BandView<S>& of) {
      for (Index i = 0; i < of.rows * of.count; ++i) target[i] += Real(0.5) * of.data[i];
    };
    for (int axis = 0; axis < 3; ++axis) {
      const Real* const a = potential.current(static_cast<std::size_t>(axis)).data();
      momentum(axis, part, p);
      fft_.apply_local(coefficients(p), a, coefficients(image), part.count);
      add_half(image);
      fft_.apply_local(coefficients(part), a, coefficients(image), part.count);
      momentum(axis, image, p);
      add_half(p);
    }
  }
}

template <class S>
void Hamiltonian<S>::apply_overlap(BandView<const S> psi, BandView<S> out) {
  const auto guard = this->time(Phase::nonlocal);
  nonlocal_.apply_overlap(fft_, this->product(), psi, out);
}

template <class S>
void Hamiltonian<S>::solve_overlap(BandView<const S> b, BandView<S> x) {
  if (!nonlocal_.has_inverse()) return KohnShamOperator<S>::solve_overlap(b, x);
  const auto guard = this->time(Phase::nonlocal);
  nonlocal_.solve_overlap(this->product(), b, x);
}

template <class S>
void Hamiltonian<S>::apply_change(std::span<const Real> change, BandView<const S> psi, BandView<S> out) {
  constexpr Index block = change_block;
  scratch_.resize(static_cast<std::size_t>(block * psi.rows));
  for (Index first = 0; first < psi.count; first += block) {
    const Index count = std::min(block, psi.count - first);
    const BandView<S> product{scratch_.data(), psi.rows, count};
    const auto* const from = coefficients(psi.slice(first, count));
    if (potential_.has_vector())
      fft_.apply_to_spinors(from, change.data(), coefficients(product), count);
    else
      fft_.apply_on_grid(from, operators_on_grid<Real>({change, potential_.fields}), coefficients(product), count);
    S* const target = out.band(first);
#pragma omp parallel for simd schedule(static)
    for (Index i = 0; i < count * psi.rows; ++i) target[i] += product.data[i];
  }
  if (potential_.has_current()) add_current_term({change, potential_.fields}, psi, out);
  nonlocal_.apply_change(this->product(), psi, out);
  applications_ += psi.count;
}

template <class S>
std::vector<double> Hamiltonian<S>::kinetic_energies(BandView<const S> psi) const {
  return sums_of_components(wavegrid::kinetic_energies<S>(this->product(), waves(), psi.split(components_)),
                            components_);
}

template <class S>
std::vector<double> Hamiltonian<S>::nonlocal_energies(BandView<const S> psi) {
  return nonlocal_.energies(this->product(), psi);
}

template <class S>
std::vector<double> Hamiltonian<S>::exchange_energies(BandView<const S> psi) {
  if (!exchange_) return KohnShamOperator<S>::exchange_energies(psi);
  return exchange_->expectations(this->product(), psi);
}

template <class S>
std::vector<double> Hamiltonian<S>::per_volume(std::span<const double> weights) const {
  std::vector<double> divided(weights.begin(), weights.end());
  for (double& w : divided) w /= waves().lattice().volume();
  return divided;
}

template <class S>
void Hamiltonian<S>::accumulate_density(BandView<const S> psi, std::span<const double> weights,
                                        std::span<double> density) {
  fft_.accumulate_density(coefficients(psi), per_volume(weights), density.data(), psi.count);
}

template <class S>
void Hamiltonian<S>::accumulate_vector_density(BandView<const S> psi, std::span<const double> weights,
                                               std::span<double> density) {
  fft_.accumulate_vector_density(coefficients(psi), per_volume(weights), density.data(), psi.count);
}

template <class S>
void Hamiltonian<S>::accumulate_densities(BandView<const S> psi, std::span<const double> weights,
                                          std::span<double> density, std::span<double> kinetic) {
  fft_.accumulate_densities(coefficients(psi), per_volume(weights), density.data(), kinetic.data(), psi.count);
}

template <class S>
void Hamiltonian<S>::add_derivatives(BandView<const S> psi, std::span<const double> occupations,
                                     std::span<const double> eigenvalues, bool with_strain, BandDerivatives& sum) {
  if constexpr (is_single<S>) {
    KohnShamOperator<S>::add_derivatives(psi, occupations, eigenvalues, with_strain, sum);
  } else {
    const auto guard = this->time(Phase::nonlocal);
    const NonlocalDerivatives found =
        nonlocal_.derivatives(this->product(), psi, occupations, with_strain, eigenvalues);
    sum.forces = sum_forces(std::move(sum.forces), found.forces);
    sum.nonlocal_strain = sum.nonlocal_strain + found.strain;
    if (!with_strain) return;
    const BandView<const S> parts = psi.split(components_);
    const std::vector<double> electrons = repeated_for_components(occupations, components_);
    sum.kinetic_strain = sum.kinetic_strain + kinetic_strain<S>(this->product(), waves(), parts, electrons);
    if (potential_.has_tau())
      sum.tau_strain = sum.tau_strain + tau_strain<S>(this->product(), fft_, potential_.tau(), parts, electrons);
  }
}

template <class S>
void Hamiltonian<S>::prepare_round() {
  if (!leader_) return;
  const char* const reason = "choice of the first k-point";
  if (const auto tuning = leader_->sphere().tuning(); tuning && !leader_->sphere().is_tuning())
    fft_.sphere().decide(tuning->chosen, reason);
  if (const auto tuning = leader_->tuning(); tuning && !tuning->rows.empty()) fft_.decide(tuning->chosen, reason);
}

template <class S>
void Hamiltonian<S>::precondition(std::span<const double> energies, BandView<S> residuals) {
  precondition_by_kinetic_energy<S>(waves(), repeated_for_components(energies, components_),
                                    residuals.split(components_));
}

template <class S>
void Hamiltonian<S>::precondition_step(double time, std::span<const double> energies, BandView<S> residuals) {
  if constexpr (std::is_same_v<S, std::complex<double>>)
    precondition_step_by_kinetic_energy(waves(), time, repeated_for_components(energies, components_),
                                        residuals.split(components_));
}

template <class S>
std::vector<double> Hamiltonian<S>::value_errors(BandView<const S> residuals, const std::vector<double>& squares) {
  // An error is linear in the square: half of it belongs to each component.
  std::vector<double> shares = repeated_for_components<double>(squares, components_);
  for (double& share : shares) share /= components_;
  return sums_of_components(
      eigenvalue_errors<S>(this->product(), waves(), residuals.split(components_), shares, this->min_gap()),
      components_);
}

template <class S>
void Hamiltonian<S>::fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum) {
  wavegrid::fill_random<S>(waves(), first_key, bands, components_);
  if (spectrum == RandomSpectrum::flat) flatten_random<S>(waves(), bands.split(components_));
}

#define WAVEGRID_INSTANTIATE(S) template class Hamiltonian<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
