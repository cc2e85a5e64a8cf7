#include <algorithm>
#include <array>
#include <functional>

#include <wavegrid/base/units.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>
#include <wavegrid/terms/grid_preconditioner.hpp>

namespace wavegrid {

MeshFields::MeshFields(const Mesh& mesh, const Mesh& group_mesh, int threads, Profile* profile,
                       const std::optional<Transport>& transport)
    : mesh_(mesh),
      box_(mesh, threads, profile, transport),
      halo_(mesh, Transport::pairwise, threads),
      stencil_(mesh, threads) {
  if (&mesh != &group_mesh) exchange_.emplace(mesh.comm(), mesh.ids(), group_mesh.ids(), transport);
}

void MeshFields::set_symmetry(const SpaceGroup& symmetry) {
  symmetriser_.reset();
  moment_symmetriser_.reset();
  if (symmetry.is_identity()) return;
  symmetriser_.emplace(box_.fft(), symmetry);
  if (symmetry.is_magnetic()) moment_symmetriser_.emplace(box_.fft(), symmetry);
}

void MeshFields::symmetrise(Field& density) {
  if (!symmetriser_) return;
  MeshBox::Coefficients in_box = box_.to_box(density);
  symmetriser_->symmetrise(in_box);
  density = box_.to_mesh(in_box);
}

void MeshFields::symmetrise_moments(Field& x, Field& y, Field& z) {
  if (!moment_symmetriser_) return;
  std::array<MeshBox::Coefficients, 3> in_box{box_.to_box(x), box_.to_box(y), box_.to_box(z)};
  moment_symmetriser_->symmetrise({&in_box[0], &in_box[1], &in_box[2]});
  x = box_.to_mesh(in_box[0]);
  y = box_.to_mesh(in_box[1]);
  z = box_.to_mesh(in_box[2]);
}

FieldValues MeshFields::with_ghosts(const FieldValues& values) {
  FieldValues all(static_cast<std::size_t>(mesh_.num_points() + mesh_.num_ghosts()));
  std::copy(values.begin(), values.end(), all.begin());
  halo_.fill(all.data(), 1);
  return all;
}

std::vector<Int3> MeshFields::point_indices() const {
  std::vector<Int3> points;
  for (const Range& range : mesh_.ids().ranges())
    for (Index id = range.begin; id < range.end; ++id) points.push_back(mesh_.grid().point_of(id));
  return points;
}

double MeshFields::inner_product(const Field& a, const Field& b) const {
  return integrate([&](std::size_t i) { return a[i] * b[i]; });
}

std::vector<FieldValues> MeshFields::gradient(const Field& field) {
  const FieldValues values = with_ghosts(field);
  std::vector<FieldValues> slopes;
  for (int axis = 0; axis < dimensions; ++axis)
    stencil_.gradient(axis, values.data(), slopes.emplace_back(field.size()).data(), 1);
  return slopes;
}

MeshFields::Field MeshFields::divergence(std::span<const FieldValues> field) {
  FieldValues sum(field[0].size(), 0.0), slope(field[0].size());
  for (int axis = 0; axis < dimensions; ++axis) {
    const FieldValues values = with_ghosts(field[static_cast<std::size_t>(axis)]);
    stencil_.gradient(axis, values.data(), slope.data(), 1);
    std::transform(sum.begin(), sum.end(), slope.begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

MeshFields::Field MeshFields::laplacian(const Field& field) {
  const FieldValues values = with_ghosts(field);
  FieldValues result(field.size());
  stencil_.laplacian(values.data(), result.data(), 1, LaplacianTerms<double>{});
  return result;
}

double MeshFields::laplacian_centre() const { return -mesh_.pattern().laplacian_centre(); }

MeshFields::Field MeshFields::coulomb_potential(const Field& density) const {
  MeshBox::Coefficients potential = box_.to_box(density);
  for (std::size_t i = 0; i < potential.size(); ++i) potential[i] *= box_.coulomb()[i];
  return box_.to_mesh(potential);
}

double MeshFields::coulomb_energy(const Field& density) const {
  const MeshBox::Coefficients coefficients = box_.to_box(density);
  const GridFft& fft = box_.fft();
  return 0.5 * fft.waves().lattice().volume() *
         fft.over_waves()([&](std::size_t i) { return box_.coulomb()[i] * std::norm(coefficients[i]); });
}

MeshFields::Field MeshFields::moment_potential(const Field& moment) const {
  MeshBox::Coefficients potential = box_.to_box(moment);
  const std::vector<double>& kinetic = box_.fft().waves().kinetic();
  for (std::size_t i = 0; i < potential.size(); ++i) potential[i] *= 4.0 * units::pi / std::max(2.0 * kinetic[i], 1.0);
  return box_.to_mesh(potential);
}

double MeshFields::change_energy(const std::vector<Field>& change) const {
  double energy = coulomb_energy(change[0]);
  for (std::size_t c = 1; c < change.size(); ++c) energy += 0.5 * inner_product(change[c], moment_potential(change[c]));
  return energy;
}

std::vector<double> MeshFields::mixing_products(const std::vector<Field>& a,
                                                const std::vector<const std::vector<Field>*>& others) const {
  std::vector<Field> potentials{coulomb_potential(a[0])};
  for (std::size_t c = 1; c < a.size(); ++c) potentials.push_back(moment_potential(a[c]));
  std::vector<double> products;
  for (const std::vector<Field>* other : others)
    products.push_back(integrate([&](std::size_t i) {
      double sum = 0;
      for (std::size_t c = 0; c < potentials.size(); ++c) sum += potentials[c][i] * (*other)[c][i];
      return sum;
    }));
  return products;
}

void MeshFields::precondition(const Preconditioner& preconditioner, const FieldValues& ldos, Field& change) {
  if (preconditioner.kind == PreconditionerKind::none) return;
  MeshBox::Coefficients in_box = box_.to_box(change);
  switch (preconditioner.kind) {
    case PreconditionerKind::none:
      break;
    case PreconditionerKind::kerker:
      precondition_by_kerker(box_.fft().waves(), preconditioner.k0, in_box);
      break;
    case PreconditionerKind::dielectric:
      precondition_by_dielectric(box_.fft().waves(), preconditioner.epsilon, in_box);
      break;
    case PreconditionerKind::ldos:
      precondition_by_ldos(box_.fft(), box_.on_grid(ldos), in_box);
      break;
  }
  change = box_.to_mesh(in_box);
}

void MeshFields::remove_mean(Field& change) const {
  const double mean = integrate([&](std::size_t i) { return change[i]; }) / integrate([](std::size_t) { return 1.0; });
  for (double& value : change) value -= mean;
}

}  // namespace wavegrid
