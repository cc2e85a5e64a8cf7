#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/spherical_harmonics_gradient.hpp>
#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/hamiltonian/grid_projectors.hpp>
#include <wavegrid/hamiltonian/reproducible_sums.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

/// sum_p |beta_p> D <beta_p| besides a local potential.
template <class Real>
class ProjectorsOnGrid : public Projection<Real, GridOperator<Real>> {
 public:
  using Base = Projection<Real, GridOperator<Real>>;
  ProjectorsOnGrid(ProjectorSpheres<Real>& spheres, ProjectionSetting<Real> setting, const Couplings& couplings)
      : Base(spheres, setting), couplings_(couplings) {}

  void apply(const GridArrays<Real>& block, const Real* potential) override {
    const Profile::Guard guard(this->setting().profile, Phase::nonlocal);
    for (Index group = 0; group < this->num_groups(block); ++group) {
      const Real* const weights = this->weights(group);
      const ArrayGroup<Real> arrays = this->arrays_of(block, group);
      this->for_planes(block, group, [&](Index x, Real* plane) {
        if (potential) multiply_lines(potential, x, plane, arrays);
        for (const Index number : this->spheres().plane_pieces(x)) {
          const SpherePiece& piece = this->spheres().pieces()[static_cast<std::size_t>(number)];
          const Range projectors = this->spheres().spheres()[static_cast<std::size_t>(piece.sphere)].projectors;
          expand_slice(this->slice(piece), weights + projectors.begin * lanes<Real>, plane);
        }
        for (const Index y : this->spheres().plane_lines(x))
          separate(plane + y * nz() * lanes<Real>, arrays, this->first_point(x, y), nz());
      });
    }
  }

 protected:
  void finish(const GridArrays<Real>& block, const BandNumbers& /*numbers*/, Index /*bands*/) override {
    using Complex = std::complex<Real>;
    for (Index group = 0; group < this->num_groups(block); ++group) {
      Real* const c = this->weights(group);
      if (couplings_.is_real())
        couplings_.multiply(ProjectionsView<Real>{c, lanes<Real>, lanes<Real>, 1});
      else
        couplings_.multiply(
            ProjectionsView<Complex>{reinterpret_cast<Complex*>(c), lanes<Real> / 2, lanes<Real> / 2, 1});
    }
  }

 private:
  [[nodiscard]] Index nz() const { return this->setting().block.grid[2]; }

  /// Times V: interleaved values on the lines of spheres, arrays on the others.
  void multiply_lines(const Real* potential, Index x, Real* plane, const ArrayGroup<Real>& arrays) const {
    const std::span<const Index> in_spheres = this->spheres().plane_lines(x);
    auto next = in_spheres.begin();
    for (Index y = 0; y < this->setting().block.y.size(); ++y) {
      const Index first = this->first_point(x, y);
      if (next != in_spheres.end() && *next == y) {
        Real* const line = plane + y * nz() * lanes<Real>;
        for (Index z = 0; z < nz(); ++z)
          for (Index lane = 0; lane < lanes<Real>; ++lane) line[z * lanes<Real> + lane] *= potential[first + z];
        ++next;
        continue;
      }
      for (Index a = 0; a < arrays.count; ++a)
        for (Index z = 0; z < nz(); ++z) arrays.values[a * arrays.stride + first + z] *= potential[first + z];
    }
  }

  const Couplings& couplings_;
};

/// Projections of one band in the columns of a block: T is real for a column, complex for the two columns of a band.
template <class T, class Weight>
void take_column(Index c, const Weight& weight, std::vector<T>& projections) {
  for (std::size_t p = 0; p < projections.size(); ++p) {
    const auto projector = static_cast<Index>(p);
    if constexpr (ScalarTraits<T>::is_real)
      projections[p] = static_cast<T>(weight(projector, c));
    else
      projections[p] =
          T(static_cast<RealOf<T>>(weight(projector, c)), static_cast<RealOf<T>>(weight(projector, c + 1)));
  }
}

/// <psi|beta> D <beta|psi> of each band.
template <class Real>
class ExpectationsOnGrid final : public Projection<Real> {
 public:
  ExpectationsOnGrid(ProjectorSpheres<Real>& spheres, const ProjectionSetting<Real>& setting,
                     const Couplings& couplings, std::vector<double>& values)
      : Projection<Real>(spheres, setting), couplings_(couplings), values_(values) {}

 protected:
  void finish(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) override {
    this->for_columns(block, numbers, bands, [&](Index c, Index band) {
      if (couplings_.is_real())
        add<double>(c, band);
      else if (c % 2 == 0)
        add<std::complex<double>>(c, band);
    });
  }

 private:
  template <class T>
  void add(Index c, Index band) {
    std::vector<T> w(static_cast<std::size_t>(this->spheres().num_projectors()));
    take_column(
        c, [&](Index p, Index column) { return this->weight(p, column); }, w);
    std::vector<T> product = w;
    couplings_.multiply(ProjectionsView<T>{product.data(), 1, 1, 0});
    for (std::size_t p = 0; p < w.size(); ++p)
      values_[static_cast<std::size_t>(band)] += real_part(conjugate(product[p]) * w[p]);
  }

  const Couplings& couplings_;
  std::vector<double>& values_;
};

/// <beta|psi> of the bands that are shown here; the others are left as they are.
template <class S>
class OverlapsOnGrid final : public Projection<RealOf<S>> {
 public:
  using Real = RealOf<S>;
  OverlapsOnGrid(ProjectorSpheres<Real>& spheres, const ProjectionSetting<Real>& setting, Matrix<S>& overlaps)
      : Projection<Real>(spheres, setting), overlaps_(overlaps) {}

 protected:
  void finish(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) override {
    std::vector<S> w(static_cast<std::size_t>(overlaps_.rows()));
    this->for_columns(block, numbers, bands, [&](Index c, Index band) {
      if (!ScalarTraits<S>::is_real && c % 2 == 1) return;
      take_column(
          c, [&](Index p, Index column) { return this->weight(p, column); }, w);
      std::copy(w.begin(), w.end(), &overlaps_(0, band));
    });
  }

 private:
  Matrix<S>& overlaps_;
};

/// sum_p |beta_p> c_p for given coefficients.
template <class S>
class ExpansionOnGrid final : public ProjectorsOnGrid<RealOf<S>> {
 public:
  using Real = RealOf<S>;
  ExpansionOnGrid(ProjectorSpheres<Real>& spheres, const ProjectionSetting<Real>& setting, const Matrix<S>& c)
      : ProjectorsOnGrid<Real>(spheres, setting, none_), c_(c) {}

  void read(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) override {
    auto& weights = this->spheres().work().weights;
    weights.assign(static_cast<std::size_t>(this->num_groups(block) * c_.rows() * lanes<Real>), Real(0));
    this->for_columns(block, numbers, bands, [&](Index column, Index band) {
      for (Index p = 0; p < c_.rows(); ++p) {
        if constexpr (ScalarTraits<S>::is_real)
          this->weight(p, column) = c_(p, band);
        else
          this->weight(p, column) = column % 2 == 0 ? c_(p, band).real() : c_(p, band).imag();
      }
    });
  }

 private:
  Couplings none_;
  const Matrix<S>& c_;
};

/// The derivatives of all bands that are shown to it:
///
///   dE = 2/N sum_j sum_p d beta_p(r_j) X_p(r_j)
///   X_p(r_j) = sum_n f_n Re(conj(sum_q (D - e_n q)_pq <beta_q|psi_n>) exp(ik.r_j) u_n(r_j))
class DerivativesOnGrid final : public Projection<double> {
 public:
  DerivativesOnGrid(ProjectorSpheres<double>& spheres, const Setting& setting, const BandCouplings& couplings)
      : Projection<double>(spheres, setting), couplings_(couplings) {
    for (const ProjectorSphere& sphere : spheres.spheres())
      x_.emplace_back(static_cast<std::size_t>(sphere.points.size() * sphere.projectors.size()), 0.0);
  }

  [[nodiscard]] double energy() const { return energy_; }
  /// For each atom dE/dtau (3) and r_b dE/dr_a (6, symmetric), without the part of the volume. Collective over the
  /// grid.
  [[nodiscard]] std::vector<double> sums(int num_atoms) const {
    ReproducibleSums sums(values_per_atom * static_cast<std::size_t>(num_atoms), setting().in_order);
    for (std::size_t s = 0; s < x_.size(); ++s) add_sphere(spheres().spheres()[s], x_[s], sums);
    return sums.total(setting().grid);
  }
  static constexpr std::size_t values_per_atom = 9;

 protected:
  void finish(const GridArrays<double>& block, const BandNumbers& numbers, Index bands) override {
    column_bands_.assign(static_cast<std::size_t>(num_groups(block) * lanes<double>), -1);
    for_columns(block, numbers, bands,
                [&](Index column, Index band) { column_bands_[static_cast<std::size_t>(column)] = band; });
    for (Index c = 0; c < std::ssize(column_bands_); ++c) {
      if (couplings_.is_real())
        multiply_column<double>(c);
      else if (c % 2 == 0)
        multiply_column<std::complex<double>>(c);
    }
    for (Index group = 0; group < num_groups(block); ++group)
      for_planes(block, group, [&](Index x, const double* plane) {
        for (const Index number : spheres().plane_pieces(x)) {
          const SpherePiece& piece = spheres().pieces()[static_cast<std::size_t>(number)];
          const ProjectorSphere& sphere = spheres().spheres()[static_cast<std::size_t>(piece.sphere)];
          const Index first = spheres().runs(piece).front().point - sphere.points.begin;
          contract_slice(slice(piece), weights(group) + sphere.projectors.begin * lanes<double>, plane,
                         x_[static_cast<std::size_t>(piece.sphere)].data() + first * sphere.projectors.size());
        }
      });
  }

 private:
  /// The projections of a column (complex: of two) times f (D - e q) of its band; columns without a band become 0.
  template <class T>
  void multiply_column(Index c) {
    const Index band = column_bands_[static_cast<std::size_t>(c)];
    std::vector<T> w(static_cast<std::size_t>(spheres().num_projectors()), T(0));
    if (band >= 0)
      take_column(
          c, [&](Index p, Index column) { return weight(p, column); }, w);
    std::vector<T> product = w;
    if (band >= 0) couplings_.slice(band, 1).multiply(ProjectionsView<T>{product.data(), 1, 1, 0});
    for (std::size_t p = 0; p < w.size(); ++p) {
      energy_ += real_part(conjugate(product[p]) * w[p]);
      weight(static_cast<Index>(p), c) = real_part(product[p]);
      if constexpr (!ScalarTraits<T>::is_real) weight(static_cast<Index>(p), c + 1) = product[p].imag();
    }
  }

  void add_sphere(const ProjectorSphere& sphere, const AlignedVector<double>& x, ReproducibleSums& sums) const {
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

  const BandCouplings& couplings_;
  std::vector<AlignedVector<double>> x_;  ///< of each sphere, (points, projectors), projectors fastest
  std::vector<Index> column_bands_;       ///< the band of each column of a block, -1: none
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
void GridProjectors<S>::set_kpoint(const Vec3& k) {
  k_ = k;
  phases_ = spheres_->phases(k_);
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
std::vector<Range> GridProjectors<S>::atom_projectors() const {
  std::vector<Range> ranges;
  for (const ProjectorSphere& sphere : spheres_->spheres()) ranges.push_back(sphere.projectors);
  return ranges;
}

template <class S>
std::unique_ptr<GridOperator<RealOf<S>>> GridProjectors<S>::on_grid(const Couplings& d) {
  return std::make_unique<ProjectorsOnGrid<Real>>(*spheres_, setting(), d);
}

template <class S>
Matrix<S> GridProjectors<S>::overlaps(const InnerProduct& /*product*/, BandView<const S> psi) {
  Matrix<S> overlaps(num_projectors(), psi.count);
  OverlapsOnGrid<S> visitor(*spheres_, setting(), overlaps);
  fft_.visit_on_grid(coefficients(psi), visitor, psi.count);
  if (options_.groups.band_group().rank() != 0) std::fill_n(overlaps.data(), overlaps.size(), S(0));
  options_.groups.kpoint_group().sum(overlaps.elements());
  return overlaps;
}

template <class S>
void GridProjectors<S>::add(const InnerProduct& /*product*/, const Matrix<S>& c, BandView<S> out) {
  ExpansionOnGrid<S> expansion(*spheres_, setting(), c);
  const std::vector<Real> zero(static_cast<std::size_t>(fft_.grid_size()), Real(0));
  Bands<S> sum(out.rows, out.count);
  fft_.apply_on_grid(coefficients(BandView<const S>(out)), {zero.data(), {&expansion}}, coefficients(sum.view()),
                     out.count);
  for (Index i = 0; i < out.rows * out.count; ++i) out.data[i] += sum.view().data[i];
}

template <class S>
std::vector<double> GridProjectors<S>::expectations(const InnerProduct& /*product*/, const Couplings& d,
                                                    BandView<const S> psi) {
  std::vector<double> values(static_cast<std::size_t>(psi.count), 0.0);
  ExpectationsOnGrid<Real> visitor(*spheres_, setting(), d, values);
  fft_.visit_on_grid(coefficients(psi), visitor, psi.count);
  return sum_over_groups(options_.groups, values);
}

template <class S>
NonlocalDerivatives GridProjectors<S>::derivatives(const InnerProduct& /*product*/, BandView<const S> psi,
                                                   const BandCouplings& couplings, bool with_strain) {
  if constexpr (is_single<S>) {
    throw internal_error("derivatives of bands in single precision");
  } else {
    while (psi.count > 0 && couplings.occupations[static_cast<std::size_t>(psi.count - 1)] == 0.0) --psi.count;
    const int atoms = spheres_->crystal().num_atoms();
    DerivativesOnGrid visitor(*spheres_, setting(), couplings);
    fft_.visit_on_grid(coefficients(psi), visitor, psi.count);
    std::vector<double> values = visitor.sums(atoms);
    values.push_back(visitor.energy());
    values = sum_over_groups(options_.groups, values);
    NonlocalDerivatives result{values.back(), std::vector<Vec3>(static_cast<std::size_t>(atoms), Vec3{0, 0, 0})};
    std::array<double, 6> strain{};
    for (std::size_t a = 0; a < result.forces.size(); ++a) {
      const double* const atom_values = values.data() + DerivativesOnGrid::values_per_atom * a;
      for (std::size_t axis = 0; axis < 3; ++axis) result.forces[a][axis] = -atom_values[axis];
      for (std::size_t i = 0; i < strain.size(); ++i) strain[i] += atom_values[3 + i];
    }
    if (with_strain) result.strain = isotropic(result.energy) + symmetric(std::span<const double>(strain));
    return result;
  }
}

#define WAVEGRID_INSTANTIATE(S) template class GridProjectors<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
