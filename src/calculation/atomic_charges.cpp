#include "calculation/atomic_charges.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "boxes/box_exchange.hpp"
#include "fft/field_exchange.hpp"
#include "layout/block_layout.hpp"

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

/// An atom's sphere on the grid: the box that contains it, and for the points of the box along each axis where they are
/// relative to the atom. If the sphere is larger than the cell, a point is near several images of the atom.
struct AtomBox {
  struct Near {
    int point;          ///< of the box, along the axis
    double fractional;  ///< point minus atom
  };
  Box box;
  std::array<std::vector<Near>, 3> near;

  AtomBox(const Lattice& lattice, const Int3& grid, const Vec3& position, double radius, Index number) {
    box.number = number;
    for (std::size_t d = 0; d < 3; ++d) {
      const int n = grid[d];
      const double extent = radius * norm(lattice.reciprocal()[d]) / (2 * std::numbers::pi);  // fractional
      const int first = static_cast<int>(std::ceil((position[d] - extent) * n));
      const int last = static_cast<int>(std::floor((position[d] + extent) * n));
      box.begin[d] = first;
      box.size[d] = std::min(std::max(last - first + 1, 0), n);
      for (int i = first; i <= last; ++i)
        near[d].push_back({(i - first) % n, static_cast<double>(i) / n - position[d]});
    }
  }

  /// Calls action(value in the box, r^2) for all points near the atom.
  template <class Action>
  void for_points(const Lattice& lattice, Action action) const {
    const Mat3& cell = lattice.vectors();
    for (const Near& x : near[0])
      for (const Near& y : near[1]) {
        const Vec3 line = x.fractional * cell[0] + y.fractional * cell[1];
        const Index first = (Index{x.point} * box.size[1] + y.point) * box.size[2];
        const double a = norm2(cell[2]), b = 2 * dot(line, cell[2]), c = norm2(line);
        for (const Near& z : near[2]) action(first + z.point, (a * z.fractional + b) * z.fractional + c);
      }
  }
};

/// The atoms of this rank, their densities on boxes, and the exchange between these and the grid.
class AtomsInBoxes {
 public:
  AtomsInBoxes(GridFft& grid, const Problem& problem, const std::vector<PseudoAtom>& atoms)
      : lattice_(problem.crystal.lattice), crystal_(problem.crystal) {
    for (const PseudoAtom& atom : atoms) densities_.emplace_back(atom);
    const Comm& comm = grid.comm();
    mine_ = BlockLayout(crystal_.num_atoms(), comm.size()).range(comm.rank());
    for (Index a = mine_.begin; a < mine_.end; ++a)
      boxes_.emplace_back(lattice_, problem.grid, atom(a).position, density_of(a).radius(), a);
    std::vector<Box> boxes;
    for (const AtomBox& one : boxes_) boxes.push_back(one.box);
    exchange_.emplace(comm, problem.grid, points_of(grid.layout()), std::move(boxes),
                      BoxOptions{.deterministic = problem.deterministic, .threads = problem.threads});
  }

  /// The sum of all atoms' densities on this rank's points. Collective.
  [[nodiscard]] std::vector<double> sum(Index points) {
    std::vector<double> on_grid(static_cast<std::size_t>(points), 0.0);
    const FillBox<double> fill = [&](Index b, std::span<double> values) {
      std::fill(values.begin(), values.end(), 0.0);
      const SphericalDensity& density = density_of(mine_.begin + b);
      boxes_[static_cast<std::size_t>(b)].for_points(
          lattice_, [&](Index i, double r2) { values[static_cast<std::size_t>(i)] += density(r2); });
    };
    exchange_->deposit(fill, on_grid.data());
    return on_grid;
  }

  /// For each field and atom the sum over the points of field times the atom's density, on all ranks. Collective.
  [[nodiscard]] std::vector<std::vector<double>> integrals(const std::vector<double>& on_grid, Index fields,
                                                           const Comm& comm) {
    const auto atoms = static_cast<std::size_t>(crystal_.num_atoms());
    std::vector<double> all(atoms * static_cast<std::size_t>(fields), 0.0);
    const ReadBox<double> read = [&](Index b, std::span<const double> values) {
      const AtomBox& box = boxes_[static_cast<std::size_t>(b)];
      const SphericalDensity& density = density_of(mine_.begin + b);
      for (Index f = 0; f < fields; ++f) {
        double integral = 0;
        const std::span<const double> field = values.subspan(static_cast<std::size_t>(f * box.box.points()));
        box.for_points(lattice_,
                       [&](Index i, double r2) { integral += density(r2) * field[static_cast<std::size_t>(i)]; });
        all[static_cast<std::size_t>(f) * atoms + static_cast<std::size_t>(mine_.begin + b)] = integral;
      }
    };
    exchange_->extract(on_grid.data(), read, fields);
    comm.merge(std::span<double>(all));
    std::vector<std::vector<double>> of_fields;
    for (auto first = all.begin(); first != all.end(); first += static_cast<std::ptrdiff_t>(atoms))
      of_fields.emplace_back(first, first + static_cast<std::ptrdiff_t>(atoms));
    return of_fields;
  }

 private:
  [[nodiscard]] const Atom& atom(Index a) const { return crystal_.atoms[static_cast<std::size_t>(a)]; }
  [[nodiscard]] const SphericalDensity& density_of(Index a) const {
    return densities_[static_cast<std::size_t>(atom(a).species)];
  }

  const Lattice& lattice_;
  const Crystal& crystal_;
  std::vector<SphericalDensity> densities_;  ///< of each species
  Range mine_;
  std::vector<AtomBox> boxes_;
  std::optional<BoxExchange> exchange_;
};

}  // namespace

AtomicCharges atomic_charges(GridFields& fields, const Problem& problem, const std::vector<PseudoAtom>& atoms,
                             const SpinCoefficients& density) {
  constexpr double least = 1e-12;  // electrons/bohr^3: where the atoms have less, the quotient would be noise
  GridFft& grid = fields.grid();
  AtomsInBoxes in_boxes(grid, problem, atoms);
  const std::vector<double> of_atoms = in_boxes.sum(grid.grid_size());
  std::vector<double> quotients;
  for (const auto& component : density)
    for (std::size_t i = 0; const double value : fields.to_values(component)) {
      quotients.push_back(of_atoms[i] > least ? value / of_atoms[i] * grid.volume_element() : 0.0);
      ++i;
    }
  auto found = in_boxes.integrals(quotients, static_cast<Index>(density.size()), grid.comm());
  AtomicCharges result;
  double electrons = 0, ions = 0;
  for (std::size_t a = 0; a < problem.crystal.atoms.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    const double valence = problem.pseudopotentials[species]->valence_charge();
    result.charges.push_back(valence - found[0][a]);
    electrons += found[0][a];
    ions += valence;
  }
  if (density.size() > 1) result.moments = std::move(found[1]);
  result.unassigned = ions - problem.charge - electrons;
  return result;
}

}  // namespace wavegrid
