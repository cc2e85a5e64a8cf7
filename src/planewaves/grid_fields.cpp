#include <algorithm>
#include <utility>

#include <wavegrid/base/units.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/potential_cut.hpp>
#include <wavegrid/terms/core_density.hpp>
#include <wavegrid/terms/grid_preconditioner.hpp>
#include <wavegrid/terms/hartree.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

/// G_axis (1/bohr) for derivatives: 0 where an integer coordinate is -N/2.
double slope(const Int3& g, const Int3& grid, const Mat3& reciprocal, std::size_t axis) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (2 * std::abs(g[i]) == grid[i]) return 0;
    sum += g[i] * reciprocal[i][axis];
  }
  return sum;
}

/// The coefficients of df/dx_a, as functions of the local index of G.
auto derivative_of(const GridFft& grid, const GridFields::Field& f, std::size_t axis) {
  return [&grid, &f, axis](std::size_t i) {
    const PlaneWaves& waves = grid.waves();
    const double g = slope(waves.g()[i], grid.grid(), waves.lattice().reciprocal(), axis);
    return Complex(-g * f[i].imag(), g * f[i].real());
  };
}

/// f(G) = of(local index of G); `of` may read the old f of the same G.
template <class Coefficient>
void set_all(GridFields::Field& f, Coefficient of) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = of(i);
}

Complex times_i(const Complex& z) { return {-z.imag(), z.real()}; }

/// None where both grids are the same and the density's sphere has all products of two bands.
std::unique_ptr<GridTransfer> make_transfer(GridFft& fields, const Int3& grid, double ecut,
                                            const GridFields::Distribution& distribution, const FftOptions& options,
                                            const std::optional<DensityGrid>& density) {
  if (!density || (density->grid == grid && density->ecut >= 4.0 * ecut)) return nullptr;
  const double cut = transfer_cut(fields.waves().lattice(), grid, ecut, density->ecut);
  return std::make_unique<GridTransfer>(fields, distribution.ranks, grid, distribution.scheme, cut, options);
}

double real_product(const Complex& a, const Complex& b) { return a.real() * b.real() + a.imag() * b.imag(); }

}  // namespace

GridFields::GridFields(const Lattice& lattice, const Int3& grid, double ecut, const SpaceGroup& symmetry,
                       const Distribution& distribution, const FftOptions& options,
                       const std::optional<DensityGrid>& density, const std::array<bool, 3>& periodic, double radius)
    : grid_(distribution.ranks, lattice, density ? density->grid : grid, distribution.scheme, options),
      has_density_cut_(density.has_value()),
      inside_(density ? inside_density_cut(grid_.waves(), density->ecut)
                      : inside_potential_cut(grid_.waves(), grid, ecut)),
      free_(grid_, periodic, radius, inside_),
      transfer_(make_transfer(grid_, grid, ecut, distribution, options, density)),
      exchange_(distribution.ranks.all(), grid_indices((transfer_ ? transfer_->bands_grid() : grid_).layout()),
                grid_indices(distribution.group_layout), distribution.transport),
      symmetriser_(grid_, symmetry) {
  if (symmetry.is_magnetic()) moment_symmetriser_.emplace(grid_, symmetry);
  const PlaneWaves& box = grid_.waves();
  for (Index i = 0; i < box.size(); ++i) {
    const double g2 = 2.0 * box.kinetic()[static_cast<std::size_t>(i)];
    charge_metric_.push_back(i == box.zero() ? 0.0 : 1.0 / g2);
    moment_metric_.push_back(1.0 / std::max(g2, 1.0));
  }
}

void GridFields::set_symmetry(const SpaceGroup& symmetry) {
  symmetriser_ = DensitySymmetriser(grid_, symmetry);
  moment_symmetriser_.reset();
  if (symmetry.is_magnetic()) moment_symmetriser_.emplace(grid_, symmetry);
}

double GridFields::inner_product(const Field& a, const Field& b) const {
  return grid_.waves().lattice().volume() *
         grid_.over_waves()([&](std::size_t i) { return (std::conj(a[i]) * b[i]).real(); });
}

std::vector<Int3> GridFields::point_indices() const {
  const FftLayout& layout = grid_.layout();
  std::vector<Int3> points;
  for (Index x = layout.x.begin; x < layout.x.end; ++x)
    for (Index y = layout.y.begin; y < layout.y.end; ++y)
      for (int z = 0; z < layout.grid[2]; ++z) points.push_back({static_cast<int>(x), static_cast<int>(y), z});
  return points;
}

std::vector<FieldValues> GridFields::gradient(const Field& field) {
  const auto x = derivative_of(grid_, field, 0), y = derivative_of(grid_, field, 1), z = derivative_of(grid_, field, 2);
  Field work(field.size());
  set_all(work, [&](std::size_t i) { return x(i) + times_i(y(i)); });
  auto [x_derivative, y_derivative] = grid_.to_real_pair(work);
  set_all(work, z);
  std::vector<FieldValues> result;
  result.push_back(std::move(x_derivative));
  result.push_back(std::move(y_derivative));
  result.push_back(grid_.to_real(work));
  return result;
}

GridFields::Field GridFields::divergence(std::span<const FieldValues> field) {
  Field sum = grid_.to_recip(field[2]);
  set_all(sum, derivative_of(grid_, sum, 2));
  const Field xy = grid_.to_recip(field[0], field[1]);  // of f_x + i f_y
  const auto x = derivative_of(grid_, xy, 0), y = derivative_of(grid_, xy, 1);
  // The real part of -i d(f_x + i f_y)/dy is df_y/dy.
  set_all(sum, [&](std::size_t i) { return sum[i] + x(i) - times_i(y(i)); });
  return sum;
}

GridFields::Field GridFields::laplacian(const Field& field) const {
  Field result(field);
  set_all(result, [&](std::size_t i) { return -2.0 * grid_.waves().kinetic()[i] * result[i]; });
  return result;
}

GridFields::Field GridFields::coulomb_potential(const Field& density) const {
  if (!free_.any()) return hartree_potential(grid_.waves(), inside_, density);
  Field potential(density);
  for (std::size_t i = 0; i < potential.size(); ++i) potential[i] *= free_.coulomb()[i];
  return potential;
}

double GridFields::coulomb_energy(const Field& density) const {
  if (!free_.any()) return hartree_energy(grid_, inside_, density);
  return 0.5 * grid_.waves().lattice().volume() *
         grid_.over_waves()([&](std::size_t i) { return free_.coulomb()[i] * std::norm(density[i]); });
}

double GridFields::change_energy(const std::vector<Field>& change) const {
  double energy = coulomb_energy(change[0]);
  for (std::size_t c = 1; c < change.size(); ++c)
    energy += 0.5 * grid_.waves().lattice().volume() * 4.0 * units::pi *
              grid_.over_waves()([&](std::size_t i) { return std::norm(change[c][i]) * moment_metric_[i]; });
  return energy;
}

std::vector<double> GridFields::mixing_products(const std::vector<Field>& a,
                                                const std::vector<const std::vector<Field>*>& others) const {
  const double factor = 4.0 * units::pi * grid_.waves().lattice().volume();
  std::vector<double> products;
  for (const std::vector<Field>* other : others) {
    const std::vector<Field>& b = *other;
    products.push_back(factor * grid_.over_waves()([&](std::size_t i) {
      double sum = charge_metric_[i] * real_product(a[0][i], b[0][i]);
      for (std::size_t c = 1; c < a.size(); ++c) sum += moment_metric_[i] * real_product(a[c][i], b[c][i]);
      return sum;
    }));
  }
  return products;
}

void GridFields::precondition(const Preconditioner& preconditioner, const FieldValues& ldos, Field& change) {
  switch (preconditioner.kind) {
    case PreconditionerKind::none:
      return;
    case PreconditionerKind::kerker:
      return precondition_by_kerker(grid_.waves(), preconditioner.k0, change);
    case PreconditionerKind::dielectric:
      return precondition_by_dielectric(grid_.waves(), preconditioner.epsilon, change);
    case PreconditionerKind::ldos:
      return precondition_by_ldos(grid_, ldos, change);
  }
}

void GridFields::remove_mean(Field& change) const {
  if (const Index zero = grid_.waves().zero(); zero >= 0) change[static_cast<std::size_t>(zero)] = 0;
}

double grid_potential_bytes(const Xc& xc, const Pseudopotentials& atoms, Index waves, Index points) {
  const bool core = std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) { return atom->has_core_density(); });
  double bytes = static_cast<double>(waves) * (sizeof(char) + sizeof(Complex));
  if (core) bytes += static_cast<double>(points) * sizeof(double);
  if (core && xc.needs_gradient()) bytes += static_cast<double>(waves) * sizeof(Complex);
  return bytes;
}

double grid_potential_evaluation_bytes(const Xc& xc, Index waves, Index points) {
  const double field_bytes = static_cast<double>(points) * sizeof(double), potential = xc.spins() * field_bytes;
  const double coefficients = static_cast<double>(waves) * sizeof(Complex);
  // With gradients three derivatives for each spin, and one field and three sets of coefficients during a transform;
  // the energy at every point in any case.
  const double xc_part =
      xc.needs_gradient() ? 4.0 * potential + field_bytes + 3.0 * coefficients : potential + field_bytes;
  const double tau_bytes = xc.needs_tau() ? 2.0 * potential : 0.0;  // its values and v_tau
  return tau_bytes + std::max(xc_part, coefficients + potential + field_bytes);
}

}  // namespace wavegrid
