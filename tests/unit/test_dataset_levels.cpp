// Levels of the free atom from the parts of a dataset: couplings, overlaps, local potential, compensation charge,
// on-site terms and their conventions, put together on a radial mesh for spherical densities. They have to be those of
// the file's all-electron atom. Files are Debian's; LDA alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/pseudo/radial_function.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>
#include <wavegrid/pseudo/readers.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid::test_dataset_levels {
namespace {

using Vector = std::vector<double>;
constexpr double pi = std::numbers::pi;

/// A bound pseudo-orbital r R(r) with its electrons.
struct Orbital {
  int l;
  double electrons;
  Vector u;
};

class Atom {
 public:
  Atom(const RadialData& data, const std::string& functional, std::vector<Orbital> orbitals)
      : data_(data),
        set_(*data.augmented),
        r_(set_.r),
        mesh_(set_.r),
        xc_(Xc::parse(functional)),
        orbitals_(std::move(orbitals)) {
    for (Orbital& orbital : orbitals_) {
      for (const PartialWave& wave : set_.waves)
        b_.push_back(wave.l == orbital.l ? mesh_.integrate(times(wave.r_projector, orbital.u), 2 * wave.l + 2) : 0.0);
    }
    normalise();
    make_densities();
  }

  /// <T + V_eff> + sum D_ij b_i b_j of orbital n, Ha.
  double level(std::size_t n) const {
    const Orbital& orbital = orbitals_[n];
    double sum = kinetic(orbital) + mesh_.integrate(times(v_eff_, times(orbital.u, orbital.u)), 2 * orbital.l + 2);
    for (std::size_t i = 0; i < set_.size(); ++i)
      for (std::size_t j = 0; j < set_.size(); ++j)
        if (set_.waves[i].l == orbital.l && set_.waves[j].l == orbital.l) sum += coupling(i, j) * b(n, i) * b(n, j);
    return sum;
  }
  double norm(std::size_t n) const { return norms_[n]; }  ///< of orbital n in the file, with S

 private:
  double b(std::size_t n, std::size_t i) const { return b_[n * set_.size() + i]; }

  Vector times(const Vector& a, const Vector& c) const {
    Vector f(r_.size(), 0.0);
    for (std::size_t k = 0; k < std::min(a.size(), c.size()); ++k) f[k] = a[k] * c[k];
    return f;
  }

  Vector in_sphere(const Vector& a, const Vector& c) const {
    Vector f = times(a, c);
    if (set_.paw)
      for (std::size_t k = 0; k < f.size(); ++k)
        if (r_[k] > set_.paw->integration_radius) f[k] = 0.0;
    return f;
  }

  void normalise() {
    for (std::size_t n = 0; n < orbitals_.size(); ++n) {
      Orbital& orbital = orbitals_[n];
      double sum = mesh_.integrate(times(orbital.u, orbital.u), 2 * orbital.l + 2);
      for (std::size_t i = 0; i < set_.size(); ++i)
        for (std::size_t j = 0; j < set_.size(); ++j) sum += set_.overlap(i, j) * b(n, i) * b(n, j);
      norms_.push_back(sum);
      for (double& u : orbital.u) u /= std::sqrt(sum);
      for (std::size_t i = 0; i < set_.size(); ++i) b_[n * set_.size() + i] /= std::sqrt(sum);
    }
  }

  /// 4 pi r^2 n of ~, ^ and of the all-electron on-site density; potentials.
  void make_densities() {
    Vector smooth(r_.size(), 0.0), compensation(r_.size(), 0.0), inside(r_.size(), 0.0), inside_smooth(r_.size(), 0.0);
    const auto add = [&](Vector& to, double factor, const Vector& f) {
      for (std::size_t k = 0; k < std::min(to.size(), f.size()); ++k) to[k] += factor * f[k];
    };
    for (const Orbital& orbital : orbitals_) add(smooth, orbital.electrons, times(orbital.u, orbital.u));
    for (std::size_t i = 0; i < set_.size(); ++i)
      for (std::size_t j = 0; j < set_.size(); ++j) {
        double rho = 0.0;
        for (std::size_t n = 0; n < orbitals_.size(); ++n) rho += orbitals_[n].electrons * b(n, i) * b(n, j);
        const AugmentationFunction* q = set_.waves[i].l == set_.waves[j].l ? set_.find(i, j, 0) : nullptr;
        if (!q) continue;
        add(compensation, rho, q->r2_q);
        add(inside, rho, in_sphere(set_.waves[i].r_all_electron, set_.waves[j].r_all_electron));
        add(inside_smooth, rho, in_sphere(set_.waves[i].r_pseudo, set_.waves[j].r_pseudo));
      }
    Vector all = smooth, all_inside = inside_smooth;
    add(all, 1.0, compensation);
    add(all_inside, 1.0, compensation);
    const bool included = set_.compensation_in_xc == CompensationInXc::included;
    v_eff_ = hartree(all);
    for (std::size_t k = 0; k < r_.size(); ++k)
      v_eff_[k] += k < data_.local.size() ? data_.local[k] : -data_.charge / r_[k];
    v_charge_ = v_eff_;  // acts on the compensation charge
    const Vector v_smooth = potential_of_xc(included ? all : smooth, data_.core);
    add(v_eff_, 1.0, v_smooth);
    if (included) add(v_charge_, 1.0, v_smooth);
    if (!set_.paw) return;
    v_inside_ = hartree(inside);
    add(v_inside_, 1.0, potential_of_xc(inside, set_.paw->all_electron_core));
    v_inside_smooth_ = v_inside_charge_ = hartree(all_inside);
    const Vector v_xc = potential_of_xc(included ? all_inside : inside_smooth, data_.core);
    add(v_inside_smooth_, 1.0, v_xc);
    if (included) add(v_inside_charge_, 1.0, v_xc);
  }

  /// Of 4 pi r^2 n; at r = 0 the value of the next point.
  Vector hartree(const Vector& density) const {
    Vector r2_n(density);
    for (double& value : r2_n) value /= 4 * pi;
    Vector v = r_times_multipole_potential(mesh_, r2_n, 0);
    for (std::size_t k = 0; k < v.size(); ++k)
      if (r_[k] > 0.0) v[k] /= r_[k];
    if (r_[0] == 0.0) v[0] = v[1];
    return v;
  }

  Vector potential_of_xc(const Vector& density, const Vector& core) const {
    Vector n(r_.size()), e(r_.size()), v(r_.size());
    for (std::size_t k = 0; k < r_.size(); ++k)
      n[k] = std::max(0.0, (r_[k] > 0.0 ? density[k] / (4 * pi * r_[k] * r_[k]) : 0.0) + value_or_zero(core, k));
    xc_.evaluate(n, e, v);
    return v;
  }

  /// int (u'^2 + l (l + 1) u^2 / r^2) / 2 dr.
  double kinetic(const Orbital& orbital) const {
    const RadialFunction u(r_, orbital.u, orbital.l + 1);
    Vector f(r_.size(), 0.0);
    for (std::size_t k = 0; k + 1 < r_.size(); ++k) {
      if (r_[k] == 0.0) {
        f[k] = orbital.l == 0 ? 0.5 * std::pow(orbital.u[1] / r_[1], 2) : 0.0;
        continue;
      }
      const double step = 1e-3 * r_[k];
      const double slope = (u(r_[k] + step) - u(r_[k] - step)) / (2 * step);
      f[k] = 0.5 * (slope * slope + orbital.l * (orbital.l + 1) * std::pow(orbital.u[k] / r_[k], 2));
    }
    return mesh_.integrate(f, 2 * orbital.l);
  }

  double coupling(std::size_t i, std::size_t j) const {
    const AugmentationFunction* q = set_.find(i, j, 0);
    double d = set_.coupling(i, j) + (q ? mesh_.integrate(times(v_charge_, q->r2_q)) : 0.0);
    if (!set_.paw) return d;
    const PartialWave &a = set_.waves[i], &c = set_.waves[j];
    Vector f = times(v_inside_, times(a.r_all_electron, c.r_all_electron));
    const Vector smooth = times(v_inside_smooth_, times(a.r_pseudo, c.r_pseudo));
    const Vector charge = q ? times(v_inside_charge_, q->r2_q) : Vector(r_.size(), 0.0);
    for (std::size_t k = 0; k < f.size(); ++k)
      f[k] = r_[k] <= set_.paw->integration_radius ? f[k] - smooth[k] - charge[k] : 0.0;
    return d + mesh_.integrate(f, 2 * a.l + 2);
  }

  const RadialData& data_;
  const AugmentedDataset& set_;
  const Vector& r_;
  RadialQuadrature mesh_;
  Xc xc_;
  std::vector<Orbital> orbitals_;
  Vector b_, norms_;  // b_[n * size + i] = <p_i|orbital n>
  Vector v_eff_, v_charge_, v_inside_, v_inside_smooth_, v_inside_charge_;
};

/// The occupied partial waves and their levels in a PAW XML file.
void compare_xml(const std::string& path, double tolerance) {
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  const RadialFile file = read_paw_xml(TextFile(path));
  std::vector<Orbital> orbitals;
  Vector expected;
  for (const PartialWave& wave : file.data.augmented->waves)
    if (wave.occupation > 0.0) {
      const RadialData::Orbital& orbital = file.data.orbitals[orbitals.size()];
      orbitals.push_back({orbital.l, wave.occupation, orbital.times_r});
      expected.push_back(*wave.energy);
    }
  const Atom atom(file.data, file.functional, orbitals);
  for (std::size_t n = 0; n < orbitals.size(); ++n) {
    EXPECT_NEAR(atom.norm(n), 1.0, 1e-4) << path;
    EXPECT_NEAR(atom.level(n), expected[n], tolerance) << path << " orbital " << n;
  }
}

/// The pseudo-orbitals of a UPF file; `electrons` and `expected` of each.
void compare_upf(const std::string& path, const std::vector<double>& electrons, const Vector& expected,
                 double tolerance) {
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  const RadialFile file = read_upf(TextFile(path));
  std::vector<Orbital> orbitals;
  for (std::size_t n = 0; n < electrons.size(); ++n)
    orbitals.push_back({file.data.orbitals[n].l, electrons[n], file.data.orbitals[n].times_r});
  const Atom atom(file.data, file.functional, orbitals);
  for (std::size_t n = 0; n < orbitals.size(); ++n)
    EXPECT_NEAR(atom.level(n), expected[n], tolerance) << path << " orbital " << n;
}

TEST(DatasetLevels, JthOxygen) { compare_xml("/usr/share/abinit/psp/Pseudodojo_paw_pw_standard/O.xml", 1e-4); }
TEST(DatasetLevels, JthSilicon) { compare_xml("/usr/share/abinit/psp/Pseudodojo_paw_pw_standard/Si.xml", 1e-4); }
TEST(DatasetLevels, JthAluminium) { compare_xml("/usr/share/abinit/psp/Pseudodojo_paw_pw_standard/Al.xml", 1e-4); }
TEST(DatasetLevels, JthVanadium) { compare_xml("/usr/share/abinit/psp/Pseudodojo_paw_pw_standard/V.xml", 1e-4); }
TEST(DatasetLevels, KresseJoubertSilicon) { compare_xml("/usr/share/abinit/psp/Si_KJ_mod.xml", 1e-4); }
TEST(DatasetLevels, GpawOxygen) { compare_xml("/usr/share/gpaw-setups/O.LDA.gz", 3e-4); }
TEST(DatasetLevels, GpawIron) { compare_xml("/usr/share/gpaw-setups/Fe.LDA.gz", 1e-4); }
TEST(DatasetLevels, UpfPawOxygen) {
  compare_upf("/usr/share/espresso/pseudo/O.pz-kjpaw.UPF", {2, 4}, {-0.871206856166, -0.338294473813}, 1e-4);
}
TEST(DatasetLevels, UpfUltrasoftOxygen) {
  compare_upf("/usr/share/espresso/pseudo/O.pz-rrkjus.UPF", {2, 4}, {-0.8729, -0.3380}, 1e-3);
}
TEST(DatasetLevels, VanderbiltOxygen) {
  compare_upf("/usr/share/espresso/pseudo/O.pz-van_ak.UPF", {2, 4}, {-0.8712, -0.3383}, 1e-3);
}

}  // namespace
}  // namespace wavegrid::test_dataset_levels
