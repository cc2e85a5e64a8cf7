#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <wavegrid/basis/sphere_in_block.hpp>
#include <wavegrid/calculation/atomic_charges.hpp>
#include <wavegrid/realspace/mesh_projectors.hpp>

namespace wavegrid {

namespace {

/// The density of a pseudo-atom up to a radius beyond which it has few electrons, linear in r^2 between points.
class SphericalDensity {
 public:
  explicit SphericalDensity(const PseudoAtom& atom) : radius_(radius_of(atom)) {
    const double step = radius_ * radius_ / intervals;
    inverse_step_ = 1 / step;
    for (int i = 0; i <= intervals; ++i) values_.push_back(value(atom, std::sqrt(i * step)));
  }
  [[nodiscard]] double radius() const { return radius_; }
  /// At r^2 = r2, electrons/bohr^3; 0 beyond the radius.
  [[nodiscard]] double operator()(double r2) const {
    const double at = r2 * inverse_step_;
    if (at >= intervals) return 0;
    const auto i = static_cast<std::size_t>(at);
    return values_[i] + (at - static_cast<double>(i)) * (values_[i + 1] - values_[i]);
  }

 private:
  static constexpr int intervals = 8192;
  static constexpr double outside = 1e-4;  ///< of the electrons that are beyond the radius

  static double radius_of(const PseudoAtom& atom) {
    std::vector<double> shells;
    for (std::size_t i = 0; i < atom.r.size(); ++i) shells.push_back(atom.r[i] * atom.r[i] * atom.density[i]);
    const double all = std::accumulate(shells.begin(), shells.end(), 0.0);
    double beyond = 0;
    std::size_t i = atom.r.size() - 1;
    while (i > 1 && beyond + shells[i] < outside * all) beyond += shells[i--];
    return atom.r[i];
  }
  static double value(const PseudoAtom& atom, double r) {
    const double at = r / atom.spacing;
    const auto i = std::min(static_cast<std::size_t>(at), atom.density.size() - 2);
    const double part = at - static_cast<double>(i);
    return std::max(0.0, (1 - part) * atom.density[i] + part * atom.density[i + 1]);
  }

  double radius_, inverse_step_ = 0;
  std::vector<double> values_;
};

/// Sums as integers: the same bits in any order, and so for any number of ranks. Electrons of an atom up to 2^15, to
/// 2^-48 each.
class ExactSum {
 public:
  ExactSum& operator+=(double value) {
    sum_ += static_cast<Index>(std::nearbyint(value * scale));
    return *this;
  }
  [[nodiscard]] Index bits() const { return sum_; }
  [[nodiscard]] static double value(Index bits) { return static_cast<double>(bits) / scale; }

 private:
  static constexpr double scale = 281474976710656.0;  // 2^48
  Index sum_ = 0;
};

/// The points of this rank's block of a grid.
struct GridPoints {
  const GridFft& grid;

  [[nodiscard]] const Comm& comm() const { return grid.comm(); }
  [[nodiscard]] Index size() const { return grid.grid_size(); }
  [[nodiscard]] double volume() const { return grid.volume_element(); }
  /// Calls action(local point, r^2) for the points within a radius of an atom, and for some others.
  template <class Action>
  void for_points(const Crystal& crystal, std::size_t atom, double radius, Action action) const {
    const FftLayout& layout = grid.layout();
    SphereInBlock(crystal.lattice, {layout.grid, layout.x, layout.y}, crystal.atoms[atom].position, radius)
        .for_points(action);
  }
};

/// The same of a mesh.
struct MeshPoints {
  const Mesh& mesh;

  [[nodiscard]] const Comm& comm() const { return mesh.comm(); }
  [[nodiscard]] Index size() const { return mesh.num_points(); }
  [[nodiscard]] double volume() const { return mesh.grid().point_volume(); }
  template <class Action>
  void for_points(const Crystal& crystal, std::size_t atom, double radius, Action action) const {
    const NearPoints near = points_near(mesh, crystal.cartesian(static_cast<int>(atom)), radius);
    for (std::size_t n = 0; n < near.points.size(); ++n)
      action(static_cast<std::size_t>(near.points[n]), norm2(near.distances[n]));
  }
};

/// The atoms as densities at this rank's points.
template <class Points>
class AtomsAtPoints {
 public:
  AtomsAtPoints(const Points& points, const Crystal& crystal, const std::vector<PseudoAtom>& atoms)
      : points_(points), crystal_(crystal) {
    for (const PseudoAtom& atom : atoms) densities_.emplace_back(atom);
  }

  /// The sum of the densities of all atoms, in their order. Local.
  [[nodiscard]] std::vector<double> sum() const {
    std::vector<double> all(static_cast<std::size_t>(points_.size()), 0.0);
    for (std::size_t a = 0; a < crystal_.atoms.size(); ++a)
      for_points(a, [&](std::size_t i, double density) { all[i] += density; });
    return all;
  }

  /// For each atom the sum over all points of field times the atom's density, on all ranks. Collective.
  [[nodiscard]] std::vector<double> integrals(const std::vector<double>& field) const {
    std::vector<Index> sums;
    for (std::size_t a = 0; a < crystal_.atoms.size(); ++a) {
      ExactSum sum;
      for_points(a, [&](std::size_t i, double density) { sum += density * field[i]; });
      sums.push_back(sum.bits());
    }
    points_.comm().sum(std::span<Index>(sums));
    std::vector<double> values(sums.size());
    std::transform(sums.begin(), sums.end(), values.begin(), ExactSum::value);
    return values;
  }

 private:
  template <class Action>
  void for_points(std::size_t atom, Action action) const {
    const SphericalDensity& density = densities_[static_cast<std::size_t>(crystal_.atoms[atom].species)];
    points_.for_points(crystal_, atom, density.radius(), [&](std::size_t i, double r2) { action(i, density(r2)); });
  }

  Points points_;
  const Crystal& crystal_;
  std::vector<SphericalDensity> densities_;  ///< of each species
};

/// `density`: at this rank's points.
template <class Points>
AtomicCharges charges_at(const Points& points, const Problem& problem, const std::vector<PseudoAtom>& atoms,
                         const SpinFields& density) {
  constexpr double least = 1e-12;  // electrons/bohr^3: where the atoms have less, the quotient would be noise
  const AtomsAtPoints at_points(points, problem.crystal, atoms);
  const std::vector<double> atom_sums = at_points.sum();
  std::vector<std::vector<double>> found;  // electrons of each atom; their moments
  for (FieldValues quotients : density) {
    for (std::size_t i = 0; i < quotients.size(); ++i)
      quotients[i] = atom_sums[i] > least ? quotients[i] / atom_sums[i] * points.volume() : 0.0;
    found.push_back(at_points.integrals(quotients));
  }
  AtomicCharges result;
  double electrons = 0, ions = 0;
  for (std::size_t a = 0; a < problem.crystal.atoms.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    const double valence = problem.pseudopotentials[species]->valence_charge();
    result.charges.push_back(valence - found[0][a]);
    electrons += found[0][a];
    ions += valence;
  }
  if (density.size() == 2) result.moments = std::move(found[1]);
  for (std::size_t a = 0; has_vector(density) && a < problem.crystal.atoms.size(); ++a)
    result.moment_vectors.push_back({found[1][a], found[2][a], found[3][a]});
  result.unassigned = ions - problem.charge - electrons;
  return result;
}

}  // namespace

AtomicCharges atomic_charges(GridFields& fields, const Problem& problem, const std::vector<PseudoAtom>& atoms,
                             const SpinCoefficients& density) {
  SpinFields values;
  for (const auto& component : density) values.push_back(fields.to_values(component));
  return charges_at(GridPoints{fields.grid()}, problem, atoms, values);
}

AtomicCharges atomic_charges(const MeshFields& fields, const Problem& problem, const std::vector<PseudoAtom>& atoms,
                             const SpinFields& density) {
  return charges_at(MeshPoints{fields.mesh()}, problem, atoms, density);
}

}  // namespace wavegrid
