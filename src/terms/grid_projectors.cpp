#include "terms/grid_projectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "atoms/spherical_harmonics_gradient.hpp"
#include "base/error.hpp"
#include "basis/wave_rows.hpp"
#include "linalg/lapack.hpp"
#include "terms/run_sums.hpp"
#include "terms/symmetric_sums.hpp"

namespace wavegrid {

namespace {

/// V_nl psi at the points of the spheres.
template <class Real>
class NonlocalOnGrid final : public Projection<Real> {
 public:
  using Projection<Real>::Projection;

 protected:
  void finish(const BandNumbers& /*numbers*/, Index /*bands*/) override {
    ProjectorSpheres<Real>& spheres = this->spheres();
    Matrix<Real>& w = this->weights();
    for (Index c = 0; c < w.columns(); ++c)
      for (Index p = 0; p < w.rows(); ++p)
        w(p, c) *= static_cast<Real>(spheres.strengths()[static_cast<std::size_t>(p)]);
    const Index all = spheres.num_points();
#pragma omp parallel for schedule(dynamic, 4)
    for (const ProjectorSphere& sphere : spheres.spheres()) {
      const Index points = sphere.points.size(), projectors = sphere.projectors.size();
      const Real* const values = spheres.values(sphere);
      const Real* const c = &w(sphere.projectors.begin, 0);
      Real* const out = this->column(0) + sphere.points.begin;
      if (points == 0) continue;
      if (this->setting().in_order || projectors == 0)
        expand_in_order(values, points, projectors, c, w.rows(), this->columns(), out, all);
      else
        lapack::gemm<Real>('N', 'N', points, this->columns(), projectors, Real(1), values, points, c, w.rows(), Real(0),
                           out, all);
    }
  }
};

/// sum_p D_p |<beta_p|psi>|^2 of each band.
template <class Real>
class NonlocalEnergies final : public Projection<Real> {
 public:
  NonlocalEnergies(ProjectorSpheres<Real>& spheres, const ProjectionSetting<Real>& setting,
                   std::vector<double>& energies)
      : Projection<Real>(spheres, setting), energies_(energies) {}

 protected:
  void finish(const BandNumbers& numbers, Index bands) override {
    this->for_columns(numbers, bands, [&](Index c, Index band) {
      for (Index p = 0; p < this->weights().rows(); ++p) {
        const double w = this->weights()(p, c);
        energies_[static_cast<std::size_t>(band)] += this->spheres().strengths()[static_cast<std::size_t>(p)] * w * w;
      }
    });
  }

 private:
  std::vector<double>& energies_;
};

/// The derivatives of all bands that are shown to it:
///
///   dE = 2/N sum_j sum_p d beta_p(r_j) X_p(r_j),   X_p(r_j) = D_p sum_n f_n Re(conj(<beta_p|psi_n>) exp(ik.r_j)
///   u_n(r_j))
class DerivativesOnGrid final : public Projection<double> {
 public:
  DerivativesOnGrid(ProjectorSpheres<double>& spheres, const Setting& setting, std::span<const double> occupations)
      : Projection<double>(spheres, setting), occupations_(occupations) {
    for (const ProjectorSphere& sphere : spheres.spheres())
      x_.emplace_back(static_cast<std::size_t>(sphere.points.size() * sphere.projectors.size()), 0.0);
  }

  [[nodiscard]] double energy() const { return energy_; }
  /// For each atom dE/dtau (3) and r_b dE/dr_a (6, symmetric), without the part of the volume. Collective over the
  /// grid.
  [[nodiscard]] std::vector<double> sums(int num_atoms) const {
    RunSums sums(values_per_atom * static_cast<std::size_t>(num_atoms), setting().in_order);
    for (std::size_t s = 0; s < x_.size(); ++s) add_sphere(spheres().spheres()[s], x_[s], sums);
    return sums.total(setting().grid);
  }
  static constexpr std::size_t values_per_atom = 9;

 protected:
  void finish(const BandNumbers& numbers, Index bands) override {
    Matrix<double>& w = weights();
    Matrix<double> c(w.rows(), columns());
    for_columns(numbers, bands, [&](Index column, Index band) {
      const double occupation = occupations_[static_cast<std::size_t>(band)];
      for (Index p = 0; p < w.rows(); ++p) {
        const double fd = occupation * spheres().strengths()[static_cast<std::size_t>(p)];
        c(p, column) = fd * w(p, column);
        energy_ += c(p, column) * w(p, column);
      }
    });
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t s = 0; s < x_.size(); ++s) {
      const ProjectorSphere& sphere = spheres().spheres()[s];
      const Index points = sphere.points.size();
      for (Index p = 0; p < sphere.projectors.size(); ++p)
        for (Index j = 0; j < columns(); ++j) {
          const double factor = c(sphere.projectors.begin + p, j);
          const double* const psi = column(j) + sphere.points.begin;
          double* const x = x_[s].data() + p * points;
          if (factor != 0)
            for (Index i = 0; i < points; ++i) x[i] += factor * psi[i];
        }
    }
  }

 private:
  void add_sphere(const ProjectorSphere& sphere, const AlignedVector<double>& x, RunSums& sums) const {
    if (sphere.points.empty()) return;
    const auto& projectors = spheres().filtered()[static_cast<std::size_t>(sphere.species)].all;
    const auto runs = spheres().runs(sphere);
    const double scale = 2 * factor() * std::sqrt(spheres().crystal().lattice.volume());
    auto run = runs.begin();
    Index point = 0;
    std::array<double, values_per_atom> piece{};
    spheres().for_points(sphere, [&](const Vec3& r) {
      const Vec3 slope = slope_at(projectors, r, x.data() + point, sphere.points.size());
      for (std::size_t axis = 0; axis < 3; ++axis) piece[axis] -= scale * slope[axis];
      add_to_symmetric(std::span<double>(piece).last(6), scale * slope, r);
      if (++point < run->point - sphere.points.begin + run->length) return;
      for (std::size_t i = 0; i < piece.size(); ++i)
        sums.add(values_per_atom * static_cast<std::size_t>(sphere.atom) + i, std::exchange(piece[i], 0.0));
      ++run;
    });
  }

  /// sum_p X_p grad beta_p at one point; X of the next projector is `stride` further.
  static Vec3 slope_at(const std::vector<FilteredProjector>& projectors, const Vec3& r, const double* x, Index stride) {
    constexpr double tiny = 1e-7;  // bohr: nearer to the nucleus a direction is as good as any other
    const double length = std::max(norm(r), tiny);
    const Vec3 unit = norm(r) < tiny ? Vec3{0, 0, 1} : (1 / length) * r;
    Vec3 sum{0, 0, 0};
    for (const FilteredProjector& one : projectors) {
      const double slope = one.radial.slope(length), over_r = one.radial.value(length) / length;
      for (int m = 0; m <= 2 * one.l; ++m, x += stride)
        sum = sum + *x * ((slope * real_ylm(one.l, m, unit)) * unit + over_r * real_ylm_gradient(one.l, m, unit));
    }
    return sum;
  }

  std::span<const double> occupations_;
  std::vector<AlignedVector<double>> x_;  ///< of each sphere, (points, projectors)
  double energy_ = 0;
};

/// The sum over band groups of values that all ranks of a group have, in their order. Collective over the k-point
/// group.
std::vector<double> sum_over_groups(const ProcessGroups& groups, const std::vector<double>& values) {
  const auto count = static_cast<std::size_t>(groups.counts().band_groups);
  std::vector<double> all(count * values.size(), 0.0);
  if (groups.band_group().rank() == 0)
    std::copy(
        values.begin(), values.end(),
        all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(groups.my_band_group()) * values.size()));
  groups.kpoint_group().merge(std::span<double>(all));
  std::vector<double> sum(values.size(), 0.0);
  for (std::size_t i = 0; i < all.size(); ++i) sum[i % values.size()] += all[i];
  return sum;
}

}  // namespace

template <class S>
GridProjectors<S>::GridProjectors(BandFft<Real>& fft, const Vec3& k, const Crystal& crystal,
                                  const Pseudopotentials& atoms, std::shared_ptr<ProjectorSpheres<Real>> spheres,
                                  const GridProjectorOptions& options)
    : fft_(fft), k_(k), spheres_(std::move(spheres)), options_(options) {
  set_crystal(crystal, atoms);
}

template <class S>
void GridProjectors<S>::set_crystal(const Crystal& crystal, const Pseudopotentials& atoms) {
  const FftLayout& layout = fft_.layout();
  spheres_->set({layout.grid, layout.x, layout.y}, crystal, atoms);
  phases_.clear();
  if (norm2(k_) > 0) phases_ = spheres_->phases(k_);
}

template <class S>
auto GridProjectors<S>::setting() const -> ProjectionSetting<Real> {
  const FftLayout& layout = fft_.layout();
  return {options_.grid,
          {layout.grid, layout.x, layout.y},
          options_.deterministic,
          layout.mode == Mode::gamma ? 2 : 1,
          phases_,
          options_.profile};
}

template <class S>
void GridProjectors<S>::apply_local(BandFft<Real>& fft, std::span<const Real> potential, BandView<const S> psi,
                                    BandView<S> out) {
  NonlocalOnGrid<Real> nonlocal(*spheres_, setting());
  fft.apply_on_grid(coefficients(psi), potential.data(), nonlocal, coefficients(out), psi.count);
}

template <class S>
std::vector<double> GridProjectors<S>::energies(const InnerProduct& /*product*/, BandView<const S> psi) {
  std::vector<double> energies(static_cast<std::size_t>(psi.count), 0.0);
  NonlocalEnergies<Real> visitor(*spheres_, setting(), energies);
  fft_.show_on_grid(coefficients(psi), visitor, psi.count);
  return sum_over_groups(options_.groups, energies);
}

template <class S>
NonlocalDerivatives GridProjectors<S>::derivatives(const InnerProduct& /*product*/, BandView<const S> psi,
                                                   std::span<const double> occupations, bool with_strain) {
  if constexpr (is_single<S>) {
    throw internal_error("derivatives of bands in single precision");
  } else {
    while (psi.count > 0 && occupations[static_cast<std::size_t>(psi.count - 1)] == 0.0) --psi.count;
    const int atoms = spheres_->crystal().num_atoms();
    DerivativesOnGrid visitor(*spheres_, setting(), occupations);
    fft_.show_on_grid(coefficients(psi), visitor, psi.count);
    std::vector<double> values = visitor.sums(atoms);
    values.push_back(visitor.energy());
    values = sum_over_groups(options_.groups, values);
    NonlocalDerivatives result{values.back(), std::vector<Vec3>(static_cast<std::size_t>(atoms), Vec3{0, 0, 0})};
    std::array<double, 6> strain{};
    for (std::size_t a = 0; a < result.forces.size(); ++a) {
      const double* const of_atom = values.data() + DerivativesOnGrid::values_per_atom * a;
      for (std::size_t axis = 0; axis < 3; ++axis) result.forces[a][axis] = -of_atom[axis];
      for (std::size_t i = 0; i < strain.size(); ++i) strain[i] += of_atom[3 + i];
    }
    if (with_strain) result.strain = isotropic(result.energy) + symmetric(std::span<const double>(strain));
    return result;
  }
}

#define WAVEGRID_INSTANTIATE(S) template class GridProjectors<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
