#include <algorithm>
#include <array>
#include <cmath>

#include <wavegrid/base/component_values.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/realspace/mesh_derivatives.hpp>
#include <wavegrid/realspace/mesh_hamiltonian.hpp>
#include <wavegrid/realspace/transpose.hpp>
#include <wavegrid/terms/projection_products.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_of_part = 32;  ///< components, to which H is applied; one message sums their projections
constexpr Index bands_per_sum = 64;  ///< whose images are held at once, and whose energies one message sums

/// Weights of the four random numbers around a place between the second and the third of them, cubic splines.
std::array<double, 4> spline_weights(double t) {
  const double s = 1 - t;
  return {s * s * s / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (3 * s * s * s - 6 * s * s + 4) / 6, t * t * t / 6};
}

/// The random numbers of one key at the points of a coarse mesh, interpolated: a function of the position alone.
class SmoothNoise {
 public:
  SmoothNoise(const MeshGrid& grid, Index key) : grid_(grid) {
    constexpr double distance = 2;  // bohr
    for (std::size_t i = 0; i < 3; ++i) {
      coarse_[i] = std::max(1, static_cast<int>(norm(grid.lattice().vectors()[i]) / distance));
      first_[i] = cell_of(i, grid.lower()[i]).first - 1;
      count_[i] = cell_of(i, grid.upper()[i]).first + 3 - first_[i];
    }
    values_.reserve(static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1] * count_[2]));
    for (int a = 0; a < count_[0]; ++a)
      for (int b = 0; b < count_[1]; ++b)
        for (int c = 0; c < count_[2]; ++c)
          values_.push_back(
              random_at({key, folded(0, first_[0] + a), folded(1, first_[1] + b), folded(2, first_[2] + c)}));
  }

  /// Fast for one point after the other along the third axis.
  [[nodiscard]] double operator()(const Int3& point) {
    if (row_.empty() || point[0] != row_at_[0] || point[1] != row_at_[1]) interpolate_row(point);
    const Cell cell = cell_of(2, point[2]);
    const auto weights = spline_weights(cell.rest);
    const double* const values = row_.data() + cell.first - 1 - first_[2];
    double sum = 0;
    for (std::size_t c = 0; c < 4; ++c) sum += weights[c] * values[c];
    return sum;
  }

 private:
  /// The coarse point below a point of the mesh along an axis, and the distance from it in coarse steps.
  struct Cell {
    int first;
    double rest;
  };
  [[nodiscard]] Cell cell_of(std::size_t axis, int point) const {
    const double x = static_cast<double>(point) * coarse_[axis] / grid_.counts()[axis];
    const int first = static_cast<int>(std::floor(x));
    return {first, x - first};
  }
  [[nodiscard]] int folded(std::size_t axis, int i) const {
    const int n = coarse_[axis];
    return grid_.periodic()[axis] ? ((i % n) + n) % n : i;
  }

  void interpolate_row(const Int3& point) {
    const Cell x = cell_of(0, point[0]), y = cell_of(1, point[1]);
    const auto x_weights = spline_weights(x.rest), y_weights = spline_weights(y.rest);
    row_at_ = point;
    row_.assign(static_cast<std::size_t>(count_[2]), 0.0);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        const int row = (x.first - 1 - first_[0] + a) * count_[1] + y.first - 1 - first_[1] + b;
        const double* const values = values_.data() + static_cast<Index>(row) * count_[2];
        const double weight = x_weights[static_cast<std::size_t>(a)] * y_weights[static_cast<std::size_t>(b)];
        for (std::size_t c = 0; c < row_.size(); ++c) row_[c] += weight * values[c];
      }
  }

  const MeshGrid& grid_;
  Int3 coarse_{};           ///< coarse points along the cell
  Int3 first_{}, count_{};  ///< those that are held, along each axis
  std::vector<double> values_;
  std::vector<double> row_;  ///< interpolated to row_at_ along the first two axes
  Int3 row_at_{};
};

std::complex<double> bloch_factor(const MeshGrid& grid, const Vec3& kpoint, const Int3& point) {
  double angle = 0;
  for (std::size_t i = 0; i < 3; ++i) angle += 2.0 * units::pi * kpoint[i] * point[i] / grid.counts()[i];
  return std::polar(1.0, angle);
}

/// The random numbers of one key at points.
std::vector<double> random_values(const MeshGrid& grid, RandomSpectrum spectrum, Index key,
                                  const std::vector<Int3>& points) {
  std::vector<double> values;
  values.reserve(points.size());
  if (spectrum == RandomSpectrum::flat) {
    for (const Int3& point : points) values.push_back(random_at({key, grid.id(point)}));
    return values;
  }
  SmoothNoise noise(grid, key);
  for (const Int3& point : points) values.push_back(noise(point));
  return values;
}

}  // namespace

template <class S>
void fill_random_bands(const Mesh& mesh, const Vec3& kpoint, Index first_key, BandView<S> bands,
                       RandomSpectrum spectrum, int components) {
  constexpr Index next_component = Index{1} << 50;
  const MeshGrid& grid = mesh.grid();
  const std::vector<Int3> points = mesh.points();
  bands = bands.split(components);
  for (Index b = 0; b < bands.count; ++b) {
    const Index key = 2 * (first_key + b / components) + b % components * next_component;
    const std::vector<double> real = random_values(grid, spectrum, key, points);
    if constexpr (ScalarTraits<S>::is_real) {
      std::copy(real.begin(), real.end(), bands.band(b));
    } else {
      const std::vector<double> imaginary = random_values(grid, spectrum, key + 1, points);
      for (std::size_t p = 0; p < points.size(); ++p)
        bands.band(b)[p] = S(real[p], imaginary[p]) * bloch_factor(grid, kpoint, points[p]);
    }
  }
}

template <class S>
MeshHamiltonian<S>::MeshHamiltonian(const MeshSetting& setting, const Vec3& kpoint,
                                    std::shared_ptr<const MeshProjectors<S>> projectors)
    : KohnShamOperator<S>({.comm = setting.mesh.comm(), .weight = setting.mesh.grid().point_volume()},
                          setting.mesh.num_points() * setting.components, setting.profile),
      setting_(setting),
      kpoint_(kpoint),
      phases_(setting.mesh, kpoint),
      phases_or_none_(phases_.empty() ? nullptr : &phases_),
      projectors_(std::move(projectors)) {}

template <class S>
template <class Work>
void MeshHamiltonian<S>::in_blocks(BandView<const S> psi, BandView<S> out, const Work& work) const {
  const Index most = std::min(bands_per_block, psi.count);
  S *const in = work_blocks(0, most).at(0), *const image = work_blocks(1, most).at(0);
  for (Index first = 0; first < psi.count; first += most) {
    const Index width = std::min(most, psi.count - first);
    to_states_fastest<S>(psi.slice(first, width), in);
    work(in, image, width);
    to_points_fastest<S>(image, out.slice(first, width));
  }
}

template <class S>
MeshBlocks<S> MeshHamiltonian<S>::work_blocks(std::size_t which, Index bands) const {
  const Mesh& mesh = setting_.mesh;
  return {mesh.num_points() + mesh.num_ghosts(), bands, setting_.laplacian.template work_array<S>(which, bands)};
}

template <class S>
Matrix<S> MeshHamiltonian<S>::projector_weights(const MeshBlocks<S>& psi, const Couplings& d) const {
  const auto guard = this->time(Phase::nonlocal);
  Matrix<S> weights = projectors_->overlaps(this->product(), psi);
  d.multiply(projections(weights));
  return weights;
}

template <class S>
void MeshHamiltonian<S>::apply_block(const MeshBlocks<S>& psi, const Matrix<S>& weights, Index first,
                                     const Combination& c, S* out) const {
  const Index width = psi.width(first);
  if (potential_.has_tau())
    apply_with_tau(potential_, 1, psi.at(first), width, c, out);
  else
    setting_.laplacian.template apply<S>(psi.at(first), out, width,
                                         {.scale = -0.5 * c.factor,
                                          .potential = potential_.local(),
                                          .factor = c.factor,
                                          .constant = c.constant,
                                          .kept = c.kept},
                                         phases_or_none_);
  if (potential_.has_vector()) add_field(potential_, psi.at(first), width, c.factor, out);
  const auto guard = this->time(Phase::nonlocal);
  projectors_->add(weights, first, width, out);
}

template <class S>
void MeshHamiltonian<S>::add_field(const OperatorPotential<double>& potential, const S* psi, Index width, double factor,
                                   S* out) const {
  if constexpr (ScalarTraits<S>::is_real) {
    throw internal_error("real bands in a magnetic field");
  } else {
    const auto points = static_cast<Index>(potential.num_points());
    const double *const x = potential.values.data() + points, *const y = x + points, *const z = y + points;
#pragma omp parallel for schedule(static)
    for (Index p = 0; p < points; ++p) {
      const S across(factor * x[p], factor * y[p]);
      const double along = factor * z[p];
      for (Index i = p * width; i < (p + 1) * width; i += 2) {
        const S up = psi[i], down = psi[i + 1];
        out[i] += along * up + std::conj(across) * down;
        out[i + 1] += across * up - along * down;
      }
    }
  }
}

template <class S>
void MeshHamiltonian<S>::apply_with_tau(const OperatorPotential<double>& potential, double kinetic, S* psi, Index width,
                                        const Combination& c, S* out) const {
  MeshOperator& laplacian = setting_.laplacian;
  S *const product = work_blocks(4, width).at(0), *const image = work_blocks(5, width).at(0);
  const std::span<const double> v = potential.local(), v_tau = potential.tau();
  laplacian.template apply<S>(psi, image, width, {}, phases_or_none_);
  for (std::size_t p = 0; p < v.size(); ++p)
    for (Index i = static_cast<Index>(p) * width; i < (static_cast<Index>(p) + 1) * width; ++i) {
      image[i] = (c.factor * v[p] + c.constant) * psi[i] - c.factor * (0.5 * kinetic + 0.25 * v_tau[p]) * image[i];
      product[i] = v_tau[p] * psi[i];
    }
  laplacian.template apply<S>(product, out, width, {.scale = -0.25 * c.factor, .kept = c.kept}, phases_or_none_);
  for (Index i = 0; i < static_cast<Index>(v.size()) * width; ++i) out[i] += image[i];
  if (potential.has_current()) add_current_term(potential, c.factor, psi, width, out);
}

template <class S>
void MeshHamiltonian<S>::add_current_term(const OperatorPotential<double>& potential, double factor, S* psi,
                                          Index width, S* out) const {
  if constexpr (ScalarTraits<S>::is_real) {
    throw internal_error("a potential of the current of real bands");
  } else {
    MeshOperator& laplacian = setting_.laplacian;
    S *const product = work_blocks(4, width).at(0), *const image = work_blocks(5, width).at(0);
    const S half(0, -0.5 * factor);
    for (int axis = 0; axis < 3; ++axis) {
      const std::span<const double> a = potential.current(static_cast<std::size_t>(axis));
      const auto for_points = [&](const auto& work) {
        for (std::size_t p = 0; p < a.size(); ++p)
          for (Index i = static_cast<Index>(p) * width; i < (static_cast<Index>(p) + 1) * width; ++i) work(i, a[p]);
      };
      laplacian.halo().fill(psi, width, phases_or_none_);
      laplacian.stencil().gradient(axis, psi, image, width);
      for_points([&](Index i, double at) {
        out[i] += half * at * image[i];
        product[i] = at * psi[i];
      });
      laplacian.halo().fill(product, width, phases_or_none_);
      laplacian.stencil().gradient(axis, product, image, width);
      for_points([&](Index i, double) { out[i] += half * image[i]; });
    }
  }
}

template <class S>
void MeshHamiltonian<S>::momentum(int axis, BandView<const S> psi, BandView<S> out) const {
  if constexpr (ScalarTraits<S>::is_real) {
    KohnShamOperator<S>::momentum(axis, psi, out);
  } else {
    gradient(axis, psi, out);
    for (Index i = 0; i < out.rows * out.count; ++i) out.data[i] *= S(0, -1);
  }
}

template <class S>
void MeshHamiltonian<S>::gradient(int axis, BandView<const S> psi, BandView<S> out) const {
  in_blocks(psi.split(components()), out.split(components()), [&](S* in, S* image, Index width) {
    setting_.laplacian.halo().fill(in, width, phases_or_none_);
    setting_.laplacian.stencil().gradient(axis, in, image, width);
  });
}

template <class S>
void MeshHamiltonian<S>::apply(BandView<const S> bands, BandView<S> images) {
  const auto guard = this->time(Phase::fft);
  const BandView<const S> psi = bands.split(components());
  const BandView<S> hpsi = images.split(components());
  for (Index begin = 0; begin < psi.count; begin += bands_of_part) {
    const Index count = std::min(bands_of_part, psi.count - begin);
    const MeshBlocks<S> in = work_blocks(2, count);
    in.take(psi.slice(begin, count));
    const Matrix<S> weights = projector_weights(in, couplings());
    S* const image = work_blocks(1, in.width(0)).at(0);
    in.for_each([&](Index first, Index width) {
      apply_block(in, weights, first, {}, image);
      to_points_fastest<S>(image, hpsi.slice(begin + first, width));
    });
  }
  applications_ += bands.count;
  if (exchange_) exchange_->add(this->product(), bands, images);
}

template <class S>
void MeshHamiltonian<S>::apply_overlap(BandView<const S> bands, BandView<S> images) {
  const BandView<const S> psi = bands.split(components());
  const BandView<S> spsi = images.split(components());
  for (Index begin = 0; begin < psi.count; begin += bands_of_part) {
    const Index count = std::min(bands_of_part, psi.count - begin);
    const MeshBlocks<S> in = work_blocks(2, count);
    in.take(psi.slice(begin, count));
    const Matrix<S> weights = projector_weights(in, *overlaps_);
    const auto guard = this->time(Phase::nonlocal);
    in.for_each([&](Index first, Index width) {
      projectors_->add(weights, first, width, in.at(first));
      to_points_fastest<S>(in.at(first), spsi.slice(begin + first, width));
    });
  }
}

template <class S>
std::vector<double> MeshHamiltonian<S>::nonlocal_energies(BandView<const S> psi) {
  std::vector<double> energies(static_cast<std::size_t>(psi.count), 0.0);
  if (projectors_->count() == 0) return energies;
  Matrix<S> overlaps = projectors_->overlaps(this->product(), psi.split(components()));
  projectors_->couplings().template add_expectations<S>(projections(overlaps), energies);
  return energies;
}

template <class S>
void MeshHamiltonian<S>::apply_polynomial(const ThreeTermRecurrence& p, BandView<S> bands, BandView<S> images) {
  if (has_overlap() || exchange_) return BandOperator<S>::apply_polynomial(p, bands, images);
  const auto guard = this->time(Phase::fft);
  const BandView<S> psi = bands.split(components()), hpsi = images.split(components());
  for (Index begin = 0; begin < psi.count; begin += bands_of_part) {
    const Index count = std::min(bands_of_part, psi.count - begin);
    MeshBlocks<S> before = work_blocks(2, count), now = work_blocks(3, count);
    before.take(psi.slice(begin, count));
    now.take(hpsi.slice(begin, count));
    const Index rows = psi.rows;
    now.for_each([&](Index first, Index width) {
      const S* const x = before.at(first);
      S* const y = now.at(first);
      for (Index i = 0; i < rows * width; ++i) y[i] = p.steps.front().factor * (y[i] - p.centre * x[i]);
    });
    for (std::size_t n = 1; n < p.steps.size(); ++n) {
      const auto [factor, last] = p.steps[n];
      Matrix<S> weights = projector_weights(now, couplings());
      for (S& weight : weights.elements()) weight *= factor;
      now.for_each([&](Index first, Index) {
        apply_block(now, weights, first, {.factor = factor, .constant = -p.centre * factor, .kept = last},
                    before.at(first));
      });
      std::swap(before, now);
    }
    now.give(psi.slice(begin, count));
  }
  applications_ += bands.count * static_cast<Index>(p.steps.size() - 1);
}

template <class S>
void MeshHamiltonian<S>::set_couplings(const AtomMatrices& d) {
  const std::vector<Range>& atoms = projectors_->atom_projectors();
  if (own_) {
    AtomMatrices change = d;
    wavegrid::add(-1.0, matrices_, change);
    change_ = couplings_for<S>(change, atoms);
  }
  own_ = couplings_for<S>(d, atoms);
  matrices_ = d;
}

template <class S>
void MeshHamiltonian<S>::add_change_of_couplings(BandView<const S> psi, BandView<S> out) const {
  if (!change_) return;
  Bands<S> image(psi.rows, bands_per_block);
  for (Index begin = 0; begin < psi.count; begin += bands_of_part) {
    const MeshBlocks<S> in = work_blocks(2, std::min(bands_of_part, psi.count - begin));
    in.take(psi.slice(begin, in.bands()));
    const Matrix<S> weights = projector_weights(in, *change_);
    in.for_each([&](Index first, Index width) {
      std::fill_n(in.at(first), psi.rows * width, S(0));
      projectors_->add(weights, first, width, in.at(first));
      to_points_fastest<S>(in.at(first), image.view().slice(0, width));
      S* const to = out.band(begin + first);
      for (Index i = 0; i < psi.rows * width; ++i) to[i] += image.view().data[i];
    });
  }
}

template <class S>
void MeshHamiltonian<S>::apply_change(std::span<const double> change, BandView<const S> bands, BandView<S> images) {
  const BandView<const S> psi = bands.split(components());
  const BandView<S> hpsi = images.split(components());
  add_change_of_couplings(psi, hpsi);
  const OperatorPotential<double> potential{change, potential_.fields};
  const auto add_image = [&](Index first, BandView<const S> image) {
    S* const to = hpsi.band(first);
    for (Index i = 0; i < image.rows * image.count; ++i) to[i] += image.data[i];
  };
  if (potential.has_tau())
    return for_images(
        psi, [&](S* in, S* out, Index width) { apply_with_tau(potential, 0, in, width, {}, out); }, add_image);
  if (potential.has_vector())
    return for_images(
        psi,
        [&](S* in, S* out, Index width) {
          for (Index p = 0; p < psi.rows; ++p)
            for (Index i = p * width; i < (p + 1) * width; ++i) out[i] = change[static_cast<std::size_t>(p)] * in[i];
          add_field(potential, in, width, 1, out);
        },
        add_image);
  for (Index b = 0; b < psi.count; ++b)
    for (Index p = 0; p < psi.rows; ++p) hpsi.band(b)[p] += change[static_cast<std::size_t>(p)] * psi.band(b)[p];
}

template <class S>
void MeshHamiltonian<S>::precondition(std::span<const double>, BandView<S> bands) {
  const BandView<S> residuals = bands.split(components());
  // Chebyshev iteration for (T + shift) x = r, whose spectrum lies between shift and shift + highest.
  constexpr double shift = 1;  // Ha
  constexpr int steps = 5;
  const double highest = setting_.mesh.pattern().highest_kinetic_energy();
  const double centre = shift + 0.5 * highest, half = 0.5 * highest, sigma = centre / half;
  const Index most = std::min(bands_per_block, residuals.count);
  Bands<S> sum(residuals.rows, most), rest(residuals.rows, most);
  in_blocks(residuals, residuals, [&](S* step, S* image, Index width) {
    const Index size = residuals.rows * width;
    S *const x = sum.view().data, *const r = rest.view().data;
    for (Index i = 0; i < size; ++i) {
      r[i] = step[i];
      x[i] = step[i] = r[i] / centre;
    }
    double rho = 1 / sigma;
    for (int n = 1; n < steps; ++n) {
      setting_.laplacian.template apply<S>(step, image, width, {.scale = -0.5}, phases_or_none_);
      const double next = 1 / (2 * sigma - rho);
      for (Index i = 0; i < size; ++i) {
        r[i] -= image[i] + shift * step[i];
        step[i] = rho * next * step[i] + 2 * next / half * r[i];
        x[i] += step[i];
      }
      rho = next;
    }
    std::copy_n(x, size, image);
  });
}

template <class S>
void MeshHamiltonian<S>::accumulate_density(BandView<const S> psi, std::span<const double> weights,
                                            std::span<double> density) {
  const BandView<const S> parts = psi.split(components());
  for (Index b = 0; b < parts.count; ++b) {
    const double weight = weights[static_cast<std::size_t>(b / components())];
    for (Index p = 0; p < parts.rows; ++p) density[static_cast<std::size_t>(p)] += weight * std::norm(parts.band(b)[p]);
  }
}

template <class S>
void MeshHamiltonian<S>::accumulate_vector_density(BandView<const S> psi, std::span<const double> weights,
                                                   std::span<double> density) {
  if constexpr (ScalarTraits<S>::is_real) {
    KohnShamOperator<S>::accumulate_vector_density(psi, weights, density);
  } else {
    const BandView<const S> parts = psi.split(2);
    double *const n = density.data(), *const x = n + parts.rows, *const y = x + parts.rows, *const z = y + parts.rows;
    for (Index b = 0; b < psi.count; ++b) {
      const double weight = weights[static_cast<std::size_t>(b)];
      const S *const up = parts.band(2 * b), *const down = parts.band(2 * b + 1);
#pragma omp parallel for schedule(static)
      for (Index p = 0; p < parts.rows; ++p) {
        const double above = weight * std::norm(up[p]), below = weight * std::norm(down[p]);
        const S across = 2 * weight * std::conj(up[p]) * down[p];
        n[p] += above + below;
        x[p] += across.real();
        y[p] += across.imag();
        z[p] += above - below;
      }
    }
  }
}

template <class S>
template <class Work, class Action>
void MeshHamiltonian<S>::for_images(BandView<const S> psi, const Work& work, const Action& action) const {
  Bands<S> image(psi.rows, std::min(bands_per_sum, psi.count));
  for (Index first = 0; first < psi.count; first += bands_per_sum) {
    const Index count = std::min(bands_per_sum, psi.count - first);
    in_blocks(psi.slice(first, count), image.view().slice(0, count), work);
    action(first, std::as_const(image).view().slice(0, count));
  }
}

template <class S>
template <class Action>
void MeshHamiltonian<S>::for_laplacians(BandView<const S> psi, const Action& action) const {
  for_images(
      psi,
      [&](S* in, S* out, Index width) { setting_.laplacian.template apply<S>(in, out, width, {}, phases_or_none_); },
      action);
}

template <class S>
void MeshHamiltonian<S>::accumulate_densities(BandView<const S> bands, std::span<const double> weights,
                                              std::span<double> density, std::span<double> kinetic) {
  accumulate_density(bands, weights, density);
  const BandView<const S> psi = bands.split(components());
  for_laplacians(psi, [&](Index first, BandView<const S> laplacian) {
    for (Index b = 0; b < laplacian.count; ++b) {
      const double half = 0.5 * weights[static_cast<std::size_t>((first + b) / components())];
      for (std::size_t p = 0; p < kinetic.size(); ++p)
        kinetic[p] -= half * real_part(conjugate(psi.band(first + b)[p]) * laplacian.band(b)[p]);
    }
  });
}

template <class S>
void MeshHamiltonian<S>::accumulate_projections(BandView<const S> psi, std::span<const double> weights,
                                                AtomMatrices& rho) {
  Matrix<S> c = projectors_->overlaps(this->product(), psi.split(components()));
  add_projection_products<S>(projections(c), projectors_->atom_projectors(), weights, rho);
}

template <class S>
double MeshHamiltonian<S>::tau_energy(BandView<const S> psi, std::span<const double> occupations) {
  const Mesh& mesh = setting_.mesh;
  std::vector<double> n(static_cast<std::size_t>(mesh.num_points() + mesh.num_ghosts())),
      laplacian(static_cast<std::size_t>(mesh.num_points())), tau(laplacian);
  accumulate_densities(psi, occupations, n, tau);
  setting_.laplacian.template apply<double>(n.data(), laplacian.data(), 1, {});
  double sum = 0;
  for (std::size_t p = 0; p < tau.size(); ++p) sum += potential_.tau()[p] * (tau[p] + 0.25 * laplacian[p]);
  return mesh.grid().point_volume() * mesh.comm().sum(sum);
}

template <class S>
std::vector<double> MeshHamiltonian<S>::kinetic_energies(BandView<const S> bands) const {
  const BandView<const S> psi = bands.split(components());
  std::vector<double> energies;
  energies.reserve(static_cast<std::size_t>(psi.count));
  for_laplacians(psi, [&](Index first, BandView<const S> laplacian) {
    for (const double found : diagonal_overlaps<S>(this->product(), psi.slice(first, laplacian.count), laplacian))
      energies.push_back(-0.5 * found);
  });
  return sums_of_components(std::move(energies), components());
}

template <class S>
void MeshHamiltonian<S>::add_derivatives(BandView<const S> psi, std::span<const double> occupations,
                                         std::span<const double> eigenvalues, bool with_strain, BandDerivatives& sum) {
  add_band_derivatives(*this, psi, occupations, eigenvalues, with_strain, sum);
}

#define WAVEGRID_INSTANTIATE(S)                                                                          \
  template void fill_random_bands<S>(const Mesh&, const Vec3&, Index, BandView<S>, RandomSpectrum, int); \
  template class MeshHamiltonian<S>;
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
