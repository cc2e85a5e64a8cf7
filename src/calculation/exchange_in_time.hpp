// The exact exchange of bands that are propagated.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <wavegrid/calculation/exact_exchange.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/electrons/occupied_states.hpp>
#include <wavegrid/fock/fock_operator.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/propagation/step_exchange.hpp>
#include <wavegrid/scf/compressed_exchange.hpp>

namespace wavegrid {

/// Of complex bands on D. A vector potential moves all k alike: k - q, and with it V_x on the coefficients, stays.
template <class D>
class ExchangeInTime final : public StepExchange {
 public:
  using Complex = std::complex<double>;

  /// All but `occupations` (electrons of all states, weights included) must outlive it; `sets` are the bands that the
  /// views of all calls are of.
  ExchangeInTime(const ProcessGroups& groups, const Problem& problem, BandSets<D, Complex>& sets,
                 std::vector<double> occupations)
      : groups_(groups),
        problem_(problem),
        sets_(sets),
        occupations_(std::move(occupations)),
        fock_(groups, D::exchange_setting(problem)),
        now_(sets.size()) {}

  double set_present(const Views& bands) override {
    const ExchangeStates<Complex> states{with_views(bands), problem_.bands, occupations_};
    const std::vector<Bands<Complex>> w = fock_.apply(states, states.mine);
    double sum = 0;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const std::vector<double> energies = diagonal_overlaps<Complex>(product(i), bands[i], w[i].view());
      for (std::size_t b = 0; b < energies.size(); ++b) sum += 0.5 * occupation(i, b) * energies[b];
    }
    compress(bands, w);
    return sum_of_kpoint_groups(groups_, sum);
  }

  double set_mean(const Views& begin, const Views& end, const Views& middle) override {
    std::vector<Bands<Complex>> pairs;
    Views sources;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const Bands<Complex>& both = pairs.emplace_back(interleaved(begin[i], end[i]));
      sources.push_back(both.view());
    }
    std::vector<double> halves;
    for (const double f : occupations_) halves.insert(halves.end(), 2, 0.5 * f);
    const ExchangeStates<Complex> states{with_views(sources), 2 * problem_.bands, halves};
    const std::vector<Bands<Complex>> w = fock_.apply(states, with_views(middle));
    const double change = mean_change(middle, w);
    compress(middle, w);
    return change;
  }

 private:
  [[nodiscard]] const InnerProduct& product(std::size_t i) const { return sets_[i]->op.product(); }
  [[nodiscard]] double occupation(std::size_t i, std::size_t band) const {
    const auto set = static_cast<std::size_t>(sets_[i]->k * problem_.spins + sets_[i]->spin);
    return occupations_[set * static_cast<std::size_t>(problem_.bands) + band];
  }
  /// These bands as exchange takes them. The k of plane waves contains the vector potential, that of the mesh of q does
  /// not.
  [[nodiscard]] std::vector<FockBands<Complex>> with_views(const Views& views) const {
    std::vector<FockBands<Complex>> all;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      FockBands<Complex> one = D::template fock_bands<Complex>(*sets_[i]);
      one.k = problem_.kpoints[static_cast<std::size_t>(one.number)].k;
      one.psi = views[i];
      all.push_back(std::move(one));
    }
    return all;
  }
  /// a_1, b_1, a_2, b_2, ...: the empty ones remain at the end.
  [[nodiscard]] static Bands<Complex> interleaved(BandView<const Complex> a, BandView<const Complex> b) {
    Bands<Complex> both(a.rows, 2 * a.count);
    for (Index n = 0; n < a.count; ++n) {
      std::copy_n(a.band(n), a.rows, both.view().band(2 * n));
      std::copy_n(b.band(n), b.rows, both.view().band(2 * n + 1));
    }
    return both;
  }
  /// The root of sum_n f_n |(V_x - V_x of the operators) psi_n|^2 for an electron.
  [[nodiscard]] double mean_change(const Views& psi, const std::vector<Bands<Complex>>& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      Bands<Complex> change(psi[i].rows, psi[i].count);
      for (Index n = 0; n < psi[i].rows * psi[i].count; ++n) change.view().data[n] = -w[i].view().data[n];
      if (now_[i]) now_[i]->add(product(i), psi[i], change.view());
      const std::vector<double> squares = squared_norms<Complex>(product(i), std::as_const(change).view());
      for (std::size_t b = 0; b < squares.size(); ++b) sum += occupation(i, b) * squares[b];
    }
    const double electrons = std::accumulate(occupations_.begin(), occupations_.end(), 0.0);
    return std::sqrt(sum_of_kpoint_groups(groups_, sum) / electrons);
  }
  void compress(const Views& psi, const std::vector<Bands<Complex>>& w) {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      now_[i] = std::make_shared<const CompressedExchange<Complex>>(
          CompressedExchange<Complex>::compress(product(i), psi[i], w[i].view()));
      sets_[i]->op.set_exchange(now_[i]);
    }
  }
  const ProcessGroups& groups_;
  const Problem& problem_;
  BandSets<D, Complex>& sets_;
  std::vector<double> occupations_;
  FockOperator<Complex> fock_;
  std::vector<std::shared_ptr<const CompressedExchange<Complex>>> now_;  ///< of the operators
};

}  // namespace wavegrid
