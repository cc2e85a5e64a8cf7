// The kinetic-energy density of one orbital with the density of a channel, by finite differences as tau is.
//
//   t_s = 1/4 Lap n_s - 1/2 phi_s Lap phi_s,   phi_s^2 = n_s + rho(n_s, m_s)
//
// with phi_s^2 = n_s but where a point has far less density than the mean m_s of its neighbours:
//
//   rho(n, m) = x m exp(-n / (x m)),   x = 0.03,   m = n + Lap n / c   (c: the weight of the centre in -Lap)
//
// A mesh far too coarse for an atom may have nearly none at the nucleus, and dt/dn would grow as n^(-1/2) there.
//
// is tau_s to rounding where one orbital prevails. Functionals compare tau_s with w_s = |grad n_s|^2 / (8 n_s), which
// differs from t_s by the error of finite differences, and measure the difference in units of the kinetic-energy
// density of the uniform gas, which is smaller than that error in a vacuum, by up to a hundred times. With differences
// a functional therefore has
//
//   tau_s - t_s + w_s
//
// in place of tau_s, which is the same in the limit of small spacings. With a_s = de/dtau_s this adds
//
//   v_s:             -1/4 Lap a_s + q_s (1 + drho/dn) + (1 + Lap / c) (q_s drho/dm) - a_s w_s / n_s,
//                    q_s = (a_s Lap phi_s + Lap(a_s phi_s)) / (4 phi_s)
//   de/d(grad n_s):  a_s grad n_s / (4 n_s)
//
// to the derivatives; the first term cancels that of the operator (scf/operator_potential.hpp). Derivation and
// measurements: decision 0025.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/fields/xc_points.hpp>

namespace wavegrid {

/// Of one density. All members are collective over the space.
template <FieldSpace Space>
class OneOrbitalTau {
 public:
  /// Of the components of n, electrons/bohr^3, and their gradients. The space must outlive this object.
  OneOrbitalTau(Space& space, const SpinFields& n, const SpinGradients& slopes) : space_(space) {
    for (std::size_t s = 0; s < n.size(); ++s) channels_.push_back(channel(n, slopes, s));
  }

  /// The density with tau - t + w in place of tau.
  [[nodiscard]] DensityValues corrected(DensityValues density) const {
    for (std::size_t i = 0; i < density.tau[0].size(); ++i) {
      const double up = channels_.front().change[i], down = channels_.back().change[i];
      density.tau[0][i] += channels_.size() == 2 ? up + down : up;
      if (channels_.size() == 2) density.tau[1][i] += up - down;
    }
    return density;
  }

  /// Adds to de/dn_s and de/d(grad n_s) what they have by t and w, where `potential` has de/dtau_s.
  void add_derivatives(Potential& potential, SpinGradients& fluxes) const {
    const SpinGradients added = fluxes_by_w(potential.v_tau);
    for (std::size_t k = 0; k < added.size(); ++k)
      std::transform(added[k].begin(), added[k].end(), fluxes[k].begin(), fluxes[k].begin(), std::plus<>());
    for (std::size_t s = 0; s < channels_.size(); ++s)
      add_density_derivative(channels_[s], potential.v_tau[s], potential.v[s]);
  }
  /// What de/d(grad n_s) has by w.
  [[nodiscard]] SpinGradients fluxes_by_w(const SpinFields& v_tau) const {
    SpinGradients found;
    for (std::size_t s = 0; s < channels_.size(); ++s)
      for (FieldValues slope : channels_[s].slopes) {
        for (std::size_t i = 0; i < slope.size(); ++i)
          slope[i] *= channels_[s].is_dense(i) ? v_tau[s][i] / (4 * channels_[s].n[i]) : 0.0;
        found.push_back(std::move(slope));
      }
    return found;
  }
  /// sum_s int a_s (w_s - t_s), Ha.
  [[nodiscard]] double energy_of_change(const SpinFields& v_tau) const {
    return space_.integrate([&](std::size_t i) {
      double sum = 0;
      for (std::size_t s = 0; s < channels_.size(); ++s) sum += v_tau[s][i] * channels_[s].change[i];
      return sum;
    });
  }

 private:
  static constexpr double least_density = 1e-10;  // electrons/bohr^3, of all channels together
  static constexpr auto axes = static_cast<std::size_t>(Space::dimensions);

  struct Channel {
    double least = 0;               ///< where n is below it tau stays as it is; phi^2 is n and that much
    FieldValues n, phi, laplacian;  ///< the latter of phi
    FieldValues by_n, by_mean;      ///< derivatives of phi^2
    FieldValues w, change;          ///< change: w - t; both 0 where there is no density
    std::vector<FieldValues> slopes;

    [[nodiscard]] bool is_dense(std::size_t i) const { return n[i] > least; }
    /// Sets phi and its derivatives at a point by the mean of the densities of its neighbours.
    void set_phi(std::size_t i, double mean) {
      constexpr double share = 0.03;
      const double density = std::max(n[i], 0.0), full = share * mean;
      double rho = 0;
      by_n[i] = n[i] > 0 ? 1 : 0;
      if (full > 0) {
        const double x = density / full, decay = std::exp(-x);
        rho = full * decay;
        by_n[i] *= 1 - decay;
        by_mean[i] = share * decay * (1 + x);
      }
      phi[i] = std::sqrt(density + least + rho);
    }
  };

  /// Values of a channel from those of the components.
  [[nodiscard]] static FieldValues channel_values(const FieldValues& total, const FieldValues* difference,
                                                  double sign) {
    FieldValues values(total);
    if (difference != nullptr)
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * (total[i] + sign * (*difference)[i]);
    return values;
  }

  [[nodiscard]] Channel channel(const SpinFields& n, const SpinGradients& slopes, std::size_t s) const {
    const bool spins = n.size() == 2;
    const auto in_channel = [&](const auto& fields, std::size_t total, std::size_t difference) {
      return channel_values(fields[total], spins ? &fields[difference] : nullptr, s == 0 ? 1.0 : -1.0);
    };
    Channel c;
    c.least = least_density / static_cast<double>(n.size());
    c.n = in_channel(n, 0, 1);
    for (std::size_t axis = 0; axis < axes; ++axis) c.slopes.push_back(in_channel(slopes, axis, axes + axis));
    c.change = laplacian(c.n);
    for (FieldValues* values : {&c.phi, &c.by_n, &c.by_mean, &c.w}) values->resize(c.n.size());
    for (std::size_t i = 0; i < c.n.size(); ++i) c.set_phi(i, c.n[i] + c.change[i] / centre());
    c.laplacian = laplacian(c.phi);
    for (std::size_t i = 0; i < c.n.size(); ++i) {
      if (c.is_dense(i))
        for (const FieldValues& slope : c.slopes) c.w[i] += slope[i] * slope[i] / (8 * c.n[i]);
      c.change[i] = c.is_dense(i) ? c.w[i] - 0.25 * c.change[i] + 0.5 * c.phi[i] * c.laplacian[i] : 0.0;
    }
    return c;
  }

  void add_density_derivative(const Channel& c, FieldValues v_tau, FieldValues& v) const {
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (!c.is_dense(i))
        v_tau[i] = 0;
      else
        v[i] -= v_tau[i] * c.w[i] / c.n[i];
    }
    FieldValues product(v_tau);
    for (std::size_t i = 0; i < product.size(); ++i) product[i] *= c.phi[i];
    product = laplacian(product);
    FieldValues in_laplacian(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double q = 0.25 * (v_tau[i] * c.laplacian[i] + product[i]) / c.phi[i], by_mean = q * c.by_mean[i];
      v[i] += q * c.by_n[i] + by_mean;
      in_laplacian[i] = by_mean / centre() - 0.25 * v_tau[i];
    }
    const FieldValues last = laplacian(in_laplacian);
    std::transform(v.begin(), v.end(), last.begin(), v.begin(), std::plus<>());
  }

  /// c
  [[nodiscard]] double centre() const {
    if constexpr (Space::finite_differences)
      return space_.laplacian_centre();
    else
      return 1;
  }

  [[nodiscard]] FieldValues laplacian(const FieldValues& values) const {
    return space_.to_values(space_.laplacian(space_.to_field(values)));
  }

  Space& space_;
  std::vector<Channel> channels_;
};

}  // namespace wavegrid
