// The response of the bands of a calculation to uniform electric fields, one after the other.
#pragma once

#include <algorithm>
#include <complex>
#include <functional>
#include <utility>
#include <vector>

#include <wavegrid/base/stop_signal.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/calculation/calculation_bands.hpp>
#include <wavegrid/calculation/derivatives.hpp>
#include <wavegrid/calculation/field_response_result.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/response/electric_response.hpp>

namespace wavegrid {

/// Complex bands on D. Members are collective over the world.
template <class D>
class FieldResponseRun {
 public:
  using Complex = std::complex<double>;
  using Space = typename D::Space;

  /// All must outlive it. `system`: with these bands; `potential`: of their density.
  FieldResponseRun(Setting& setting, D& discretisation, Problem& problem, CalculationBands<D, Complex>& bands,
                   ScfSystem<Complex, Space>& system, const ElectronStates& states, const Potential& potential)
      : setting_(setting),
        discretisation_(discretisation),
        problem_(problem),
        bands_(bands),
        system_(system),
        states_(states),
        potential_(potential) {}

  [[nodiscard]] FieldResponseResult run(const FieldResponse& options, const FieldResponseObserver& observer) {
    FieldResponseResult result;
    if (std::ranges::none_of(options.axes, std::identity())) return result;
    ElectricResponse<Space> response(system_, states_, potential_, hooks());
    const int done = static_cast<int>(std::count(options.axes.begin(), options.axes.end(), false));
    for (int axis = 0; axis < 3; ++axis) {
      if (!options.axes[static_cast<std::size_t>(axis)]) continue;
      FieldResponseStep step = along(response, axis, options);
      step.done = done + static_cast<int>(result.steps.size()) + 1;
      if (observer) observer(step);
      result.steps.push_back(std::move(step));
      result.stop_signal = setting_.groups.world().max(stop_signal());
      if (result.stop_signal != 0) break;
    }
    return result;
  }

 private:
  [[nodiscard]] ElectricHooks<Space> hooks() {
    return {.set_vector_potential = [this](const Vec3& a) { set_vector_potential(a); },
            .change_gauge = [this](BandView<Complex> x,
                                   const Vec3& change) { discretisation_.template change_gauge<Complex>(x, change); },
            .forces = [this](const ScfEnd<Space>& end) { return forces(end); }};
  }
  [[nodiscard]] FieldResponseStep along(ElectricResponse<Space>& response, int axis,
                                        const FieldResponse& options) const {
    const auto at = static_cast<std::size_t>(axis);
    const FieldChange change = response.along(at, options.tolerance, options.max_iterations);
    FieldResponseStep step{.axis = axis, .iterations = change.iterations, .error = change.error};
    step.dielectric = 4 * units::pi / problem_.crystal.lattice.volume() * change.polarisation;
    step.dielectric[at] += 1;
    step.charges = change.forces;
    for (std::size_t atom = 0; atom < step.charges.size(); ++atom) {
      const auto species = static_cast<std::size_t>(problem_.crystal.atoms[atom].species);
      step.charges[atom][at] += problem_.pseudopotentials[species]->valence_charge();
    }
    return step;
  }
  void set_vector_potential(const Vec3& a) {
    const Vec3 change = a - problem_.vector_potential;
    if (norm2(change) == 0) return;
    problem_.vector_potential = a;
    bands_.change_vector_potential(problem_, change);
  }
  /// Without the correction of their sum, which a field does change.
  [[nodiscard]] std::vector<Vec3> forces(const ScfEnd<Space>& end) const {
    Problem wanted = problem_;
    wanted.derivatives = {.forces = true, .stress = false};
    const Forces found = *compute_derivatives(system_, wanted, setting_.pseudo_atoms, end).forces;
    std::vector<Vec3> all = found.total;
    for (Vec3& force : all) force = force + 1.0 / static_cast<double>(all.size()) * found.net;
    return all;
  }

  Setting& setting_;
  D& discretisation_;
  Problem& problem_;
  CalculationBands<D, Complex>& bands_;
  ScfSystem<Complex, Space>& system_;
  const ElectronStates& states_;
  const Potential potential_;
};

}  // namespace wavegrid
