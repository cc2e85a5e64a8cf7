// The energy of DFT+U: E = sum_a E_a[n_a], terms/hubbard_energy.hpp. The occupation matrices n_a are the blocks of the
// shells in rho_ij (pseudo/hubbard_potential.hpp).
//
// With a perturbation (pseudo/hubbard_perturbation.hpp) it is linear in them.
//
// Projectors move with the atoms: forces and strain at fixed rho_ij are those of the projections, and none of its own.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/pseudo/hubbard_perturbation.hpp>
#include <wavegrid/terms/hubbard_energy.hpp>
#include <wavegrid/terms/shell_components.hpp>

namespace wavegrid {

template <FieldSpace Space>
class HubbardTerm final : public EnergyTerm<Space> {
 public:
  HubbardTerm(const Crystal& crystal, const Pseudopotentials& atoms,
              const std::optional<HubbardPerturbation>& perturbation = {})
      : EnergyTerm<Space>("hubbard"), shells_(hubbard_shells(crystal, atoms)) {
    for (const AtomShell& one : shells_) energies_.emplace_back(one.shell);
    if (!perturbation) return;
    for (std::size_t a = 0; a < shells_.size(); ++a)
      linear_.emplace_back(energies_[a], perturbation->occupations[a], perturbation->shifts[a]);
  }

  [[nodiscard]] DensityNeeds needs() const override { return {.matrices = true}; }
  [[nodiscard]] bool is_quadratic() const override { return false; }
  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    double sum = 0;
    for (std::size_t a = 0; a < shells_.size(); ++a) sum += evaluate(a, density).energy;
    return sum;
  }
  double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const override {
    SpinMatrices& derivatives = sum.at_points.matrices;
    if (derivatives.empty()) derivatives = zeros_like(density.fields.matrices);
    double energy = 0;
    for (std::size_t a = 0; a < shells_.size(); ++a) {
      const auto found = evaluate(a, density);
      energy += found.energy;
      for (std::size_t s = 0; s < derivatives.size(); ++s)
        add_block(found.d[s], shells_[a].shell.first, derivatives[s][shells_[a].atom]);
    }
    return energy;
  }
  /// U/2 Tr(a b) of a component: the size of the second derivative, which is negative; with a perturbation 0.
  [[nodiscard]] double interaction(const AtomMatrices& a, const AtomMatrices& b) const override {
    double sum = 0;
    if (!linear_.empty()) return sum;
    for (const AtomShell& one : shells_) {
      const double u = 0.5 * one.shell.setting.u;
      const Range rows{one.shell.first, one.shell.first + one.shell.size()};
      for (Index j = rows.begin; j < rows.end; ++j)
        for (Index i = rows.begin; i < rows.end; ++i) sum += u * (a[one.atom](i, j) * b[one.atom](j, i)).real();
    }
    return sum;
  }
  void add_gradients(const DensityView<Space>& /*density*/, Gradients& /*sum*/) const override {}

 private:
  [[nodiscard]] HubbardEnergy::Result evaluate(std::size_t shell, const DensityView<Space>& density) const {
    const auto n = shell_components(shells_[shell], density.fields.matrices);
    return linear_.empty() ? energies_[shell].evaluate(n) : linear_[shell].evaluate(n);
  }
  static void add_block(const Matrix<std::complex<double>>& block, Index first, Matrix<std::complex<double>>& sum) {
    for (Index j = 0; j < block.columns(); ++j)
      for (Index i = 0; i < block.rows(); ++i) sum(first + i, first + j) += block(i, j);
  }

  std::vector<AtomShell> shells_;
  std::vector<HubbardEnergy> energies_;        ///< of each
  std::vector<LinearHubbardEnergy> linear_{};  ///< with a perturbation
};

}  // namespace wavegrid
