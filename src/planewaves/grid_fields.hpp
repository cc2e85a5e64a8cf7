// Densities and potentials of a plane-wave calculation: the FFT grid as a field space (fields/field_space.hpp). With a
// grid of the density of its own, operators work on that of the bands.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/fft/grid_transfer.hpp>
#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/planewaves/free_boundaries.hpp>
#include <wavegrid/problem/density_grid.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/terms/density_symmetriser.hpp>
#include <wavegrid/terms/fourier_box.hpp>
#include <wavegrid/terms/moment_symmetriser.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

/// A field is kept as its Fourier coefficients on this rank's G of the whole FFT box; its values are real, on this
/// rank's block (my x, my y, nz) of the grid. Fields are distributed over all ranks; operators work on the blocks of
/// their band group. Members are collective over the world unless they say "local".
class GridFields {
 public:
  using Field = GridFft::Coefficients;
  static constexpr int dimensions = 3;
  static constexpr bool finite_differences = false;

  /// The distribution of fields over the ranks, and that of the operators.
  struct Distribution {
    const ProcessGrid& ranks;                 ///< of all ranks
    Scheme scheme;                            ///< of the box
    const FftLayout& group_layout;            ///< of the grid over this rank's band group
    std::optional<Transport> transport = {};  ///< between the two; none: the fastest
  };

  /// `grid` and `ecut` (Ha): of the bands; the fields have the same grid, with the cutoff of the electrostatic
  /// potentials that follows from them (potential_cut.hpp), or those of `density`. Densities are averaged over
  /// `symmetry`. `periodic`: whether each lattice vector is; `radius`: as FreeBoundaries takes it.
  GridFields(const Lattice& lattice, const Int3& grid, double ecut, const SpaceGroup& symmetry,
             const Distribution& distribution, const FftOptions& options,
             const std::optional<DensityGrid>& density = std::nullopt,
             const std::array<bool, 3>& periodic = {true, true, true}, double radius = 0);
  GridFields(const GridFields&) = delete;
  GridFields& operator=(const GridFields&) = delete;

  [[nodiscard]] GridFft& grid() { return grid_; }
  [[nodiscard]] const GridFft& grid() const { return grid_; }
  /// The bands' grid and the way there; null where it is the grid of the fields. Local.
  [[nodiscard]] GridTransfer* transfer() { return transfer_.get(); }
  /// The exchange with the groups, of fields on the bands' grid. Local.
  [[nodiscard]] FieldExchange& exchange() { return exchange_; }
  /// Which G the electrostatic potentials have (potential_cut.hpp). Local.
  [[nodiscard]] const std::vector<char>& inside() const { return inside_; }
  /// Replaces the group over which densities are averaged.
  void set_symmetry(const SpaceGroup& symmetry);

  // The members of FourierSpace.

  [[nodiscard]] FourierBox fourier_box() {
    return {.fft = grid_,
            .inside = inside_,
            .resolved = has_density_cut_ ? &inside_ : nullptr,
            .periodic = !free_.any(),
            .coulomb = free_.coulomb(),
            .smooth_width = free_.smooth_width(),
            .kernel = free_.kernel()};
  }
  [[nodiscard]] const Field& to_box(const Field& field) const { return field; }
  [[nodiscard]] Field to_box(Field&& field) const { return std::move(field); }
  [[nodiscard]] Field from_box(Field&& coefficients) const { return std::move(coefficients); }
  [[nodiscard]] const Crystal& in_box(const Crystal& crystal) const { return crystal; }

  [[nodiscard]] std::vector<Int3> point_indices() const;

  // The members of FieldSpace.

  template <class Term>
  [[nodiscard]] double integrate(Term term) const {
    return grid_.volume_element() * grid_.over_points()(term);
  }
  [[nodiscard]] Field to_field(const FieldValues& values) { return grid_.to_recip(values); }
  [[nodiscard]] FieldValues to_values(const Field& field) { return grid_.to_real(field); }
  [[nodiscard]] double inner_product(const Field& a, const Field& b) const;
  /// grad f = sum_G iG f(G) exp(iG.r) without the G that have a coordinate -N/2 of an even grid size N: they have no
  /// partner N/2, and the rest are the coefficients of a real function, two of which take one transform.
  [[nodiscard]] std::vector<FieldValues> gradient(const Field& field);
  /// Two transforms instead of three: the coefficients are those of a complex function with the divergence as its real
  /// part.
  [[nodiscard]] Field divergence(std::span<const FieldValues> field);
  [[nodiscard]] Field laplacian(const Field& field) const;
  [[nodiscard]] Field coulomb_potential(const Field& density) const;
  [[nodiscard]] double coulomb_energy(const Field& density) const;
  /// For the magnetisation with 4 pi / max(G^2, 1).
  [[nodiscard]] double change_energy(const std::vector<Field>& change) const;
  [[nodiscard]] bool has_symmetry() const { return !symmetriser_.is_identity(); }
  void symmetrise(Field& density) { symmetriser_.symmetrise(density); }
  /// The same of the components of a vector magnetisation, with a magnetic group.
  void symmetrise_moments(Field& x, Field& y, Field& z) {
    if (moment_symmetriser_) moment_symmetriser_->symmetrise({&x, &y, &z});
  }
  /// 4 pi Omega sum_G conj(a) b / G^2 without G = 0; for the magnetisation over max(G^2, 1).
  [[nodiscard]] std::vector<double> mixing_products(const std::vector<Field>& a,
                                                    const std::vector<const std::vector<Field>*>& others) const;
  void precondition(const Preconditioner& preconditioner, const FieldValues& ldos, Field& change);
  void remove_mean(Field& change) const;
  [[nodiscard]] FieldValues to_operators(const FieldValues& values) {
    return transfer_ ? exchange_.to_groups(transfer_->restriction(values)) : exchange_.to_groups(values);
  }
  [[nodiscard]] FieldValues sum_over_operators(const FieldValues& part) {
    return transfer_ ? transfer_->interpolation(exchange_.sum_over_groups(part)) : exchange_.sum_over_groups(part);
  }

 private:
  GridFft grid_;
  bool has_density_cut_;
  std::vector<char> inside_;
  FreeBoundaries free_;
  std::unique_ptr<GridTransfer> transfer_;
  FieldExchange exchange_;
  DensitySymmetriser symmetriser_;
  std::optional<MomentSymmetriser> moment_symmetriser_;  ///< of a magnetic group
  std::vector<double> charge_metric_, moment_metric_;    ///< 1/G^2 (0 at G = 0) and 1/max(G^2, 1)
};

static_assert(FourierSpace<GridFields>);

/// The coefficients of a density's or potential's components.
using SpinCoefficients = SpinComponents<GridFields>;
/// The energy terms on the grid.
using GridPotential = EnergyTerms<GridFields>;

/// Bytes of a potential for `waves` G of the box and `points` points, and of one call of potential() with its result.
/// Pure.
[[nodiscard]] double grid_potential_bytes(const Xc& xc, const Pseudopotentials& atoms, Index waves, Index points);
[[nodiscard]] double grid_potential_evaluation_bytes(const Xc& xc, Index waves, Index points);

}  // namespace wavegrid
