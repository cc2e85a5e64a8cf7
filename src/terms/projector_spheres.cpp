#include "terms/projector_spheres.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "atoms/spherical_harmonics.hpp"

namespace wavegrid {

namespace {

bool same_positions(const Crystal& a, const Crystal& b) {
  return std::equal(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(),
                    [](const Atom& x, const Atom& y) { return x.species == y.species && x.position == y.position; });
}

}  // namespace

template <class Real>
void ProjectorSpheres<Real>::set(const GridBlock& block, const Crystal& crystal, const Pseudopotentials& atoms) {
  const bool same_basis = crystal_ && block_ == block && crystal_->lattice.vectors() == crystal.lattice.vectors();
  if (same_basis && same_positions(*crystal_, crystal)) return;
  crystal_ = crystal;
  block_ = block;
  if (!same_basis) {
    const GridWaves waves = waves_of_grid(crystal.lattice, block.grid, filter_.ecut);
    const std::vector<FilteredProjectors> before = std::move(filtered_);
    filtered_.clear();
    for (std::size_t s = 0; s < atoms.size(); ++s) {
      const PseudoAtom& solved = filter_.pseudo_atoms[s];
      filtered_.push_back(before.empty() ? filter_to_accuracy(*atoms[s], solved, waves, filter_.accuracy)
                                         : filter_with_radius(*atoms[s], solved, waves, before[s].radius));
    }
  }
  place();
}

template <class Real>
void ProjectorSpheres<Real>::place() {
  spheres_.clear();
  runs_.clear();
  strengths_.clear();
  num_points_ = 0;
  Index values = 0;
  for (int a = 0; a < crystal_->num_atoms(); ++a) {
    const Atom& atom = crystal_->atoms[static_cast<std::size_t>(a)];
    const FilteredProjectors& projectors = filtered_[static_cast<std::size_t>(atom.species)];
    ProjectorSphere sphere{
        a, atom.species, {static_cast<Index>(runs_.size()), 0}, {num_points_, 0}, {num_projectors(), 0}, values};
    for (const FilteredProjector& one : projectors.all)
      strengths_.insert(strengths_.end(), static_cast<std::size_t>(2 * one.l + 1), one.strength);
    SphereInBlock(crystal_->lattice, block_, atom.position, projectors.radius)
        .for_runs(
            [&](Index line, Index z) {
              runs_.push_back({line, z, 0, num_points_});
            },
            [&](const Vec3&) { ++runs_.back().length, ++num_points_; });
    sphere.runs.end = static_cast<Index>(runs_.size());
    sphere.points.end = num_points_;
    sphere.projectors.end = num_projectors();
    values += sphere.points.size() * sphere.projectors.size();
    spheres_.push_back(sphere);
  }
  line_starts_.assign(static_cast<std::size_t>(block_.x.size() * block_.y.size()) + 1, 0);
  for (const SphereRun& run : runs_) ++line_starts_[static_cast<std::size_t>(run.line) + 1];
  std::partial_sum(line_starts_.begin(), line_starts_.end(), line_starts_.begin());
  by_line_.resize(runs_.size());
  std::vector<Index> next(line_starts_);
  for (std::size_t i = 0; i < runs_.size(); ++i)
    by_line_[static_cast<std::size_t>(next[static_cast<std::size_t>(runs_[i].line)]++)] = static_cast<Index>(i);
  values_.resize(static_cast<std::size_t>(values));
#pragma omp parallel for schedule(dynamic)
  for (const ProjectorSphere& sphere : spheres_) evaluate(sphere);
}

template <class Real>
void ProjectorSpheres<Real>::evaluate(const ProjectorSphere& sphere) {
  const double factor = std::sqrt(crystal_->lattice.volume());
  Real* const values = values_.data() + sphere.first_value;
  Index point = 0;
  for_points(sphere, [&](const Vec3& r) {
    Index projector = 0;
    for (const FilteredProjector& one : filtered_[static_cast<std::size_t>(sphere.species)].all) {
      const double radial = factor * one.radial.value(norm(r));
      for (int m = 0; m <= 2 * one.l; ++m)
        values[projector++ * sphere.points.size() + point] = static_cast<Real>(radial * real_ylm(one.l, m, r));
    }
    ++point;
  });
}

template <class Real>
std::vector<std::complex<Real>> ProjectorSpheres<Real>::phases(const Vec3& k) const {
  std::vector<std::complex<Real>> phases;
  phases.reserve(static_cast<std::size_t>(num_points_));
  const Vec3 wave = crystal_->lattice.g_vector(k);
  for (const ProjectorSphere& sphere : spheres_)
    for_points(sphere, [&](const Vec3& r) {
      phases.emplace_back(static_cast<Real>(std::cos(dot(wave, r))), static_cast<Real>(std::sin(dot(wave, r))));
    });
  return phases;
}

template class ProjectorSpheres<float>;
template class ProjectorSpheres<double>;

}  // namespace wavegrid
