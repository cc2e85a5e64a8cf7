#include <algorithm>

#include <wavegrid/base/units.hpp>
#include <wavegrid/terms/grid_preconditioner.hpp>

namespace wavegrid {

namespace {

using Coefficients = GridFft::Coefficients;

constexpr int max_iterations = 40;
constexpr double accuracy = 1e-2;  ///< of the residual; a preconditioner need not be exact

/// The operator of the LDOS model on u, all functions as coefficients with sum_G conj(a) b as product.
class LdosModel {
 public:
  LdosModel(GridFft& grid, const std::vector<double>& ldos)
      : grid_(grid), ldos_(ldos), ldos_g_(grid.to_recip(ldos)), zero_(grid.waves().zero()) {
    mean_ = grid_.comm().sum(zero_ >= 0 ? ldos_g_[static_cast<std::size_t>(zero_)].real() : 0.0);
  }

  /// Mean of D, 1/(Ha bohr^3).
  [[nodiscard]] double mean() const { return mean_; }

  [[nodiscard]] Coefficients apply(const Coefficients& u) const {
    std::vector<double> product = grid_.to_real(u);
    for (std::size_t i = 0; i < product.size(); ++i) product[i] *= ldos_[i];
    Coefficients out = grid_.to_recip(product);
    // The second term is the mean of D u, its coefficient at G = 0, times D over the mean of D.
    const double of_product = grid_.comm().sum(zero_ >= 0 ? out[static_cast<std::size_t>(zero_)].real() : 0.0);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += laplacian(i) * u[i] - of_product / mean_ * ldos_g_[i];
    return out;
  }

  /// G^2 / 4 pi
  [[nodiscard]] double laplacian(std::size_t i) const { return 2.0 * grid_.waves().kinetic()[i] / (4.0 * units::pi); }

  [[nodiscard]] double dot(const Coefficients& a, const Coefficients& b) const {
    return grid_.over_waves()([&](std::size_t i) { return a[i].real() * b[i].real() + a[i].imag() * b[i].imag(); });
  }

  /// An approximate inverse: D replaced by its mean. G = 0 is left out: a constant u changes nothing.
  [[nodiscard]] Coefficients approximate_solution(const Coefficients& r) const {
    Coefficients z(r);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] /= laplacian(i) + mean_;
    if (zero_ >= 0) z[static_cast<std::size_t>(zero_)] = 0;
    return z;
  }

 private:
  GridFft& grid_;
  const std::vector<double>& ldos_;
  Coefficients ldos_g_;
  Index zero_;
  double mean_;
};

/// Conjugate gradients from u = 0.
Coefficients solve(const LdosModel& model, const Coefficients& rhs) {
  Coefficients u(rhs.size()), r(rhs), z = model.approximate_solution(r), p(z);
  double product = model.dot(r, z);
  const double goal = accuracy * accuracy * product;
  for (int i = 0; i < max_iterations && product > goal; ++i) {
    const Coefficients image = model.apply(p);
    const double step = product / model.dot(p, image);
    for (std::size_t k = 0; k < u.size(); ++k) {
      u[k] += step * p[k];
      r[k] -= step * image[k];
    }
    z = model.approximate_solution(r);
    const double next = model.dot(r, z);
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = z[k] + next / product * p[k];
    product = next;
  }
  return u;
}

}  // namespace

void precondition_by_kerker(const PlaneWaves& box, double k0, Coefficients& change) {
  for (std::size_t i = 0; i < change.size(); ++i) {
    const double g2 = 2.0 * box.kinetic()[i];
    change[i] *= g2 > 0 ? g2 / (g2 + k0 * k0) : 0.0;
  }
}

void precondition_by_dielectric(const PlaneWaves& box, double epsilon, Coefficients& change) {
  constexpr double screening = 0.8 * 0.8;  // q^2, 1/bohr^2
  for (std::size_t i = 0; i < change.size(); ++i) {
    const double polarised = (epsilon - 1.0) * 2.0 * box.kinetic()[i];
    change[i] *= (screening + polarised) / (epsilon * screening + polarised);
  }
}

void precondition_by_ldos(GridFft& grid, const std::vector<double>& ldos, Coefficients& change) {
  const LdosModel model(grid, ldos);
  const Index zero = grid.waves().zero();
  if (zero >= 0) change[static_cast<std::size_t>(zero)] = 0;
  if (model.mean() * grid.waves().lattice().volume() < 1e-6) return;  // no states at the Fermi level
  const Coefficients u = solve(model, change);
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = model.laplacian(i) * u[i];
}

}  // namespace wavegrid
