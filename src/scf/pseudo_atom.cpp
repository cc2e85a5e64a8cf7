#include "scf/pseudo_atom.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/units.hpp"
#include "xc/xc.hpp"

// LAPACK's own entry: OpenBLAS as Debian builds it has no LAPACKE.
extern "C" void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* values,
                       double* work, const int* lwork, int* info);

namespace wavegrid {
namespace {

constexpr double spacing = 0.03;  // bohr; resolves products of the tightest functions to 1e-12
constexpr std::size_t num_points = 680;
constexpr int num_exponents = 18;
constexpr double smallest_exponent = 0.03, largest_exponent = 60.0;  // 1/bohr^2
constexpr double confinement_height = 0.1;                           // Ha at r_c

using Vector = std::vector<double>;

/// A dense row-major matrix, for 18 functions on 680 points.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  Vector data;

  Matrix(std::size_t m, std::size_t n) : rows(m), columns(n), data(m * n, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return data[i * columns + j]; }
  double operator()(std::size_t i, std::size_t j) const { return data[i * columns + j]; }
};

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Matrix transpose(const Matrix& a) {
  Matrix t(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  return t;
}

/// Eigenvalues of a symmetric matrix, rising; its rows become the eigenvectors.
Vector diagonalise(Matrix& a) {
  const int n = static_cast<int>(a.rows), lwork = 34 * n;
  Vector values(a.rows), work(static_cast<std::size_t>(lwork));
  int info = 0;
  dsyev_("V", "U", &n, a.data.data(), &n, values.data(), work.data(), &lwork, &info);
  if (info != 0) throw internal_error("pseudo-atom: LAPACK's dsyev failed with info " + std::to_string(info));
  return values;
}

/// The radial functions of one angular momentum, orthonormal on the grid, and what acts on them.
struct Channel {
  int l;
  double electrons;
  std::size_t num_levels;
  Matrix functions;     // (points, functions), bohr^-3/2
  Matrix fixed;         // Hamiltonian without V_H + v_xc, Ha
  Vector energies{};    // Ha
  Matrix levels{0, 0};  // (functions, coefficients)

  [[nodiscard]] double occupation(std::size_t level) const {
    const double capacity = 2.0 * (2 * l + 1);
    return std::clamp(electrons - static_cast<double>(level) * capacity, 0.0, capacity);
  }
};

Vector radii() {
  Vector r(num_points);
  for (std::size_t i = 0; i < num_points; ++i) r[i] = static_cast<double>(i) * spacing;
  return r;
}

/// Adds int r^2 f_i V f_j dr; V[0] does not matter.
void add_potential(const Matrix& functions, const Vector& r, const Vector& potential, Matrix& h) {
  const std::size_t n = functions.columns;
  for (std::size_t p = 1; p < r.size(); ++p) {
    const double* f = &functions.data[p * n];
    const double weight = spacing * r[p] * r[p] * potential[p];
    for (std::size_t i = 0; i < n; ++i) {
      const double scaled = weight * f[i];
      for (std::size_t j = 0; j < n; ++j) h.data[i * n + j] += scaled * f[j];
    }
  }
}

Vector exponents() {
  Vector a(num_exponents);
  const double ratio = std::pow(largest_exponent / smallest_exponent, 1.0 / (num_exponents - 1));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = smallest_exponent * std::pow(ratio, static_cast<double>(i));
  return a;
}

/// Normalised r^l exp(-a r^2) on the grid.
Matrix gaussians(int l, const Vector& a, const Vector& r) {
  Matrix g(r.size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double norm = std::sqrt(2.0 * std::pow(2.0 * a[i], l + 1.5) / std::tgamma(l + 1.5));
    for (std::size_t p = 0; p < r.size(); ++p) g(p, i) = norm * std::pow(r[p], l) * std::exp(-a[i] * r[p] * r[p]);
  }
  return g;
}

/// Overlap and kinetic energy of the normalised Gaussians, in closed form.
std::pair<Matrix, Matrix> overlap_and_kinetic(int l, const Vector& a) {
  Matrix s(a.size(), a.size()), t(a.size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double sum = a[i] + a[j], product = a[i] * a[j];
      s(i, j) = std::pow(2.0 * std::sqrt(product) / sum, l + 1.5);
      t(i, j) = (2 * l + 3) * product / sum * s(i, j);
    }
  return {std::move(s), std::move(t)};
}

/// Canonical orthogonalisation: columns x with x^T s x = 1, nearly dependent combinations left out.
Matrix orthogonaliser(Matrix s) {
  const Vector values = diagonalise(s);
  const auto kept =
      static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](double v) { return v > 1e-7; }));
  const std::size_t dropped = values.size() - kept;
  Matrix x(values.size(), kept);
  for (std::size_t k = 0; k < kept; ++k)
    for (std::size_t i = 0; i < values.size(); ++i) x(i, k) = s(k + dropped, i) / std::sqrt(values[k + dropped]);
  return x;
}

/// sum_ij |p_i> h_ij <p_j| over the projectors of angular momentum l.
void add_nonlocal(const Pseudopotential& pseudopotential, const Vector& r, Channel& channel) {
  for (int c = 0; c < pseudopotential.num_channels(); ++c) {
    if (pseudopotential.channel_l(c) != channel.l) continue;
    const int num = pseudopotential.num_projectors(c);
    const std::size_t n = channel.functions.columns;
    Matrix overlap(static_cast<std::size_t>(num), n), coupling(overlap.rows, overlap.rows);
    for (int i = 0; i < num; ++i) {
      for (std::size_t p = 1; p < r.size(); ++p) {
        const double weight = spacing * r[p] * r[p] * pseudopotential.projector_radial(c, i, r[p]);
        for (std::size_t k = 0; k < n; ++k) overlap(static_cast<std::size_t>(i), k) += weight * channel.functions(p, k);
      }
      for (int j = 0; j < num; ++j)
        coupling(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = pseudopotential.coupling(c, i, j);
    }
    const Matrix term = multiply(transpose(overlap), multiply(coupling, overlap));
    for (std::size_t k = 0; k < term.data.size(); ++k) channel.fixed.data[k] += term.data[k];
  }
}

Vector ion_potential(const Pseudopotential& pseudopotential, const Vector& r, double confinement_radius) {
  Vector v(r.size(), 0.0);
  for (std::size_t p = 1; p < r.size(); ++p)
    v[p] = pseudopotential.local_radial(r[p]) + confinement_height * std::pow(r[p] / confinement_radius, 8);
  return v;
}

/// Electrons and number of levels per l: occupied ones, at least one s and one p, as many p as s.
std::vector<std::pair<double, std::size_t>> shells(const Pseudopotential& pseudopotential) {
  const auto& electrons = pseudopotential.valence_occupation();
  std::vector<std::pair<double, std::size_t>> out(2, {0.0, 0});
  for (std::size_t l = 0; l < electrons.size(); ++l) {
    if (electrons[l] <= 0.0) continue;
    out.resize(std::max(out.size(), l + 1), {0.0, 0});
    const double capacity = static_cast<double>(2 * (2 * l + 1));
    out[l] = {electrons[l], static_cast<std::size_t>(std::ceil(electrons[l] / capacity - 1e-9))};
  }
  out[0].second = std::max<std::size_t>(out[0].second, 1);
  out[1].second = std::max(out[1].second, out[0].second);
  return out;
}

Channel make_channel(const Pseudopotential& pseudopotential, int l, double electrons, std::size_t num_levels,
                     const Vector& r, const Vector& ion) {
  const Vector a = exponents();
  auto [overlap, kinetic] = overlap_and_kinetic(l, a);
  const Matrix x = orthogonaliser(std::move(overlap));
  Channel channel{l, electrons, num_levels, multiply(gaussians(l, a, r), x),
                  multiply(transpose(x), multiply(kinetic, x))};
  add_potential(channel.functions, r, ion, channel.fixed);
  add_nonlocal(pseudopotential, r, channel);
  return channel;
}

std::vector<Channel> make_channels(const Pseudopotential& pseudopotential, const Vector& r, const Vector& ion) {
  std::vector<Channel> channels;
  double sum = 0.0;
  int l = 0;
  for (const auto& [electrons, num_levels] : shells(pseudopotential)) {
    if (num_levels > 0) channels.push_back(make_channel(pseudopotential, l, electrons, num_levels, r, ion));
    sum += electrons;
    ++l;
  }
  if (std::abs(sum - pseudopotential.valence_charge()) > 1e-6)
    throw bad_input("pseudopotential of " + pseudopotential.element() + ": the valence occupations add up to " +
                    std::to_string(sum) + " electrons, the valence charge is " +
                    std::to_string(pseudopotential.valence_charge()) + "; they must agree");
  return channels;
}

void solve(Channel& channel, const Vector& r, const Vector& potential) {
  channel.levels = channel.fixed;
  add_potential(channel.functions, r, potential, channel.levels);
  channel.energies = diagonalise(channel.levels);
}

/// R(r) of one level.
Vector radial_function(const Channel& channel, std::size_t level) {
  Vector out(channel.functions.rows, 0.0);
  for (std::size_t p = 0; p < out.size(); ++p)
    for (std::size_t k = 0; k < channel.functions.columns; ++k)
      out[p] += channel.functions(p, k) * channel.levels(level, k);
  return out;
}

Vector density_of(const std::vector<Channel>& channels) {
  Vector rho(num_points, 0.0);
  for (const Channel& channel : channels)
    for (std::size_t level = 0; level < channel.num_levels; ++level) {
      const double share = channel.occupation(level) / (4.0 * units::pi);
      if (share == 0.0) continue;
      const Vector radial = radial_function(channel, level);
      for (std::size_t p = 0; p < num_points; ++p) rho[p] += share * radial[p] * radial[p];
    }
  return rho;
}

/// int_0^r f for a function that is even (parity 1) or odd (-1) about r = 0 and has died out at the end; order h^7 per
/// step (the integral of the quintic through six points).
Vector cumulative(const Vector& f, double parity) {
  const auto at = [&](std::ptrdiff_t i) {
    if (i < 0) return parity * f[static_cast<std::size_t>(-i)];
    return i < std::ssize(f) ? f[static_cast<std::size_t>(i)] : 0.0;
  };
  Vector sum(f.size(), 0.0);
  for (std::ptrdiff_t i = 0; i + 1 < std::ssize(f); ++i) {
    const double step = 802.0 * (at(i) + at(i + 1)) - 93.0 * (at(i - 1) + at(i + 2)) + 11.0 * (at(i - 2) + at(i + 3));
    sum[static_cast<std::size_t>(i) + 1] = sum[static_cast<std::size_t>(i)] + spacing / 1440.0 * step;
  }
  return sum;
}

Vector hartree_potential(const Vector& r, const Vector& rho) {
  Vector shell(r.size()), ring(r.size());
  for (std::size_t p = 0; p < r.size(); ++p) {
    ring[p] = 4.0 * units::pi * r[p] * rho[p];
    shell[p] = r[p] * ring[p];
  }
  const Vector charge = cumulative(shell, 1.0), inner = cumulative(ring, -1.0);
  Vector v(r.size());
  for (std::size_t p = 0; p < r.size(); ++p) v[p] = (p > 0 ? charge[p] / r[p] : 0.0) + inner.back() - inner[p];
  return v;
}

/// 4 pi int r^2 f g dr
double integrate(const Vector& r, const Vector& f, const Vector& g) {
  double sum = 0.0;
  for (std::size_t p = 0; p < r.size(); ++p) sum += r[p] * r[p] * f[p] * g[p];
  return 4.0 * units::pi * spacing * sum;
}

/// The potential of a density, V_H + v_xc, and what that density contributes beyond the sum of eigenvalues.
struct Screening {
  Vector potential;
  double energy_correction;  // E_H + E_xc - int (V_H + v_xc) rho
};

Screening screen(const Xc& xc, const Vector& r, const Vector& rho) {
  Screening s{hartree_potential(r, rho), 0.0};
  Vector exc(r.size()), vxc(r.size());
  xc.evaluate(rho, exc, vxc);
  s.energy_correction =
      integrate(r, exc, Vector(r.size(), 1.0)) - 0.5 * integrate(r, s.potential, rho) - integrate(r, vxc, rho);
  for (std::size_t p = 0; p < r.size(); ++p) s.potential[p] += vxc[p];
  return s;
}

/// Anderson mixing with one step of history (D. G. Anderson, 10.1145/321296.321305), under the weight r^2 rho.
class Mixer {
 public:
  void mix(const Vector& r, const Vector& rho, const Vector& residual, Vector& potential) {
    double slope = 0.0, norm = 0.0;
    for (std::size_t p = 0; p < r.size() && !last_residual_.empty(); ++p) {
      const double weight = r[p] * r[p] * rho[p], change = residual[p] - last_residual_[p];
      slope += weight * change * residual[p];
      norm += weight * change * change;
    }
    const double back = norm > 0.0 ? std::clamp(slope / norm, -3.0, 0.9) : 0.0;
    Vector next = potential;
    for (std::size_t p = 0; p < r.size(); ++p) {
      const double last_v = last_residual_.empty() ? potential[p] : last_potential_[p];
      const double last_f = last_residual_.empty() ? residual[p] : last_residual_[p];
      next[p] = (1.0 - back) * (potential[p] + amplitude * residual[p]) + back * (last_v + amplitude * last_f);
    }
    last_potential_ = std::exchange(potential, std::move(next));
    last_residual_ = residual;
  }

 private:
  static constexpr double amplitude = 0.4;
  Vector last_potential_, last_residual_;
};

/// A smooth first density: half the charge compact, half at the size of the valence shell.
Vector first_density(const Vector& r, double electrons) {
  Vector rho(r.size(), 0.0);
  for (const double a : {0.25, 1.0})
    for (std::size_t p = 0; p < r.size(); ++p)
      rho[p] += 0.5 * electrons * std::pow(a / units::pi, 1.5) * std::exp(-a * r[p] * r[p]);
  return rho;
}

double band_energy(const std::vector<Channel>& channels) {
  double sum = 0.0;
  for (const Channel& channel : channels)
    for (std::size_t level = 0; level < channel.num_levels; ++level)
      sum += channel.occupation(level) * channel.energies[level];
  return sum;
}

void iterate(std::vector<Channel>& channels, double electrons, const PseudoAtomOptions& options, PseudoAtom& atom) {
  const Xc xc = Xc::parse("LDA_XC_TETER93");
  Vector potential = screen(xc, atom.r, first_density(atom.r, electrons)).potential;
  Vector residual(atom.r.size());
  Mixer mixer;
  while (!atom.converged && atom.iterations < options.max_iterations) {
    for (Channel& channel : channels) solve(channel, atom.r, potential);
    atom.density = density_of(channels);
    const Screening screening = screen(xc, atom.r, atom.density);
    double size = 0.0;
    for (std::size_t p = 0; p < residual.size(); ++p) residual[p] = screening.potential[p] - potential[p];
    for (std::size_t p = 0; p < residual.size(); ++p)
      size += 4.0 * units::pi * spacing * atom.r[p] * atom.r[p] * atom.density[p] * std::abs(residual[p]);
    atom.energy = band_energy(channels) + screening.energy_correction + integrate(atom.r, residual, atom.density);
    atom.converged = size <= options.tolerance * electrons;
    ++atom.iterations;
    if (!atom.converged) mixer.mix(atom.r, atom.density, residual, potential);
  }
}

}  // namespace

PseudoAtom solve_pseudo_atom(const Pseudopotential& pseudopotential, const PseudoAtomOptions& options) {
  PseudoAtom atom{.spacing = spacing, .r = radii()};
  const Vector ion = ion_potential(pseudopotential, atom.r, options.confinement_radius);
  std::vector<Channel> channels = make_channels(pseudopotential, atom.r, ion);
  iterate(channels, pseudopotential.valence_charge(), options, atom);
  for (const Channel& channel : channels)
    for (std::size_t level = 0; level < channel.num_levels; ++level)
      atom.orbitals.push_back(
          {channel.l, channel.energies[level], channel.occupation(level), radial_function(channel, level)});
  return atom;
}

}  // namespace wavegrid
