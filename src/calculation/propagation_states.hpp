// The bands of a calculation as a propagation in time saves, reads and moves them.
#pragma once

#include <algorithm>
#include <complex>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/calculation/calculation_bands.hpp>
#include <wavegrid/calculation/derivatives.hpp>
#include <wavegrid/calculation/propagation_run.hpp>
#include <wavegrid/checkpoint/propagation_file.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/propagation/generalised.hpp>

namespace wavegrid {

/// The occupations of a state in the table of a calculation, which may have another number of bands. Throws bad_input
/// unless a propagation with these options can go on from the state. Pure.
/// `components`: 2 for spinors, which a file has component by component.
[[nodiscard]] std::vector<double> continued_occupations(const Propagation& options, const PropagationHeader& header,
                                                        const StateTable& table, int components = 1);

/// Complex bands on D. Members are collective over the world unless they say "local".
template <class D>
class PropagationStates {
 public:
  using Complex = std::complex<double>;

  using Space = typename D::Space;

  /// All must outlive it. The bands are those of the start.
  /// `make_terms` makes the terms of the energy of the problem again.
  PropagationStates(Setting& setting, D& discretisation, Problem& problem, CalculationBands<D, Complex>& bands,
                    const Propagation& options, const std::vector<double>& occupations,
                    std::function<void()> make_terms)
      : setting_(setting),
        discretisation_(discretisation),
        problem_(problem),
        bands_(bands),
        options_(options),
        make_terms_(std::move(make_terms)) {
    if (!options.excited && !options.occupations) return;
    first_potential_ = problem.vector_potential;
    for (const PropagatedBands& one : propagated(occupations))
      first_occupied_.push_back(one.bands.count / components());
    for (std::size_t i = 0; const auto& one : bands_.in_double(problem_)) {
      const Index count = options.occupations ? problem.bands : first_occupied_[i];
      const BandView<Complex> all = one->state.x.view();
      Bands<Complex>& copy = first_.emplace_back(all.rows, count);
      std::copy_n(all.data, all.rows * count, copy.view().data);
      ++i;
    }
  }

  /// Gives terms and bands the atoms of another crystal with the same cell.
  void move_terms(const Crystal& crystal) {
    problem_.crystal = crystal;
    make_terms_();
  }
  void move_atoms(const Crystal& crystal) {
    problem_.crystal = crystal;
    discretisation_.template move_atoms<Complex>(bands_.in_double(problem_), problem_);
  }

  /// 1/bohr.
  void set_vector_potential(const Vec3& a) {
    (void)bands_.in_double(problem_);
    const Vec3 change = a - problem_.vector_potential;
    if (norm2(change) == 0) return;
    problem_.vector_potential = a;
    bands_.change_vector_potential(problem_, change);
  }

  [[nodiscard]] std::vector<BandVelocity> make_velocities() {
    std::vector<BandVelocity> all;
    for (const auto& one : bands_.in_double(problem_)) all.push_back(discretisation_.make_velocity(*one, problem_));
    return all;
  }

  /// Reads the bands that `occupations` say; returns the potentials of the file.
  [[nodiscard]] std::vector<FieldValues> read(const PropagationReader& file, const std::vector<double>& occupations) {
    PropagatedFields fields{discretisation_.space().point_indices(), {}};
    file.read(propagated(occupations), fields);
    return std::move(fields.values);
  }

  /// `system`: with these bands. Refer to both and to this object. Local.
  [[nodiscard]] PropagationHooks<Space> hooks(ScfSystem<Complex, Space>& system) {
    return {.make_velocities = [this] { return make_velocities(); },
            .set_vector_potential = [this](const Vec3& a) { set_vector_potential(a); },
            .gather = [this](const Density<Space>& density,
                             GatheredFields& all) { discretisation_.gather(density.n, all); },
            .forces = [this, &system](const ScfEnd<Space>& end) { return forces(system, end); },
            .excited = [this](const auto& sums, const std::vector<double>& f) { return excited(sums, f); },
            .occupations = [this](const auto& sums, const std::vector<double>& f) { return occupations(sums, f); },
            .move_terms = [this](const Crystal& crystal) { move_terms(crystal); },
            .move_atoms = [this](const Crystal& crystal) { move_atoms(crystal); },
            .save =
                [this](PropagationHeader header, std::vector<FieldValues> potentials) {
                  header.bands = occupied_counts(header.occupations);
                  for (int& count : header.bands) count *= components();
                  return write_propagation(options_.checkpoint_file, header, setting_.groups,
                                           propagated(header.occupations),
                                           {discretisation_.space().point_indices(), std::move(potentials)});
                }};
  }

 private:
  [[nodiscard]] int components() const { return problem_.components(); }
  [[nodiscard]] std::vector<Vec3> forces(const ScfSystem<Complex, Space>& system, const ScfEnd<Space>& end) const {
    Problem wanted = problem_;
    wanted.derivatives = {.forces = true, .stress = false};
    return compute_derivatives(system, wanted, setting_.pseudo_atoms, end, std::nullopt, NetForce::kept).forces->total;
  }

  /// Calls work(its number, its bands, occupations, <first_i|S|psi_n>) for each k-point and spin with propagated bands.
  template <class Work>
  void for_shares(const BandSums<Complex, Space>& sums, const std::vector<double>& occupations, const Work& work) {
    for (std::size_t i = 0; const auto& one : bands_.in_double(problem_)) {
      Bands<Complex>& first = first_[i];
      const std::vector<double> f = sums.state_values(*one, occupations);
      const BandView<const Complex> psi = std::as_const(one->state.x).view().slice(0, num_occupied(f));
      const Vec3 change = problem_.vector_potential - first_potential_;
      discretisation_.template change_gauge<Complex>(first.view(), change);
      const Matrix<Complex> shares =
          overlap<Complex>(one->op.product(), std::as_const(first).view(), OverlapProduct(one->op, psi).view());
      discretisation_.template change_gauge<Complex>(first.view(), -1.0 * change);
      work(i++, *one, f, shares);
    }
  }

  /// sum_n f_n (1 - sum_i |<first_i|psi_n>|^2), over the first bands that were occupied.
  [[nodiscard]] double excited(const BandSums<Complex, Space>& sums, const std::vector<double>& occupations) {
    double sum = 0;
    for_shares(sums, occupations,
               [&](std::size_t set, const auto&, const std::vector<double>& f, const Matrix<Complex>& shares) {
                 for (Index n = 0; n < shares.columns(); ++n) {
                   double kept = 0;
                   for (Index i = 0; i < first_occupied_[set]; ++i) kept += std::norm(shares(i, n));
                   sum += f[static_cast<std::size_t>(n)] * (1 - kept);
                 }
               });
    return sums.over_kpoint_groups(sum);
  }

  /// sum_n f_n |<first_i|psi_n>|^2 over all k-points, of each spin and first band.
  [[nodiscard]] std::vector<double> occupations(const BandSums<Complex, Space>& sums,
                                                const std::vector<double>& occupations) {
    std::vector<double> found(static_cast<std::size_t>(problem_.spins * problem_.bands), 0.0);
    for_shares(sums, occupations,
               [&](std::size_t, const auto& bands, const std::vector<double>& f, const Matrix<Complex>& shares) {
                 for (Index i = 0; i < shares.rows(); ++i)
                   for (Index n = 0; n < shares.columns(); ++n)
                     found[static_cast<std::size_t>(bands.spin * problem_.bands + i)] +=
                         f[static_cast<std::size_t>(n)] * std::norm(shares(i, n));
               });
    for (double& one : found) one = sums.over_kpoint_groups(one);
    return found;
  }

  [[nodiscard]] std::vector<int> occupied_counts(const std::vector<double>& occupations) const {
    std::vector<int> counts;
    for (auto first = occupations.begin(); first != occupations.end(); first += problem_.bands)
      counts.push_back(static_cast<int>(num_occupied(std::span(first, first + problem_.bands))));
    return counts;
  }

  [[nodiscard]] std::vector<PropagatedBands> propagated(const std::vector<double>& occupations) {
    const std::vector<int> counts = occupied_counts(occupations);
    std::vector<PropagatedBands> all;
    for (const auto& one : bands_.in_double(problem_)) {
      const int set = one->k * problem_.spins + one->spin;
      all.push_back({set, discretisation_.template row_indices<Complex>(*one),
                     one->state.x.view().slice(0, counts[static_cast<std::size_t>(set)]).split(components())});
    }
    return all;
  }

  Setting& setting_;
  D& discretisation_;
  Problem& problem_;
  CalculationBands<D, Complex>& bands_;
  const Propagation& options_;
  std::function<void()> make_terms_;
  std::vector<Bands<Complex>> first_;  ///< of the start, where they are compared: all, or the occupied ones
  std::vector<Index> first_occupied_;  ///< of these, of each k-point and spin
  Vec3 first_potential_{};             ///< theirs
};

}  // namespace wavegrid
