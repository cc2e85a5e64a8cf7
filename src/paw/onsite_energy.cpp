#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/basis/sphere_quadrature.hpp>
#include <wavegrid/paw/onsite_energy.hpp>
#include <wavegrid/pseudo/radial_function.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>

namespace wavegrid {

namespace {

using Values = std::vector<double>;

/// Values at radii with derivatives.
struct Sampled {
  Values value, slope;
};

Sampled sampled(const Values& mesh, const Values& function, int power, const Values& r) {
  Sampled result{Values(r.size()), Values(r.size())};
  if (function.size() < 2) return result;
  const RadialFunction f(mesh, function, power);
  for (std::size_t k = 0; k < r.size(); ++k) {
    const RadialFunction::At at = f.at(r[k]);
    result.value[k] = at.value;
    result.slope[k] = at.slope;
  }
  return result;
}

/// f / r^2 of a function that has the factor r^2.
Sampled without_r2(Sampled f, const Values& r) {
  for (std::size_t k = 0; k < r.size(); ++k) {
    f.value[k] /= r[k] * r[k];
    f.slope[k] = f.slope[k] / (r[k] * r[k]) - 2.0 * f.value[k] / r[k];
  }
  return f;
}

Sampled product(const Sampled& a, const Sampled& b) {
  Sampled result = a;
  for (std::size_t k = 0; k < a.value.size(); ++k) {
    result.value[k] = a.value[k] * b.value[k];
    result.slope[k] = a.slope[k] * b.value[k] + a.value[k] * b.slope[k];
  }
  return result;
}

void add_sampled(const Sampled& f, Sampled& sum) {
  for (std::size_t k = 0; k < f.value.size(); ++k) {
    sum.value[k] += f.value[k];
    sum.slope[k] += f.slope[k];
  }
}

/// r^2 times the product of two waves in the sphere, with Q_ij^L unless null.
Values wave_product(const AugmentedDataset& dataset, const Values& a, const Values& b,
                    const AugmentationFunction* charge) {
  Values result(dataset.r.size());
  for (std::size_t k = 0; k < result.size() && dataset.r[k] <= dataset.paw->integration_radius; ++k) {
    result[k] = value_or_zero(a, k) * value_or_zero(b, k);
    if (charge != nullptr) result[k] += value_or_zero(charge->r2_q, k);
  }
  return result;
}

/// r^2 times the product of the large components of two waves, and of the small ones.
Values all_electron_product(const AugmentedDataset& dataset, const PartialWave& a, const PartialWave& b) {
  Values result = wave_product(dataset, a.r_all_electron, b.r_all_electron, nullptr);
  const Values small = wave_product(dataset, a.r_small, b.r_small, nullptr);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] += small[k];
  return result;
}

/// The radius beyond which two functions are the same, or a function is 0.
double end_of_difference(const Values& mesh, const Values& a, const Values& b) {
  double largest = 0;
  const std::size_t size = std::max(a.size(), b.size());
  for (std::size_t k = 0; k < size; ++k) largest = std::max(largest, std::abs(value_or_zero(a, k)));
  std::size_t end = size;
  while (end > 0 && std::abs(value_or_zero(a, end - 1) - value_or_zero(b, end - 1)) <= 1e-10 * largest) --end;
  return mesh[std::min(end, mesh.size() - 1)];
}

/// The Coulomb interactions (a_i|b_j) of functions with r^2 as a factor, all parts Y_LM of one L.
Matrix<double> interactions(const RadialQuadrature& mesh, const std::vector<Values>& a, const std::vector<Values>& b,
                            int l) {
  const auto count = static_cast<Index>(a.size());
  Matrix<double> result(count, count);
  for (Index j = 0; j < count; ++j) {
    const Values potential = r_times_multipole_potential(mesh, b[static_cast<std::size_t>(j)], l);
    for (Index i = 0; i < count; ++i)
      result(i, j) = potential_integral(mesh, a[static_cast<std::size_t>(i)], potential, l);
  }
  return result;
}

Matrix<double> symmetrised(const Matrix<double>& m) {
  Matrix<double> result(m.rows(), m.columns());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.columns(); ++j) result(i, j) = 0.5 * (m(i, j) + m(j, i));
  return result;
}

/// Whether there may be a vector magnetisation, to which small components contribute.
bool has_small_moment(const AugmentedDataset& dataset, const Xc& xc) {
  return xc.spins() == 2 && std::ranges::any_of(dataset.waves, [](const auto& wave) { return !wave.r_small.empty(); });
}

const double inverse_y00 = std::sqrt(4.0 * units::pi);

/// The first points of a coarse mesh that begins at the nucleus: polynomials through points to one side alone meet
/// there at angles (1e-5 Ha in copper of GPAW).
Values coarse_beginning(const Values& mesh) {
  constexpr std::size_t count = RadialFunction::stencil;
  constexpr double fine = 1e-4;  // bohr
  if (mesh[0] > 0.0 || mesh[1] < fine || mesh.size() <= count) return {};
  return Values(mesh.begin() + 1, mesh.begin() + 1 + count);
}

/// E_xc[n_c] in all space, Ha: to where n_c is below 1e-9 electrons/bohr^3. A bound relative to n_c at the nucleus cuts
/// off 7e-5 Ha in iodine.
double core_xc_energy(const AugmentedDataset& dataset, const Xc& xc) {
  constexpr int radii = 200;
  constexpr double negligible = 1e-9;
  const Values& core = dataset.paw->all_electron_core;
  std::size_t end = core.size();
  while (end > 1 && std::abs(core[end - 1]) < negligible) --end;
  Values breaks = coarse_beginning(dataset.r);
  breaks.push_back(dataset.r[std::min(end, dataset.r.size() - 1)]);
  const SphereGrid grid(breaks, radii, 0, 0);
  const Sampled density = sampled(dataset.r, core, 0, grid.r());
  AngularParts parts(grid);
  for (std::size_t k = 0; k < grid.num_radii(); ++k) {
    parts.values[k] = inverse_y00 * density.value[k];
    parts.slopes[k] = inverse_y00 * density.slope[k];
  }
  return sphere_xc(grid, Xc::parse(xc.name()), {parts}, false).energy;
}

/// Radii where functions in E_xc may have kinks: where pseudo-functions begin to differ from those of all electrons,
/// and where Q_ij ends if it is part of them. Beyond the last one both are the same.
Values kinks(const AugmentedDataset& dataset) {
  constexpr double least_distance = 0.01;  // bohr
  const PawData& paw = *dataset.paw;
  const bool with_charge = dataset.compensation_in_xc == CompensationInXc::included;
  const double radius = with_charge ? paw.integration_radius : paw.sphere_radius;
  Values all{end_of_difference(dataset.r, paw.all_electron_core, paw.pseudo_core)};
  for (const PartialWave& wave : dataset.waves)
    all.push_back(end_of_difference(dataset.r, wave.r_all_electron, wave.r_pseudo));
  for (const AugmentationFunction& function : dataset.augmentation) {
    if (!with_charge) break;
    const PartialWave &a = dataset.waves[function.i], &b = dataset.waves[function.j];
    all.push_back(end_of_difference(dataset.r, function.r2_q, {}));
    all.push_back(end_of_difference(dataset.r, all_electron_product(dataset, a, b),
                                    wave_product(dataset, a.r_pseudo, b.r_pseudo, &function)));
  }
  std::sort(all.begin(), all.end());
  Values kept = coarse_beginning(dataset.r);
  for (const double r : all)
    if (r > (kept.empty() ? 0.0 : kept.back()) + least_distance && r < radius - least_distance) kept.push_back(r);
  kept.push_back(radius);
  return kept;
}

}  // namespace

OnsiteEnergy::OnsiteEnergy(const AugmentedDataset& dataset, std::shared_ptr<const Xc> xc, OnsiteAccuracy accuracy,
                           const Vec3& spin_axis)
    : xc_(std::move(xc)),
      pairs_(dataset, radial_pairs(dataset)),
      grid_(kinks(dataset), accuracy.radii, pairs_.largest_l() + (has_small_moment(dataset, *xc_) ? 2 : 0),
            pairs_.largest_l() + accuracy.degree),
      spin_axis_(spin_axis) {
  const PawData& paw = *dataset.paw;
  const Values& r = grid_.r();
  const bool with_charge = dataset.compensation_in_xc == CompensationInXc::included;
  std::vector<Sampled> waves, small_waves, pseudo_waves;
  for (const PartialWave& wave : dataset.waves) {
    const int power = dataset.fully_relativistic ? static_cast<int>(wave.j + 0.5) : wave.l + 1;
    waves.push_back(sampled(dataset.r, wave.r_all_electron, power, r));
    small_waves.push_back(sampled(dataset.r, wave.r_small, power, r));
    pseudo_waves.push_back(sampled(dataset.r, wave.r_pseudo, wave.l + 1, r));
  }
  const std::vector<RadialPair> pairs = radial_pairs(dataset);
  of_l_.resize(static_cast<std::size_t>(pairs_.largest_l()) + 1);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [i, j, l] = pairs[p];
    of_l_[static_cast<std::size_t>(l)].push_back(p);
    Sampled own = product(waves[i], waves[j]), smooth = product(pseudo_waves[i], pseudo_waves[j]);
    if (const AugmentationFunction* charge = dataset.find(i, j, l); charge != nullptr && with_charge)
      add_sampled(sampled(dataset.r, charge->r2_q, l + 2, r), smooth);
    Sampled small = product(small_waves[i], small_waves[j]);
    add_sampled(small, own);
    const auto store = [&](Sampled f, Side& side) {
      f = without_r2(std::move(f), r);
      side.values.push_back(std::move(f.value));
      side.slopes.push_back(std::move(f.slope));
    };
    if (has_small_moment(dataset, *xc_)) store(std::move(small), small_);
    store(std::move(own), all_electron_);
    store(std::move(smooth), pseudo_);
  }
  const auto core = [&](const Values& density, Side& side) {
    Sampled found = sampled(dataset.r, density, 0, r);
    side.core = std::move(found.value);
    side.core_slopes = std::move(found.slope);
  };
  core(paw.all_electron_core, all_electron_);
  core(paw.pseudo_core, pseudo_);

  set_interactions(dataset, pairs);
  if (has_small_moment(dataset, *xc_)) set_radial_shares();
  if (!paw.has_core_xc) zero_ = core_xc_energy(dataset, *xc_);
}

void OnsiteEnergy::set_interactions(const AugmentedDataset& dataset, const std::vector<RadialPair>& pairs) {
  const RadialQuadrature mesh(dataset.r);
  for (std::size_t l = 0; l < of_l_.size(); ++l) {
    const int degree = static_cast<int>(l);
    std::vector<Values> sums, deltas;  // r^2 (n1 + (n~1 + n^)) and r^2 (n1 - (n~1 + n^))
    for (const std::size_t p : of_l_[l]) {
      const PartialWave &a = dataset.waves[pairs[p].i], &b = dataset.waves[pairs[p].j];
      sums.push_back(all_electron_product(dataset, a, b));
      deltas.push_back(sums.back());
      const Values smooth = wave_product(dataset, a.r_pseudo, b.r_pseudo, dataset.find(pairs[p].i, pairs[p].j, degree));
      for (std::size_t k = 0; k < smooth.size(); ++k) {
        sums.back()[k] += smooth[k];
        deltas.back()[k] -= smooth[k];
      }
    }
    hartree_.push_back(symmetrised(interactions(mesh, deltas, sums, degree)));
    between_deltas_.push_back(symmetrised(interactions(mesh, deltas, deltas, degree)));
  }
}

AngularParts OnsiteEnergy::density(const Side& side, const Moments& moments, bool with_core) const {
  const std::size_t radii = grid_.num_radii();
  AngularParts parts(grid_);
  for (std::size_t p = 0; p < pairs_.num_pairs(); ++p)
    for (int m = 0; m <= 2 * pairs_.l(p); ++m) {
      const double moment = moments[pairs_.first(p) + static_cast<std::size_t>(m)];
      if (moment == 0.0) continue;
      const std::size_t first = (static_cast<std::size_t>(pairs_.l(p) * pairs_.l(p) + m)) * radii;
      for (std::size_t k = 0; k < radii; ++k) {
        parts.values[first + k] += moment * side.values[p][k];
        parts.slopes[first + k] += moment * side.slopes[p][k];
      }
    }
  for (std::size_t k = 0; with_core && k < radii; ++k) {
    parts.values[k] += inverse_y00 * side.core[k];
    parts.slopes[k] += inverse_y00 * side.core_slopes[k];
  }
  return parts;
}

void OnsiteEnergy::add_derivatives(const Side& side, const AngularParts& by_density, double factor,
                                   Moments& by_moments) const {
  const std::size_t radii = grid_.num_radii();
  for (std::size_t p = 0; p < pairs_.num_pairs(); ++p)
    for (int m = 0; m <= 2 * pairs_.l(p); ++m) {
      const std::size_t first = (static_cast<std::size_t>(pairs_.l(p) * pairs_.l(p) + m)) * radii;
      double sum = 0;
      for (std::size_t k = 0; k < radii; ++k)
        sum += by_density.values[first + k] * side.values[p][k] + by_density.slopes[first + k] * side.slopes[p][k];
      by_moments[pairs_.first(p) + static_cast<std::size_t>(m)] += factor * sum;
    }
}

OnsiteEnergy::Moments OnsiteEnergy::potential(const std::vector<Matrix<double>>& interaction,
                                              const Moments& moments) const {
  Moments potential(pairs_.size());
  for (std::size_t l = 0; l < of_l_.size(); ++l)
    for (std::size_t a = 0; a < of_l_[l].size(); ++a)
      for (std::size_t b = 0; b < of_l_[l].size(); ++b) {
        const double strength = interaction[l](static_cast<Index>(a), static_cast<Index>(b));
        const std::size_t to = pairs_.first(of_l_[l][a]), from = pairs_.first(of_l_[l][b]);
        for (std::size_t m = 0; m <= 2 * l; ++m) potential[to + m] += strength * moments[from + m];
      }
  return potential;
}

void OnsiteEnergy::set_radial_shares() {
  const int l = pairs_.largest_l();
  const SphereQuadrature directions(2 * l + 4);
  const RealHarmonics all(l + 2);
  const std::size_t size = all.size(), from_size = num_harmonics(l);
  Values y(size), integrals(6 * size * from_size);
  const auto place = [&](std::size_t pair, std::size_t to, std::size_t from) {
    return (pair * size + to) * from_size + from;
  };
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> axes{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const Vec3& n = directions.direction(d);
    all.values(n, y);
    for (std::size_t pair = 0; pair < axes.size(); ++pair)
      for (std::size_t to = 0; to < size; ++to)
        for (std::size_t from = 0; from < from_size; ++from)
          integrals[place(pair, to, from)] +=
              directions.weight(d) * n[axes[pair].first] * n[axes[pair].second] * y[to] * y[from];
  }
  for (std::size_t pair = 0; pair < axes.size(); ++pair)
    for (std::size_t to = 0; to < size; ++to)
      for (std::size_t from = 0; from < from_size; ++from) {
        const double factor = integrals[place(pair, to, from)];
        if (std::abs(factor) < 1e-12) continue;
        const auto [a, c] = axes[pair];
        radial_shares_.push_back({a, c, to, from, factor});
        if (a != c) radial_shares_.push_back({c, a, to, from, factor});
      }
}

void OnsiteEnergy::add_small_components(const std::vector<Moments>& moments,
                                        std::vector<AngularParts>& components) const {
  const std::size_t radii = grid_.num_radii();
  for (std::size_t c = 0; c < 3; ++c) {
    const AngularParts small = density(small_, moments[1 + c], false);
    for (const RadialShare& share : radial_shares_) {
      if (share.c != c) continue;
      AngularParts& sum = components[1 + share.a];
      for (std::size_t k = 0; k < radii; ++k) {
        sum.values[share.to * radii + k] -= 2.0 * share.factor * small.values[share.from * radii + k];
        sum.slopes[share.to * radii + k] -= 2.0 * share.factor * small.slopes[share.from * radii + k];
      }
    }
  }
}

void OnsiteEnergy::add_small_derivatives(const std::vector<AngularParts>& by_density,
                                         std::vector<Moments>& by_moments) const {
  const std::size_t radii = grid_.num_radii();
  for (std::size_t c = 0; c < 3; ++c) {
    AngularParts by_small(grid_);
    for (const RadialShare& share : radial_shares_) {
      if (share.c != c) continue;
      const AngularParts& from = by_density[1 + share.a];
      for (std::size_t k = 0; k < radii; ++k) {
        by_small.values[share.from * radii + k] -= 2.0 * share.factor * from.values[share.to * radii + k];
        by_small.slopes[share.from * radii + k] -= 2.0 * share.factor * from.slopes[share.to * radii + k];
      }
    }
    add_derivatives(small_, by_small, 1.0, by_moments[1 + c]);
  }
}

double OnsiteEnergy::evaluate(const ComponentMatrices& rho, std::vector<Moments>* derivatives) const {
  std::vector<Moments> moments;
  for (const auto& component : rho) moments.push_back(pairs_.of(component));
  const Moments from_hartree = potential(hartree_, moments[0]);
  double energy = 0.5 * std::inner_product(from_hartree.begin(), from_hartree.end(), moments[0].begin(), 0.0) - zero_;
  const bool vector = rho.size() == 4;
  if (derivatives != nullptr) derivatives->assign(rho.size(), vector ? Moments(from_hartree.size()) : from_hartree);
  if (derivatives != nullptr && vector) derivatives->front() = from_hartree;
  for (const auto& [side, sign] : {std::pair(&all_electron_, 1.0), std::pair(&pseudo_, -1.0)}) {
    std::vector<AngularParts> components;
    for (const Moments& component : moments) components.push_back(density(*side, component, components.empty()));
    const bool with_small = vector && side == &all_electron_ && !radial_shares_.empty();
    if (with_small) add_small_components(moments, components);
    const SphereXc xc = sphere_xc(grid_, *xc_, components, derivatives != nullptr, spin_axis_);
    energy += sign * xc.energy;
    for (std::size_t s = 0; s < xc.derivatives.size(); ++s)
      add_derivatives(*side, xc.derivatives[s], sign, (*derivatives)[s]);
    if (with_small && derivatives != nullptr) add_small_derivatives(xc.derivatives, *derivatives);
  }
  return energy;
}

double OnsiteEnergy::energy(const ComponentMatrices& rho) const { return evaluate(rho, nullptr); }

OnsiteResult OnsiteEnergy::evaluate(const ComponentMatrices& rho) const {
  std::vector<Moments> derivatives;
  OnsiteResult result;
  result.energy = evaluate(rho, &derivatives);
  for (const Moments& channel : derivatives)
    pairs_.add_matrix(channel, result.d.emplace_back(rho[0].rows(), rho[0].columns()));
  return result;
}

double OnsiteEnergy::coulomb_product(const Matrix<std::complex<double>>& a,
                                     const Matrix<std::complex<double>>& b) const {
  const Moments of_a = potential(between_deltas_, pairs_.of(a)), moments = pairs_.of(b);
  return std::inner_product(of_a.begin(), of_a.end(), moments.begin(), 0.0);
}

}  // namespace wavegrid
