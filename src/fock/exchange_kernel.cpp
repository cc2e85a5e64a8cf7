#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/fock/exchange_kernel.hpp>

namespace wavegrid {

namespace {

constexpr double same_point = 1e-10;  ///< 1/bohr^2, of Q^2

double num_points(const Int3& mesh) { return static_cast<double>(mesh[0]) * mesh[1] * mesh[2]; }

/// m += factor a a^T.
void add_square(double factor, const Vec3& a, Mat3& m) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m[i][j] += factor * a[i] * a[j];
}

void add_to_diagonal(double value, Mat3& m) {
  for (std::size_t i = 0; i < 3; ++i) m[i][i] += value;
}

}  // namespace

ExchangeKernel::ExchangeKernel(const Lattice& lattice, const ExchangeInteraction& interaction, const Int3& mesh,
                               const ExchangeOptions& options, double ecut, double pair_ecut, const Int3& grid)
    : lattice_(lattice),
      interaction_(interaction),
      mesh_(mesh),
      largest_q2_(2 * pair_ecut * (1 + 1e-12)),
      extrapolate_(options.extrapolate),
      decay_(5 / ecut) {
  using units::pi;
  if (interaction_.short_range != 0) zero_ = interaction_.short_range * pi / (interaction_.omega * interaction_.omega);
  switch (options.singularity) {
    case Singularity::none:
      break;
    case Singularity::spherical: {
      radius_ = std::cbrt(3 * num_points(mesh_) * lattice_.volume() / (4 * pi));
      const double truncated = 2 * pi * radius_ * radius_ * interaction_.full;
      zero_ += truncated;
      add_to_diagonal(2.0 / 3 * truncated, zero_strain_);
      break;
    }
    case Singularity::wigner_seitz:
      cell_.emplace(lattice_, mesh_, grid);
      zero_ += interaction_.full * units::pi / (cell_->alpha() * cell_->alpha());
      break;
    case Singularity::automatic:
    case Singularity::gygi_baldereschi:
      set_gygi_baldereschi();
  }
}

ExchangeKernel::Value ExchangeKernel::untruncated(double q2) const {
  const double bare = 4 * units::pi / q2;
  Value result{0, 0};
  const auto add = [&](double factor, double omega) {
    const double width = 1 / (4 * omega * omega), screened = -std::expm1(-width * q2);
    result.v += factor * bare * screened;
    result.slope += factor * bare * (width * (1 - screened) - screened / q2);
  };
  if (cell_)
    add(interaction_.full, cell_->alpha());
  else
    result = {interaction_.full * bare, -interaction_.full * bare / q2};
  if (interaction_.short_range != 0) add(interaction_.short_range, interaction_.omega);
  return result;
}

ExchangeKernel::Value ExchangeKernel::value(double q2) const {
  Value result = untruncated(q2);
  if (radius_ == 0 || interaction_.full == 0) return result;
  const double bare = 4 * units::pi / q2, q = std::sqrt(q2);
  result.v -= interaction_.full * bare * std::cos(q * radius_);
  result.slope += interaction_.full * bare * (std::cos(q * radius_) / q2 + radius_ * std::sin(q * radius_) / (2 * q));
  return result;
}

bool ExchangeKernel::on_coarse_mesh(const Vec3& q) const {
  for (std::size_t i = 0; i < 3; ++i) {
    const double half = 0.5 * q[i] * mesh_[i];
    if (std::abs(half - std::round(half)) > 1e-6) return false;
  }
  return true;
}

double ExchangeKernel::weight(const Vec3& q) const {
  if (!extrapolate_) return 1;
  return on_coarse_mesh(q) ? 0 : 8.0 / 7;
}

double ExchangeKernel::auxiliary_integral() const {
  using units::pi;
  const double width = interaction_.short_range != 0 ? 1 / (4 * interaction_.omega * interaction_.omega) : 0.0;
  return (interaction_.full + interaction_.short_range) / std::sqrt(pi * decay_) -
         interaction_.short_range / std::sqrt(pi * (decay_ + width));
}

template <class Action>
void ExchangeKernel::for_auxiliary(const Vec3& k, const Action& action) const {
  constexpr double smallest = 40;  // exp(-smallest) is rounding
  const Int3 reach = largest_g(lattice_, 0.5 * smallest / decay_);
  const auto last = [&](std::size_t i) { return (reach[i] + 2) * mesh_[i]; };
  for (int x = -last(0); x <= last(0); ++x)
    for (int y = -last(1); y <= last(1); ++y)
      for (int z = -last(2); z <= last(2); ++z) {
        const Vec3 q = k + Vec3{static_cast<double>(x) / mesh_[0], static_cast<double>(y) / mesh_[1],
                                static_cast<double>(z) / mesh_[2]};
        const Vec3 cartesian = lattice_.g_vector(q);
        const double q2 = norm2(cartesian);
        if (q2 < same_point || decay_ * q2 > smallest) continue;
        action(cartesian, weight(q) * std::exp(-decay_ * q2), untruncated(q2));
      }
}

void ExchangeKernel::set_gygi_baldereschi() {
  has_auxiliary_ = true;
  const double volume = num_points(mesh_) * lattice_.volume(), integral = volume * auxiliary_integral();
  double sum = 0;
  Mat3 strain{};
  for_auxiliary({0, 0, 0}, [&](const Vec3& q, double gaussian, const Value& found) {
    sum += gaussian * found.v;
    add_square(-2 * gaussian * (found.slope - decay_ * found.v), q, strain);
  });
  if (extrapolate_)
    zero_ = 0;
  else
    sum += zero_ - 4 * units::pi * decay_ * interaction_.full;
  zero_ += integral - sum;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) zero_strain_[i][j] = -strain[i][j];
  add_to_diagonal(integral, zero_strain_);
}

double ExchangeKernel::correction(const Vec3& k) const {
  if (!has_auxiliary_) return 0;
  double sum = 0;
  for_auxiliary(k, [&](const Vec3&, double gaussian, const Value& found) { sum += gaussian * found.v; });
  return auxiliary_integral() - sum / (num_points(mesh_) * lattice_.volume());
}

double ExchangeKernel::operator()(const Vec3& q) const {
  const double q2 = norm2(lattice_.g_vector(q));
  if (q2 > largest_q2_) return 0;
  const double smooth = cell_ ? interaction_.full * cell_->smooth(q) : 0;
  return smooth + (q2 < same_point ? zero_ : weight(q) * value(q2).v);
}

Mat3 ExchangeKernel::strain(const Vec3& q) const {
  const Vec3 cartesian = lattice_.g_vector(q);
  const double q2 = norm2(cartesian);
  Mat3 result{};
  if (q2 > largest_q2_) return result;
  if (cell_) {
    const Mat3 smooth = cell_->strain(q);
    for (std::size_t i = 0; i < 3; ++i) result[i] = interaction_.full * smooth[i];
  }
  if (q2 < same_point) {
    for (std::size_t i = 0; i < 3; ++i) result[i] = result[i] + zero_strain_[i];
    return result;
  }
  add_square(-2 * weight(q) * value(q2).slope, cartesian, result);
  if (radius_ != 0) {  // R grows with the cube root of the volume
    const double length = std::sqrt(q2);
    add_to_diagonal(
        weight(q) * interaction_.full * 4 * units::pi / q2 * std::sin(length * radius_) * length * radius_ / 3, result);
  }
  return result;
}

}  // namespace wavegrid
