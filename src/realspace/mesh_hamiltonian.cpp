#include "realspace/mesh_hamiltonian.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
#include "base/units.hpp"
#include "linalg/overlap.hpp"

namespace wavegrid {

namespace {

constexpr Index block = 8;  ///< bands whose ghost points are exchanged together

/// Weights of the four random numbers around a place between the second and the third of them, cubic splines.
std::array<double, 4> spline_weights(double t) {
  const double s = 1 - t;
  return {s * s * s / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (3 * s * s * s - 6 * s * s + 4) / 6, t * t * t / 6};
}

/// Random numbers at the points of a coarse mesh, interpolated: a function of the position alone.
class SmoothNoise {
 public:
  explicit SmoothNoise(const MeshGrid& grid) : grid_(grid) {
    constexpr double distance = 2;  // bohr
    for (std::size_t i = 0; i < 3; ++i)
      coarse_[i] = std::max(1, static_cast<int>(norm(grid.lattice().vectors()[i]) / distance));
  }

  [[nodiscard]] double operator()(Index key, const Int3& point) const {
    Int3 first{};
    std::array<std::array<double, 4>, 3> weights;
    for (std::size_t i = 0; i < 3; ++i) {
      const double x = static_cast<double>(point[i]) * coarse_[i] / grid_.counts()[i];
      first[i] = static_cast<int>(std::floor(x));
      weights[i] = spline_weights(x - first[i]);
    }
    double sum = 0;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        for (int c = 0; c < 4; ++c)
          sum +=
              weights[0][static_cast<std::size_t>(a)] * weights[1][static_cast<std::size_t>(b)] *
              weights[2][static_cast<std::size_t>(c)] *
              random_at({key, folded(0, first[0] + a - 1), folded(1, first[1] + b - 1), folded(2, first[2] + c - 1)});
    return sum;
  }

 private:
  [[nodiscard]] int folded(std::size_t axis, int i) const {
    const int n = coarse_[axis];
    return grid_.periodic()[axis] ? ((i % n) + n) % n : i;
  }

  const MeshGrid& grid_;
  Int3 coarse_{};
};

template <class S>
S bloch_factor(const MeshGrid& grid, const Vec3& kpoint, const Int3& point) {
  if constexpr (ScalarTraits<S>::is_real) {
    return S(1);
  } else {
    double angle = 0;
    for (std::size_t i = 0; i < 3; ++i) angle += 2.0 * units::pi * kpoint[i] * point[i] / grid.counts()[i];
    return std::polar(1.0, angle);
  }
}

/// A random number of a band at a point.
template <class S>
S random_scalar(const MeshGrid& grid, RandomSpectrum spectrum, Index key, const Int3& point) {
  const SmoothNoise smooth(grid);
  const auto number = [&](Index of) {
    return spectrum == RandomSpectrum::flat ? random_at({of, grid.id(point)}) : smooth(of, point);
  };
  if constexpr (ScalarTraits<S>::is_real)
    return number(2 * key);
  else
    return {number(2 * key), number(2 * key + 1)};
}

}  // namespace

template <class S>
MeshHamiltonian<S>::MeshHamiltonian(const MeshSetting& setting, const Vec3& kpoint,
                                    std::shared_ptr<const MeshProjectors<S>> projectors)
    : KohnShamOperator<S>({.comm = setting.mesh.comm(), .weight = setting.mesh.grid().point_volume()},
                          setting.mesh.num_points(), setting.profile),
      setting_(setting),
      kpoint_(kpoint),
      phases_(setting.mesh, kpoint),
      projectors_(std::move(projectors)) {}

template <class S>
template <class Work>
void MeshHamiltonian<S>::in_blocks(BandView<const S> psi, BandView<S> out, const Work& work) const {
  const Mesh& mesh = setting_.mesh;
  const Index points = mesh.num_points(), most = std::min(block, psi.count);
  AlignedVector<S> in(static_cast<std::size_t>((points + mesh.num_ghosts()) * most)),
      image(static_cast<std::size_t>(points * most));
  for (Index first = 0; first < psi.count; first += block) {
    const Index width = std::min(block, psi.count - first);
    for (Index b = 0; b < width; ++b)
      for (Index p = 0; p < points; ++p) in[static_cast<std::size_t>(p * width + b)] = psi.band(first + b)[p];
    work(in.data(), image.data(), width);
    for (Index b = 0; b < width; ++b)
      for (Index p = 0; p < points; ++p) out.band(first + b)[p] = image[static_cast<std::size_t>(p * width + b)];
  }
}

template <class S>
void MeshHamiltonian<S>::laplacian(double scale, std::span<const double> potential, BandView<const S> psi,
                                   BandView<S> out) const {
  in_blocks(psi, out, [&](S* in, S* image, Index width) {
    setting_.laplacian.template apply<S>(in, image, width, scale, potential, phases_.empty() ? nullptr : &phases_);
  });
}

template <class S>
void MeshHamiltonian<S>::gradient(int axis, BandView<const S> psi, BandView<S> out) const {
  in_blocks(psi, out, [&](S* in, S* image, Index width) {
    setting_.laplacian.halo().fill(in, width, phases_.empty() ? nullptr : &phases_);
    setting_.laplacian.stencil().gradient(axis, in, image, width);
  });
}

template <class S>
void MeshHamiltonian<S>::apply(BandView<const S> psi, BandView<S> hpsi) {
  {
    const auto guard = this->time(Phase::fft);
    laplacian(-0.5, potential_, psi, hpsi);
  }
  const auto guard = this->time(Phase::nonlocal);
  projectors_->apply(this->product(), psi, hpsi);
  applications_ += psi.count;
}

template <class S>
void MeshHamiltonian<S>::apply_change(std::span<const double> change, BandView<const S> psi, BandView<S> hpsi) {
  for (Index b = 0; b < psi.count; ++b)
    for (Index p = 0; p < psi.rows; ++p) hpsi.band(b)[p] += change[static_cast<std::size_t>(p)] * psi.band(b)[p];
}

template <class S>
void MeshHamiltonian<S>::precondition(std::span<const double>, BandView<S> residuals) {
  // Chebyshev iteration for (T + shift) x = r, whose spectrum lies between shift and shift + highest.
  constexpr double shift = 1;  // Ha
  constexpr int steps = 5;
  const double highest = setting_.mesh.star().highest_kinetic_energy();
  const double centre = shift + 0.5 * highest, half = 0.5 * highest, sigma = centre / half;
  const Index size = residuals.rows * residuals.count;
  Bands<S> x(residuals.rows, residuals.count), step(residuals.rows, residuals.count), image(step.rows(), step.count());
  double rho = 1 / sigma;
  for (Index i = 0; i < size; ++i) x.view().data[i] = step.view().data[i] = residuals.data[i] / centre;
  for (int n = 1; n < steps; ++n) {
    laplacian(-0.5, {}, std::as_const(step).view(), image.view());
    const double next = 1 / (2 * sigma - rho);
    for (Index i = 0; i < size; ++i) {
      S& d = step.view().data[i];
      residuals.data[i] -= image.view().data[i] + shift * d;
      d = rho * next * d + 2 * next / half * residuals.data[i];
      x.view().data[i] += d;
    }
    rho = next;
  }
  std::copy_n(x.view().data, size, residuals.data);
}

template <class S>
void MeshHamiltonian<S>::fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum) {
  const MeshGrid& grid = setting_.mesh.grid();
  const std::vector<Int3> points = setting_.mesh.points();
  for (Index b = 0; b < bands.count; ++b)
    for (std::size_t p = 0; p < points.size(); ++p)
      bands.band(b)[p] =
          random_scalar<S>(grid, spectrum, first_key + b, points[p]) * bloch_factor<S>(grid, kpoint_, points[p]);
}

template <class S>
void MeshHamiltonian<S>::accumulate_density(BandView<const S> psi, std::span<const double> weights,
                                            std::span<double> density) {
  for (Index b = 0; b < psi.count; ++b)
    for (Index p = 0; p < psi.rows; ++p)
      density[static_cast<std::size_t>(p)] += weights[static_cast<std::size_t>(b)] * std::norm(psi.band(b)[p]);
}

template <class S>
std::vector<double> MeshHamiltonian<S>::kinetic_energies(BandView<const S> psi) const {
  Bands<S> image(psi.rows, psi.count);
  laplacian(-0.5, {}, psi, image.view());
  return diagonal_overlaps<S>(this->product(), psi, std::as_const(image).view());
}

template class MeshHamiltonian<double>;
template class MeshHamiltonian<std::complex<double>>;

}  // namespace wavegrid
