#include <cmath>
#include <utility>

#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/hamiltonian/projector_spheres.hpp>

namespace wavegrid {

namespace {

bool same_positions(const Crystal& a, const Crystal& b) {
  return std::equal(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(),
                    [](const Atom& x, const Atom& y) { return x.species == y.species && x.position == y.position; });
}

}  // namespace

template <class Real>
void ProjectorSpheres<Real>::set(const GridBlock& block, const Crystal& crystal, const Pseudopotentials& atoms) {
  const bool same_waves =
      crystal_ && block_.grid == block.grid && crystal_->lattice.vectors() == crystal.lattice.vectors();
  if (same_waves && block_ == block && same_positions(*crystal_, crystal)) return;
  crystal_ = crystal;
  block_ = block;
  if (!same_waves) {
    const GridWaves waves = grid_waves(crystal.lattice, block.grid, filter_.ecut);
    const std::vector<FilteredProjectors> before = std::move(filtered_);
    filtered_.clear();
    const FilterGoal goal{filter_.accuracy, crystal.lattice.volume() / crystal.num_atoms()};
    for (std::size_t s = 0; s < atoms.size(); ++s) {
      const PseudoAtom& solved = filter_.pseudo_atoms[s];
      filtered_.push_back(before.empty()
                              ? filter_to_accuracy(*atoms[s], solved, waves, goal)
                              : filter_with_radius(*atoms[s], solved, waves, before[s].radius, goal.accuracy));
    }
  }
  place();
}

template <class Real>
void ProjectorSpheres<Real>::place() {
  spheres_.clear();
  runs_.clear();
  pieces_.clear();
  std::vector<double> strengths;
  num_points_ = last_sum_ = 0;
  Index values = 0;
  for (int a = 0; a < crystal_->num_atoms(); ++a) {
    const Atom& atom = crystal_->atoms[static_cast<std::size_t>(a)];
    const FilteredProjectors& projectors = filtered_[static_cast<std::size_t>(atom.species)];
    const Index first = std::ssize(strengths);
    ProjectorSphere sphere{a, atom.species, {}, {}, {first, first + projectors.count()}, values};
    for (const FilteredProjector& one : projectors.all)
      strengths.insert(strengths.end(), static_cast<std::size_t>(2 * one.l + 1), one.strength);
    place_sphere(sphere, atom.position, projectors.radius);
    values += sphere.points.size() * sphere.projectors.size();
    spheres_.push_back(sphere);
  }
  couplings_ = Couplings(std::move(strengths));
  sort_by_plane();
  values_.resize(static_cast<std::size_t>(values));
#pragma omp parallel for schedule(dynamic)
  for (const ProjectorSphere& sphere : spheres_) evaluate(sphere);
}

/// Appends the runs and pieces of the next sphere.
template <class Real>
void ProjectorSpheres<Real>::place_sphere(ProjectorSphere& sphere, const Vec3& position, double radius) {
  const auto number = static_cast<Index>(spheres_.size());
  const Index lines = block_.y.size(), length = block_.grid[2];
  sphere.points.begin = num_points_;
  sphere.pieces.begin = static_cast<Index>(pieces_.size());
  const auto begin_run = [&](Index line, Index z) {
    const Index plane = line / lines, run = static_cast<Index>(runs_.size());
    if (static_cast<Index>(pieces_.size()) == sphere.pieces.begin || pieces_.back().plane != plane ||
        pieces_are_runs_) {
      pieces_.push_back({number, plane, {run, run}, last_sum_});
      last_sum_ += sphere.projectors.size();
    }
    pieces_.back().runs.end = run + 1;
    runs_.push_back({line % lines * length + z, 0, num_points_});
  };
  SphereInBlock(crystal_->lattice, block_, position, radius).for_runs(begin_run, [&](const Vec3&) {
    ++runs_.back().length, ++num_points_;
  });
  sphere.points.end = num_points_;
  sphere.pieces.end = static_cast<Index>(pieces_.size());
}

/// Lists the pieces of each plane, and its lines that are in a sphere.
template <class Real>
void ProjectorSpheres<Real>::sort_by_plane() {
  const Index planes = block_.x.size(), lines = block_.y.size(), length = block_.grid[2];
  std::vector<std::vector<Index>> of_plane(static_cast<std::size_t>(planes));
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    of_plane[static_cast<std::size_t>(pieces_[i].plane)].push_back(static_cast<Index>(i));
  plane_starts_.assign(1, 0);
  line_starts_.assign(1, 0);
  by_plane_.clear();
  lines_.clear();
  for (const std::vector<Index>& pieces : of_plane) {
    std::vector<bool> in_sphere(static_cast<std::size_t>(lines));
    for (const Index piece : pieces)
      for (const SphereRun& run : runs(pieces_[static_cast<std::size_t>(piece)]))
        in_sphere[static_cast<std::size_t>(run.at / length)] = true;
    for (Index y = 0; y < lines; ++y)
      if (in_sphere[static_cast<std::size_t>(y)]) lines_.push_back(y);
    by_plane_.insert(by_plane_.end(), pieces.begin(), pieces.end());
    plane_starts_.push_back(static_cast<Index>(by_plane_.size()));
    line_starts_.push_back(static_cast<Index>(lines_.size()));
  }
}

template <class Real>
auto ProjectorSpheres<Real>::slice(const SpherePiece& piece, std::span<const std::complex<Real>> phases) const
    -> SphereSlice<Real> {
  const ProjectorSphere& sphere = spheres_[static_cast<std::size_t>(piece.sphere)];
  const std::span<const SphereRun> all = runs(piece);
  const Index first = all.front().point, projectors = sphere.projectors.size();
  return {all, values_.data() + sphere.first_value + (first - sphere.points.begin) * projectors, projectors,
          phases.empty() ? nullptr : phases.data() + first};
}

template <class Real>
void ProjectorSpheres<Real>::evaluate(const ProjectorSphere& sphere) {
  const double factor = std::sqrt(crystal_->lattice.volume());
  Real* values = values_.data() + sphere.first_value;
  for_points(sphere, [&](const Vec3& r) {
    for (const FilteredProjector& one : filtered_[static_cast<std::size_t>(sphere.species)].all) {
      const double radial = factor * one.radial.value(norm(r));
      for (int m = 0; m <= 2 * one.l; ++m) *values++ = static_cast<Real>(radial * real_ylm(one.l, m, r));
    }
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
