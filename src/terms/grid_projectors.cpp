#include "terms/grid_projectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "atoms/spherical_harmonics_gradient.hpp"
#include "base/error.hpp"
#include "basis/wave_rows.hpp"
#include "terms/potential_on_grid.hpp"
#include "terms/run_sums.hpp"
#include "terms/symmetric_sums.hpp"

namespace wavegrid {

namespace {

/// psi becomes (V + V_nl) psi; with a meta-GGA as LaplacianFft wants it.
template <class Real>
class PotentialsOnGrid final : public Projection<Real> {
 public:
  PotentialsOnGrid(ProjectorSpheres<Real>& spheres, const ProjectionSetting<Real>& setting,
                   const OperatorPotential<Real>& potential)
      : Projection<Real>(spheres, setting), potential_(potential) {}

  void apply(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) override {
    Projection<Real>::apply(potential_.has_tau() ? bands_of_pairs(block) : block, numbers, bands);
  }

 protected:
  void finish(const GridArrays<Real>& block, const BandNumbers& /*numbers*/, Index /*bands*/) override {
    for (Index group = 0; group < this->num_groups(block); ++group) {
      const Real* const weights = times_strengths(group);
      const ArrayGroup<Real> arrays = this->arrays_of(block, group);
      this->for_planes(block, group, [&](Index x, Real* plane) {
        multiply_lines(x, plane, arrays);
        for (const Index number : this->spheres().pieces_of_plane(x)) {
          const SpherePiece& piece = this->spheres().pieces()[static_cast<std::size_t>(number)];
          const Range projectors = this->spheres().spheres()[static_cast<std::size_t>(piece.sphere)].projectors;
          expand_slice(this->slice(piece), weights + projectors.begin * lanes<Real>, plane);
        }
        for (const Index y : this->spheres().lines_of_plane(x))
          separate(plane + y * nz() * lanes<Real>, arrays, this->first_point(x, y), nz());
      });
    }
  }

 private:
  [[nodiscard]] Index nz() const { return this->setting().block.grid[2]; }

  const Real* times_strengths(Index group) const {
    Real* weight = this->weights(group);
    for (const double strength : this->spheres().strengths())
      for (Index lane = 0; lane < lanes<Real>; ++lane) *weight++ *= static_cast<Real>(strength);
    return this->weights(group);
  }

  /// Times V: interleaved values on the lines of spheres, arrays on the others.
  void multiply_lines(Index x, Real* plane, const ArrayGroup<Real>& arrays) const {
    const std::span<const Index> in_spheres = this->spheres().lines_of_plane(x);
    auto next = in_spheres.begin();
    for (Index y = 0; y < this->setting().block.y.size(); ++y) {
      const Index first = this->first_point(x, y);
      const bool in_sphere = next != in_spheres.end() && *next == y;
      if (in_sphere) ++next;
      Real* const line = in_sphere ? plane + y * nz() * lanes<Real> : nullptr;
      if (potential_.has_tau())
        multiply_pairs(first, line, arrays);
      else
        multiply(first, line, arrays);
    }
  }

  /// A line from point `first` on; `line`: its interleaved values, or null.
  void multiply(Index first, Real* line, const ArrayGroup<Real>& arrays) const {
    const Real* const v = potential_.local().data() + first;
    if (line != nullptr) {
      for (Index z = 0; z < nz(); ++z)
        for (Index lane = 0; lane < lanes<Real>; ++lane) line[z * lanes<Real> + lane] *= v[z];
      return;
    }
    for (Index a = 0; a < arrays.count; ++a)
      for (Index z = 0; z < nz(); ++z) arrays.values[a * arrays.stride + first + z] *= v[z];
  }

  /// The same with v_tau and the arrays of the Laplacians.
  void multiply_pairs(Index first, Real* line, const ArrayGroup<Real>& arrays) const {
    auto* const interleaved = reinterpret_cast<std::complex<Real>*>(line);
    for (Index a = 0; a < arrays.count; ++a) {
      std::complex<Real>* const psi = arrays.values + a * arrays.stride + first;
      multiply_pair(potential_, first, nz(), psi, psi + arrays.stride / 2);
      if (line == nullptr) continue;
      for (Index z = 0; z < nz(); ++z) interleaved[z * arrays_per_group<Real> + a] = psi[z];
    }
  }

  OperatorPotential<Real> potential_;  ///< on this rank's grid
};

/// sum_p D_p |<beta_p|psi>|^2 of each band.
template <class Real>
class NonlocalEnergies final : public Projection<Real> {
 public:
  NonlocalEnergies(ProjectorSpheres<Real>& spheres, const ProjectionSetting<Real>& setting,
                   std::vector<double>& energies)
      : Projection<Real>(spheres, setting), energies_(energies) {}

 protected:
  void finish(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) override {
    this->for_columns(block, numbers, bands, [&](Index c, Index band) {
      for (Index p = 0; p < this->spheres().num_projectors(); ++p) {
        const double w = this->weight(p, c);
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
  void finish(const GridArrays<double>& block, const BandNumbers& numbers, Index bands) override {
    for (Index c = 0; c < num_groups(block) * lanes<double>; ++c) times_.push_back(0.0);
    for_columns(block, numbers, bands, [&](Index column, Index band) {
      times_[static_cast<std::size_t>(column)] = occupations_[static_cast<std::size_t>(band)];
    });
    for (Index c = 0; c < num_groups(block) * lanes<double>; ++c)
      for (Index p = 0; p < spheres().num_projectors(); ++p) {
        const double w = weight(p, c),
                     fd = times_[static_cast<std::size_t>(c)] * spheres().strengths()[static_cast<std::size_t>(p)];
        weight(p, c) = fd * w;
        energy_ += fd * w * w;
      }
    times_.clear();
    for (Index group = 0; group < num_groups(block); ++group)
      for_planes(block, group, [&](Index x, const double* plane) {
        for (const Index number : spheres().pieces_of_plane(x)) {
          const SpherePiece& piece = spheres().pieces()[static_cast<std::size_t>(number)];
          const ProjectorSphere& sphere = spheres().spheres()[static_cast<std::size_t>(piece.sphere)];
          const Index first = spheres().runs(piece).front().point - sphere.points.begin;
          contract_slice(slice(piece), weights(group) + sphere.projectors.begin * lanes<double>, plane,
                         x_[static_cast<std::size_t>(piece.sphere)].data() + first * sphere.projectors.size());
        }
      });
  }

 private:
  void add_sphere(const ProjectorSphere& sphere, const AlignedVector<double>& x, RunSums& sums) const {
    if (sphere.points.empty()) return;
    const auto& projectors = spheres().filtered()[static_cast<std::size_t>(sphere.species)].all;
    const double scale = 2 * factor() * std::sqrt(spheres().crystal().lattice.volume());
    const double* x_of_point = x.data();
    auto piece_of_point = spheres().pieces().begin() + sphere.pieces.begin;
    Index point = sphere.points.begin;
    std::array<double, values_per_atom> piece{};
    spheres().for_points(sphere, [&](const Vec3& r) {
      const Vec3 slope = slope_at(projectors, r, x_of_point);
      x_of_point += sphere.projectors.size();
      for (std::size_t axis = 0; axis < 3; ++axis) piece[axis] -= scale * slope[axis];
      add_to_symmetric(std::span<double>(piece).last(6), scale * slope, r);
      const SphereRun& last = spheres().runs(*piece_of_point).back();
      if (++point < last.point + last.length) return;
      for (std::size_t i = 0; i < piece.size(); ++i)
        sums.add(values_per_atom * static_cast<std::size_t>(sphere.atom) + i, std::exchange(piece[i], 0.0));
      ++piece_of_point;
    });
  }

  /// sum_p X_p grad beta_p at one point.
  static Vec3 slope_at(const std::vector<FilteredProjector>& projectors, const Vec3& r, const double* x) {
    constexpr double tiny = 1e-7;  // bohr: nearer to the nucleus a direction is as good as any other
    const double length = std::max(norm(r), tiny);
    const Vec3 unit = norm(r) < tiny ? Vec3{0, 0, 1} : (1 / length) * r;
    Vec3 sum{0, 0, 0};
    for (const FilteredProjector& one : projectors) {
      const double slope = one.radial.slope(length), over_r = one.radial.value(length) / length;
      for (int m = 0; m <= 2 * one.l; ++m, ++x)
        sum = sum + *x * ((slope * real_ylm(one.l, m, unit)) * unit + over_r * real_ylm_gradient(one.l, m, unit));
    }
    return sum;
  }

  std::span<const double> occupations_;
  std::vector<AlignedVector<double>> x_;  ///< of each sphere, (points, projectors), projectors fastest
  std::vector<double> times_;             ///< occupation of each column of a block
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
void GridProjectors<S>::apply_local(BandFft<Real>& fft, const OperatorPotential<Real>& potential,
                                    BandView<const S> psi, BandView<S> out) {
  PotentialsOnGrid<Real> potentials(*spheres_, setting(), potential);
  if (potential.has_tau())
    fft.apply_with_laplacian(coefficients(psi), potentials, coefficients(out), psi.count);
  else
    fft.apply_on_grid(coefficients(psi), potentials, coefficients(out), psi.count);
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
