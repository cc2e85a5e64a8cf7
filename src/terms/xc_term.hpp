// Exchange and correlation of the electrons with the core densities of the atoms (nlcc).
//
//   E_xc[n - n^ + n_core, tau],   fields/xc_potential.hpp, core_density.hpp, and for the strain xc_strain.hpp
//
// n^ is the compensation charge of PAW datasets in which it is no part of this density (Bloechl's convention).
// Forces and strain of the core densities, which move with the atoms, are the part `nlcc`.
//
// With a vector magnetisation m(r) the functional is that of collinear spin along m at each point,
//
//   E_xc[n, m] = E_xc[n, s |m|],   B = dE_xc/dm = s (v_up - v_down) / 2  m / |m|
//
// with s = 1, or where all initial moments are parallel to an axis u the sign of m.u: s |m| is then as smooth as that
// of collinear spin, which gradients need where m changes its sign. J. Kubler, K.-H. Hock, J. Sticht, A. R. Williams,
// J. Phys. F 18, 469 (1988), 10.1088/0305-4608/18/3/018.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <wavegrid/fields/augmentation_charge.hpp>
#include <wavegrid/terms/core_density.hpp>
#include <wavegrid/terms/fourier_box.hpp>
#include <wavegrid/terms/xc_strain.hpp>

namespace wavegrid {

template <FieldSpace Space>
class XcTerm final : public EnergyTerm<Space> {
 public:
  /// Without core densities. The space must outlive the term.
  XcTerm(Space& space, Xc xc) : EnergyTerm<Space>("xc"), space_(space), xc_(space, std::move(xc), {}, false) {}
  /// With those of the atoms; `outside`: their charge that is not part, null: none. Collective.
  XcTerm(Space& space, Xc xc, const Crystal& crystal, const Pseudopotentials& atoms,
         std::unique_ptr<const AugmentationCharge<Space>> outside = nullptr) requires FourierSpace<Space>
      : EnergyTerm<Space>("xc"),
        space_(space),
        xc_(space, std::move(xc), core_of(space, crystal, atoms), has_core(atoms)),
        crystal_(crystal),
        atoms_(atoms),
        outside_(std::move(outside)) {}

  /// u of a vector magnetisation; 0: none.
  void set_spin_axis(const Vec3& axis) { spin_axis_ = axis; }

  [[nodiscard]] const XcPotential<Space>& xc() const { return xc_; }
  [[nodiscard]] DensityNeeds needs() const override {
    return {
        .gradient = xc_.xc().needs_gradient(), .kinetic_energy = xc_.xc().needs_tau(), .matrices = outside_ != nullptr};
  }
  [[nodiscard]] bool is_quadratic() const override { return false; }
  /// Not where all electrons have one spin: the potential of the other diverges (Xc::evaluate).
  [[nodiscard]] bool allows_first_order(const DensityView<Space>& density) const override {
    const SpinFields& n = density.values.n;
    if (has_vector(n)) return !(norm(Vec3{integral(n[1]), integral(n[2]), integral(n[3])}) > 0.99 * integral(n[0]));
    return n.size() == 1 || !(std::abs(integral(n[1])) > 0.99 * integral(n[0]));
  }

  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    if (outside_) return energy_of(Reduced(*this, density).view());
    return energy_of(density);
  }
  double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const override {
    if (outside_) return add_reduced_potential(density, sum);
    if (has_vector(density.values.n)) {
      XcResult found = vector_potential(density);
      add(std::move(found.potential.v), sum.at_points.v);
      return found.energy;
    }
    SpinGradients fluxes = xc_.gradients(density.fields.n);
    XcResult found = xc_.at_points(density.values, fluxes);
    add(std::move(found.potential.v), sum.at_points.v);
    add(std::move(found.potential.v_tau), sum.at_points.v_tau);
    if (xc_.xc().needs_gradient()) {
      sum.channels.resize(density.values.n.size());
      for (std::size_t s = 0; s < sum.channels.size(); ++s) subtract_divergence(fluxes, s, sum.channels[s]);
    }
    return found.energy;
  }
  void add_gradients(const DensityView<Space>& given, Gradients& sum) const override {
    if constexpr (FourierSpace<Space>) {
      std::optional<Reduced> reduced;
      if (outside_) reduced.emplace(*this, given);
      std::optional<AlongMoment> collinear;
      const DensityView<Space> counted = reduced ? reduced->view() : given;
      if (has_vector(given.values.n)) collinear.emplace(*this, counted);
      const DensityView<Space> density = collinear ? collinear->view() : counted;
      XcResult found;
      if (sum.with_strain) {
        StrainedXc strained = strained_xc(space_, xc_, density.fields, density.values);
        sum.strains[this->name()] = strained.strain;
        found = std::move(strained.density_result);
      } else if (xc_.has_core() || outside_) {
        found = xc_.evaluate(density.fields, density.values);
      }
      if (outside_)
        add_charge_gradients(given.fields.matrices,
                             collinear ? along_moment(counted.values.n, found.potential.v) : found.potential.v, sum);
      add_core_gradients(found.potential.v, sum);
    }
  }

 private:
  [[nodiscard]] double energy_of(const DensityView<Space>& density) const {
    if (!has_vector(density.values.n)) return xc_.energy(density.fields, density.values);
    const AlongMoment collinear(*this, density);
    return xc_.energy(collinear.fields, collinear.values);
  }
  /// n and s |m| of a density with a vector magnetisation.
  struct AlongMoment {
    AlongMoment(const XcTerm& term, const DensityView<Space>& density) {
      const SpinFields& n = density.values.n;
      values.n = {n[0], FieldValues(n[0].size())};
      for (std::size_t i = 0; i < n[0].size(); ++i) values.n[1][i] = term.sign_at(n, i) * moment_length(n, i);
      fields.n = {density.fields.n[0], {}};
      if (term.xc_.xc().needs_gradient()) fields.n[1] = term.space_.to_field(values.n[1]);
    }
    [[nodiscard]] DensityView<Space> view() const { return {fields, values}; }

    Density<Space> fields;
    DensityValues values;
  };
  [[nodiscard]] double sign_at(const SpinFields& n, std::size_t i) const {
    return n[1][i] * spin_axis_[0] + n[2][i] * spin_axis_[1] + n[3][i] * spin_axis_[2] < 0 ? -1.0 : 1.0;
  }
  /// V, and B along m.
  [[nodiscard]] XcResult vector_potential(const DensityView<Space>& density) const {
    const AlongMoment collinear(*this, density);
    XcResult found = xc_.evaluate(collinear.fields, collinear.values);
    found.potential.v = along_moment(density.values.n, found.potential.v);
    return found;
  }
  /// V and B of the potentials of both spins along m; B is 0 where there is no m.
  [[nodiscard]] SpinFields along_moment(const SpinFields& n, const SpinFields& channels) const {
    const FieldValues &up = channels[0], &down = channels[1];
    SpinFields v(4, FieldValues(up.size()));
    for (std::size_t i = 0; i < up.size(); ++i) {
      v[0][i] = 0.5 * (up[i] + down[i]);
      const double length = moment_length(n, i);
      const double factor = length > least_moment ? 0.5 * sign_at(n, i) * (up[i] - down[i]) / length : 0.0;
      for (std::size_t axis = 1; axis < 4; ++axis) v[axis][i] = factor * n[axis][i];
    }
    return v;
  }
  static constexpr double least_moment = 1e-14;  ///< mu_B/bohr^3: below, the direction is rounding

  /// The density without the charge that is not part.
  struct Reduced {
    Reduced(const XcTerm& term, const DensityView<Space>& density) {
      for (std::size_t c = 0; c < density.fields.n.size(); ++c) {
        FieldValues& n = values.n.emplace_back(density.values.n[c]);
        const FieldValues charge = term.outside_->density(density.fields.matrices[c]);
        std::transform(n.begin(), n.end(), charge.begin(), n.begin(), std::minus<>());
        fields.n.push_back(term.space_.to_field(n));
      }
    }
    [[nodiscard]] DensityView<Space> view() const { return {fields, values}; }

    Density<Space> fields;
    DensityValues values;
  };
  /// The fields of the reduced density, and h_ij = -int v_s Q_ij of each.
  double add_reduced_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const {
    const Reduced reduced(*this, density);
    XcResult found =
        has_vector(density.values.n) ? vector_potential(reduced.view()) : xc_.evaluate(reduced.fields, reduced.values);
    SpinMatrices& h = sum.at_points.matrices;
    for (std::size_t s = 0; s < found.potential.v.size(); ++s) {
      const AtomMatrices integrals = outside_->integrals(found.potential.v[s]);
      if (h.size() <= s) h.push_back(zeros_like(integrals));
      wavegrid::add(-1.0, integrals, h[s]);
    }
    add(std::move(found.potential.v), sum.at_points.v);
    return found.energy;
  }
  /// The energy does not follow the motion of that charge, which is part of the density.
  void add_charge_gradients(const SpinMatrices& components, const SpinFields& potential, Gradients& sum) const {
    for (std::size_t s = 0; s < potential.size(); ++s) {
      AtomMatrices rho = components[has_vector(potential) ? s : 0];
      if (potential.size() == 2) {
        wavegrid::add(s == 0 ? 1.0 : -1.0, components[1], rho);
        for (auto& matrix : rho)
          for (auto& element : matrix.elements()) element *= 0.5;
      }
      FieldValues v = potential[s];
      for (auto& value : v) value = -value;
      outside_->add_gradients(rho, v, sum);
    }
  }
  [[nodiscard]] double integral(const FieldValues& values) const {
    return space_.integrate([&](std::size_t i) { return values[i]; });
  }
  static bool has_core(const Pseudopotentials& atoms) {
    return std::ranges::any_of(atoms, [](const auto& atom) { return atom->has_core_density(); });
  }
  static typename Space::Field core_of(Space& space, const Crystal& crystal, const Pseudopotentials& atoms) {
    if (!has_core(atoms)) return {};
    const FourierBox box = space.fourier_box();
    return space.from_box(resolved(box, core_density(box.waves(), space.in_box(crystal), atoms)));
  }
  static FieldValues mean_of_spins(const SpinFields& fields) {
    FieldValues mean(fields[0]);
    if (fields.size() == 2)
      std::transform(mean.begin(), mean.end(), fields[1].begin(), mean.begin(),
                     [](double up, double down) { return 0.5 * (up + down); });
    return mean;
  }
  static void add(SpinFields potential, SpinFields& sum) {
    if (sum.empty()) {
      sum = std::move(potential);
      return;
    }
    for (std::size_t s = 0; s < sum.size(); ++s)
      std::transform(sum[s].begin(), sum[s].end(), potential[s].begin(), sum[s].begin(), std::plus<>());
  }
  /// Of the fluxes of a channel, which are freed.
  void subtract_divergence(SpinGradients& fluxes, std::size_t channel, typename Space::Field& sum) const {
    typename Space::Field divergence = xc_.divergence(fluxes, channel);
    constexpr auto axes = static_cast<std::size_t>(Space::dimensions);
    for (std::size_t axis = 0; axis < axes; ++axis) fluxes[axes * channel + axis] = {};
    sum.resize(divergence.size());
    std::transform(sum.begin(), sum.end(), divergence.begin(), sum.begin(), std::minus<>());
  }
  void add_core_gradients(const SpinFields& potential, Gradients& sum) const {
    NamedForces& forces = sum.forces;
    NamedStrains& strains = sum.strains;
    if (!xc_.has_core()) {
      if (sum.with_forces) forces["nlcc"].assign(crystal_ ? crystal_->atoms.size() : 0, Vec3{0, 0, 0});
      if (sum.with_strain) strains["nlcc"] = {};
      return;
    }
    const FourierBox box = space_.fourier_box();
    const Crystal& placed = space_.in_box(*crystal_);
    const GridFft::Coefficients on_cores = resolved(box, space_.to_box(space_.to_field(mean_of_spins(potential))));
    if (sum.with_forces) forces["nlcc"] = core_forces(box.fft, placed, atoms_, on_cores);
    if (sum.with_strain) strains["nlcc"] = core_strain(box.fft, placed, atoms_, on_cores);
  }

  Space& space_;
  XcPotential<Space> xc_;
  std::optional<Crystal> crystal_{};  ///< none: there are no core densities
  Pseudopotentials atoms_{};
  std::unique_ptr<const AugmentationCharge<Space>> outside_{};
  Vec3 spin_axis_{0, 0, 0};
};

}  // namespace wavegrid
