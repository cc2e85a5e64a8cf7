#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include <wavegrid/atom/atom_augmentation.hpp>
#include <wavegrid/atom/atom_onsite.hpp>
#include <wavegrid/atom/confinement.hpp>
#include <wavegrid/atom/potential_space.hpp>
#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/atom/radial_basis.hpp>
#include <wavegrid/atom/shells.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/scf/mixer.hpp>

namespace wavegrid {
namespace {

/// The Hamiltonian of one angular momentum and its eigenstates.
struct Channel {
  Shell shell;
  RadialBasis basis;
  Matrix<double> fixed;           // H without V_H + v_xc, Ha
  std::vector<double> energies;   // Ha, ascending
  Matrix<double> coefficients{};  // (basis, basis), one column for each level
  Matrix<double> combinations{};  // orthonormal with S; empty: those of the basis are
  std::optional<AtomAugmentation> augmentation{};

  [[nodiscard]] std::span<const double> coefficients_of(int level) const {
    return {&coefficients(0, level), static_cast<std::size_t>(basis.size())};
  }
  [[nodiscard]] RadialValues radial_function(int level) const { return basis.combine(coefficients_of(level)); }
};

RadialValues ion_potential(const Pseudopotential& pseudopotential, const RadialValues& r, double confinement_radius) {
  RadialValues v(r.size(), 0.0);
  for (std::size_t p = 1; p < r.size(); ++p)
    v[p] = pseudopotential.local_radial(r[p]) + confinement(r[p], confinement_radius);
  return v;
}

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.columns());
  for (Index j = 0; j < b.columns(); ++j)
    for (Index k = 0; k < a.columns(); ++k)
      for (Index i = 0; i < a.rows(); ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> t(a.columns(), a.rows());
  for (Index j = 0; j < a.columns(); ++j)
    for (Index i = 0; i < a.rows(); ++i) t(j, i) = a(i, j);
  return t;
}

/// X of X^T S X = 1, without the functions in which a symmetric S is small. That of some datasets is negative for one
/// narrow function (JTH's silicon: -0.004), of which neither low levels nor plane waves below a cutoff have much.
Matrix<double> orthonormal_combinations(Matrix<double> s) {
  constexpr double least = 0.05, lowest = -0.1;
  const Index n = s.columns();
  std::vector<double> values(static_cast<std::size_t>(n));
  lapack::eigen_in_place(n, s.data(), n, values.data());
  if (!(values.front() > lowest))
    throw bad_input("the overlap of a dataset has the eigenvalue " + to_text(values.front()) +
                    "; valid are datasets whose overlap is positive");
  const auto left_out = static_cast<Index>(std::lower_bound(values.begin(), values.end(), least) - values.begin());
  Matrix<double> combinations(n, n - left_out);
  for (Index k = left_out; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      combinations(i, k - left_out) = s(i, k) / std::sqrt(values[static_cast<std::size_t>(k)]);
  return combinations;
}

/// H x = e S x of the matrix in `coefficients`.
void solve_generalised(Channel& channel) {
  const Matrix<double>& x = channel.combinations;
  Matrix<double> h = product(transposed(x), product(channel.coefficients, x));
  channel.energies.resize(static_cast<std::size_t>(h.columns()));
  lapack::eigen_in_place(h.columns(), h.data(), h.rows(), channel.energies.data());
  channel.coefficients = product(x, h);
}

/// What a dataset adds to the couplings and the overlap of a channel.
void add_augmentation(const AugmentedDataset& dataset, const RadialGrid& grid, const RadialValues& ion,
                      std::vector<std::vector<double>> projections, Channel& channel) {
  channel.augmentation.emplace(dataset, channel.shell.l, grid, std::move(projections));
  channel.augmentation->add_couplings(ion, channel.fixed);
  Matrix<double> s(channel.basis.size(), channel.basis.size());
  for (Index k = 0; k < s.columns(); ++k) s(k, k) = 1;
  channel.augmentation->add_overlap(s);
  channel.combinations = orthonormal_combinations(std::move(s));
}

/// Adds sum_ij |p_i> h_ij <p_j| over the projectors of the channel's angular momentum.
void add_nonlocal(const Pseudopotential& pseudopotential, const RadialGrid& grid, const RadialValues& ion,
                  Channel& channel) {
  const RadialValues& r = grid.r();
  const std::size_t n = channel.energies.size();
  for (int c = 0; c < pseudopotential.num_channels(); ++c) {
    if (pseudopotential.channel_l(c) != channel.shell.l) continue;
    std::vector<std::vector<double>> overlaps;  // <p_i|f_k>
    for (int i = 0; i < pseudopotential.num_projectors(c); ++i) {
      RadialValues projector(r.size());
      for (std::size_t p = 1; p < r.size(); ++p) projector[p] = pseudopotential.projector_radial(c, i, r[p]);
      overlaps.push_back(channel.basis.overlaps(projector));
    }
    for (std::size_t i = 0; i < overlaps.size(); ++i)
      for (std::size_t j = 0; j < overlaps.size(); ++j) {
        const double coupling = pseudopotential.coupling(c, static_cast<int>(i), static_cast<int>(j));
        for (std::size_t k = 0; k < n; ++k)
          for (std::size_t m = 0; m < n; ++m)
            channel.fixed(static_cast<Index>(m), static_cast<Index>(k)) += overlaps[i][m] * coupling * overlaps[j][k];
      }
    if (pseudopotential.augmented() != nullptr)
      add_augmentation(*pseudopotential.augmented(), grid, ion, std::move(overlaps), channel);
  }
}

std::vector<Channel> make_channels(const Pseudopotential& pseudopotential, const RadialGrid& grid,
                                   double confinement_radius) {
  const RadialValues ion = ion_potential(pseudopotential, grid.r(), confinement_radius);
  std::vector<Channel> channels;
  for (const Shell& shell : atomic_shells(pseudopotential)) {
    RadialBasis basis(grid, shell.l);
    Channel& channel =
        channels.emplace_back(Channel{shell, basis, basis.kinetic(), std::vector<double>(basis.size(), 0.0)});
    basis.add_potential(ion, channel.fixed);
    add_nonlocal(pseudopotential, grid, ion, channel);
  }
  return channels;
}

/// `onsite`: null without.
void solve(Channel& channel, const RadialValues& screening, const Matrix<double>* onsite) {
  const Index n = channel.basis.size();
  channel.coefficients = channel.fixed;
  channel.basis.add_potential(screening, channel.coefficients);
  if (channel.augmentation) {
    channel.augmentation->add_couplings(screening, channel.coefficients);
    if (onsite != nullptr) channel.augmentation->add_couplings(*onsite, channel.coefficients);
  }
  const double* const h = channel.coefficients.data();
  if (!std::all_of(h, h + n * n, [](double element) { return std::isfinite(element); }))
    throw bad_input("the pseudo-atom has no finite Hamiltonian; valid is a pseudopotential without huge numbers");
  if (channel.augmentation)
    solve_generalised(channel);
  else
    lapack::eigen_in_place(n, channel.coefficients.data(), n, channel.energies.data());
}

/// The density of the pseudo-waves, and that of the augmentation.
struct AtomDensity {
  RadialValues smooth = RadialValues(RadialGrid::num_points, 0.0), augmentation = smooth;

  [[nodiscard]] RadialValues total() const {
    RadialValues sum(smooth);
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += augmentation[p];
    return sum;
  }
};

AtomDensity density_of(const std::vector<Channel>& channels) {
  AtomDensity rho;
  for (const Channel& channel : channels)
    for (int level = 0; level < channel.shell.num_levels; ++level) {
      const double share = channel.shell.occupation(level) / (4.0 * units::pi);
      if (share == 0.0) continue;
      const RadialValues radial = channel.radial_function(level);
      for (std::size_t p = 0; p < radial.size(); ++p) rho.smooth[p] += share * radial[p] * radial[p];
      if (channel.augmentation)
        channel.augmentation->add_density(channel.coefficients_of(level), share, rho.augmentation);
    }
  return rho;
}

double sum_of_eigenvalues(const std::vector<Channel>& channels) {
  double sum = 0.0;
  for (const Channel& channel : channels)
    for (int level = 0; level < channel.shell.num_levels; ++level)
      sum += channel.shell.occupation(level) * channel.energies[static_cast<std::size_t>(level)];
  return sum;
}

/// A smooth initial density: half the charge compact, half at the size of the valence shell.
RadialValues initial_density(const RadialValues& r, double electrons) {
  RadialValues rho(r.size(), 0.0);
  for (const double a : {0.25, 1.0})
    for (std::size_t p = 0; p < r.size(); ++p)
      rho[p] += 0.5 * electrons * std::pow(a / units::pi, 1.5) * std::exp(-a * r[p] * r[p]);
  return rho;
}

/// rho_ij of the levels.
AtomMatrices matrices_of(const std::vector<Channel>& channels, const AtomOnsite& onsite) {
  AtomMatrices rho{onsite.zeros()};
  for (const Channel& channel : channels)
    for (int level = 0; level < channel.shell.num_levels; ++level)
      if (const double f = channel.shell.occupation(level); f > 0.0 && channel.augmentation)
        onsite.add_level(channel.shell.l, f, channel.augmentation->projections(channel.coefficients_of(level)), rho[0]);
  return rho;
}

/// The potential of a density with rho_ij, and the derivatives by these.
Screening screen(const RadialGrid& grid, const LocalXc& xc, const AtomDensity& density, const AtomOnsite* onsite,
                 const AtomMatrices& rho, AtomMatrices& derivatives) {
  if (onsite == nullptr) return screen(grid, xc, density.total(), density.total());
  Screening found = screen(grid, xc, density.total(), onsite->xc_density(density.smooth, density.augmentation));
  OnsiteResult result = onsite->evaluate(rho[0], found.xc);
  found.energy_correction += result.energy - contraction(result.d, rho);
  derivatives = std::move(result.d);
  return found;
}

/// The density of the dataset, where it has one.
AtomDensity onsite_density(const AtomOnsite& onsite, const Matrix<std::complex<double>>& rho, AtomDensity otherwise) {
  std::optional<RadialValues> total = onsite.initial_density();
  if (!total) return otherwise;
  AtomDensity density{.smooth = std::move(*total), .augmentation = onsite.charge(rho)};
  for (std::size_t p = 0; p < density.smooth.size(); ++p) density.smooth[p] -= density.augmentation[p];
  return density;
}

void iterate(std::vector<Channel>& channels, const RadialGrid& grid, const LocalXc& xc, double electrons,
             const AtomOnsite* onsite, const PseudoAtomOptions& options, PseudoAtom& atom) {
  AtomDensity initial{.smooth = initial_density(grid.r(), electrons)};
  AtomMatrices rho, couplings, found;  // of rho_ij, and its derivatives: input and output
  if (onsite != nullptr) {
    rho = {onsite->initial()};
    initial = onsite_density(*onsite, rho[0], std::move(initial));
  }
  RadialValues potential = screen(grid, xc, initial, onsite, rho, couplings).potential;
  RadialValues residual(potential.size()), distance(potential.size());
  PotentialSpace space(grid, initial.total());
  Mixer<PotentialSpace> mixer(space, {.beta = 0.4, .history = 5});
  while (!atom.converged && atom.iterations < options.max_iterations) {
    for (Channel& channel : channels) {
      const auto d = onsite == nullptr ? std::nullopt : std::optional(onsite->radial(channel.shell.l, couplings[0]));
      solve(channel, potential, d ? &*d : nullptr);
    }
    const AtomDensity density = density_of(channels);
    atom.density = density.total();
    if (onsite != nullptr) rho = matrices_of(channels, *onsite);
    const Screening output = screen(grid, xc, density, onsite, rho, found);
    for (std::size_t p = 0; p < potential.size(); ++p) {
      residual[p] = output.potential[p] - potential[p];
      distance[p] = std::abs(residual[p]);
    }
    atom.energy = sum_of_eigenvalues(channels) + output.energy_correction + grid.integrate(residual, atom.density) +
                  contraction(found, rho) - contraction(couplings, rho);
    atom.converged = grid.integrate(distance, atom.density) <= options.tolerance * electrons;
    ++atom.iterations;
    if (atom.converged) break;
    Density<PotentialSpace> next = mixer.next({{potential}, {}, {couplings}}, {{output.potential}, {}, {found}});
    potential = std::move(next.n.front());
    couplings = std::move(next.matrices.front());
  }
  if (onsite != nullptr) atom.matrix = std::move(rho[0]);
}

/// Pseudo-levels lie near those of the valence electrons. One far below all levels of the bare nucleus, -Z^2 /
/// 2(l+1)^2, is a ghost state of a damaged potential.
void refuse_ghosts(const Pseudopotential& pseudopotential, const std::vector<Channel>& channels) {
  const int number = atomic_number(pseudopotential.element());
  for (const Channel& channel : channels)
    if (const double bound = -std::pow(number / (channel.shell.l + 1.0), 2), found = channel.energies.front();
        number > 0 && found < bound)
      throw bad_input("the pseudopotential of " + pseudopotential.element() +
                      " has a ghost state of l = " + std::to_string(channel.shell.l) + " at " + to_text(found) +
                      " Ha; valid are levels above " + to_text(bound) + " Ha, twice the lowest of the nucleus");
}

}  // namespace

PseudoAtom solve_pseudo_atom(const Pseudopotential& pseudopotential, const LocalXc& xc,
                             const PseudoAtomOptions& options) {
  const RadialGrid grid;
  std::vector<Channel> channels = make_channels(pseudopotential, grid, options.confinement_radius);
  PseudoAtom atom{.spacing = RadialGrid::spacing, .r = grid.r()};
  std::optional<AtomOnsite> onsite;
  if (options.onsite) onsite.emplace(*pseudopotential.augmented(), *options.onsite, grid);
  iterate(channels, grid, xc, pseudopotential.valence_charge(), onsite ? &*onsite : nullptr, options, atom);
  refuse_ghosts(pseudopotential, channels);
  for (const Channel& channel : channels)
    for (int level = 0; level < channel.shell.num_levels; ++level) {
      const RadialValues radial = channel.radial_function(level);
      atom.orbitals.push_back(
          {channel.shell.l, channel.energies[static_cast<std::size_t>(level)], channel.shell.occupation(level), radial,
           std::make_shared<RadialTransform>(channel.shell.l, RadialGrid::spacing, std::span(radial).subspan(1))});
    }
  return atom;
}

}  // namespace wavegrid
