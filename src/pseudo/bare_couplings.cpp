#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/bare_couplings.hpp>

namespace wavegrid {
namespace {

using Vector = std::vector<double>;

/// V(r) from r V(r); at r = 0 the value of the parabola through three points, V being even there.
Vector potential_over_r(const Vector& r_v, const Vector& r) {
  Vector v(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) v[i] = r[i] > 0.0 ? r_v[i] / r[i] : 0.0;
  if (r[0] == 0.0) v[0] = v[1] + (v[1] - v[2]) * r[1] * r[1] / (r[2] * r[2] - r[1] * r[1]);
  return v;
}

}  // namespace

Vector r_ion_potential(const RadialQuadrature& mesh, double nuclear_charge, const Vector& core) {
  Vector r2_n(core);
  for (std::size_t i = 0; i < r2_n.size(); ++i) r2_n[i] *= mesh.r()[i] * mesh.r()[i];
  Vector r_v = r_times_multipole_potential(mesh, r2_n, 0);
  for (double& v : r_v) v -= nuclear_charge;
  return r_v;
}

Vector local_potential(const RadialQuadrature& mesh, const Vector& zero, const Vector& core, const Vector& r2_shape,
                       double num_core, double nuclear_charge) {
  const Vector& r = mesh.r();
  Vector r2_core(core);
  for (std::size_t i = 0; i < r2_core.size(); ++i) r2_core[i] *= r[i] * r[i];
  const double charge = num_core - 4.0 * units::pi * mesh.integrate(r2_core) - nuclear_charge;
  Vector r2_n(r.size());
  for (std::size_t i = 0; i < r.size(); ++i)
    r2_n[i] = value_or_zero(r2_core, i) + charge * value_or_zero(r2_shape, i) / (4.0 * units::pi);
  Vector v = potential_over_r(r_times_multipole_potential(mesh, r2_n, 0), r);
  for (std::size_t i = 0; i < r.size(); ++i) v[i] += value_or_zero(zero, i);
  return v;
}

Vector bare_couplings(const RadialQuadrature& mesh, const AugmentedDataset& dataset, const Vector& local) {
  const Vector& r = mesh.r();
  const PawData& paw = *dataset.paw;
  const std::size_t n = dataset.size();
  Vector d0(paw.kinetic_differences);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const PartialWave &a = dataset.waves[i], &b = dataset.waves[j];
      const AugmentationFunction* q = dataset.find(i, j, 0);
      if (a.l != b.l || !q) continue;
      Vector f(r.size(), 0.0);
      for (std::size_t k = 0; k < r.size() && r[k] <= paw.integration_radius; ++k) {
        if (r[k] > 0.0)
          f[k] = value_or_zero(paw.r_ion_potential, k) / r[k] * value_or_zero(a.r_all_electron, k) *
                 value_or_zero(b.r_all_electron, k);
        f[k] -= value_or_zero(local, k) * value_or_zero(a.r_pseudo, k) * value_or_zero(b.r_pseudo, k);
      }
      for (std::size_t k = 0; k < q->r2_q.size(); ++k) f[k] -= value_or_zero(local, k) * q->r2_q[k];
      d0[i * n + j] += mesh.integrate(f, 1);
    }
  return d0;
}

}  // namespace wavegrid
