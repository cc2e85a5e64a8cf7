// Casida's equation (casida_equation.hpp) of the bands of a calculation: the densities of pairs of bands, their
// potentials, and the matrix of their interactions.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/casida_equation.hpp>
#include <wavegrid/calculation/open_positions.hpp>
#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/fields/xc_kernel.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>
#include <wavegrid/terms/xc_term.hpp>

namespace wavegrid {

/// Of real bands at Gamma. Members are collective over the world.
template <FieldSpace Space>
class CasidaRun {
 public:
  /// `density`: of the ground state. `contributes`: whether the bands of this rank's k-point group count; one group's
  /// do. All must outlive it.
  CasidaRun(const Comm& world, Space& space, const EnergyTerms<Space>& terms, const Problem& problem,
            const SpinFields& density, bool contributes)
      : world_(world), space_(space), problem_(problem), contributes_(contributes), kernel_(kernel(terms, density)) {}

  /// Adds the pairs of the bands of a spin with these energies, Ha, of which the lowest `occupied` have `electrons`
  /// each and others are empty.
  void add(KohnShamBands<double>& bands, const std::vector<double>& energies, Index occupied, double electrons) {
    const BandView<const double> all = std::as_const(bands.state.x).view();
    Bands<double> sums(all.rows, 2);
    const std::array<double, 2> weights{0.25, -0.25};  // |a + b|^2 - |a - b|^2 = 4 a b
    for (Index i = 0; i < occupied; ++i)
      for (Index a = occupied; a < problem_.bands; ++a) {
        for (Index row = 0; row < all.rows; ++row) {
          sums.view().band(0)[row] = all.band(i)[row] + all.band(a)[row];
          sums.view().band(1)[row] = all.band(i)[row] - all.band(a)[row];
        }
        FieldValues part(static_cast<std::size_t>(operator_points_), 0.0);
        bands.op.accumulate_density(std::as_const(sums).view(), weights, part);
        if (!contributes_) std::ranges::fill(part, 0.0);
        densities_.push_back(space_.sum_over_operators(part));
        pairs_.push_back({bands.spin, i, a,
                          energies[static_cast<std::size_t>(a)] - energies[static_cast<std::size_t>(i)], electrons});
      }
  }
  /// Points of this rank on which its operators work. Local.
  void set_operator_points(Index points) { operator_points_ = points; }

  [[nodiscard]] CasidaResult solve() {
    if (pairs_.empty())
      throw bad_input("Casida's equation without empty bands; valid: more [electrons] bands than are occupied");
    add_dipoles();
    return {solve_casida(world_, pairs_, interactions(), !is_triplet()), static_cast<Index>(pairs_.size())};
  }

 private:
  static constexpr std::size_t potentials_held = 64;

  [[nodiscard]] bool is_triplet() const { return problem_.casida->spin == ExcitationSpin::triplet; }

  [[nodiscard]] SpinFields kernel(const EnergyTerms<Space>& terms, const SpinFields& density) const {
    for (const auto& term : terms.terms())
      if (const auto* xc = dynamic_cast<const XcTerm<Space>*>(term.get())) {
        const FieldValues& core = xc->xc().core_values();
        if (is_triplet()) return {xc_kernel_of_spin(Xc::parse(problem_.xc, 2), density[0], core)};
        return xc_kernel(xc->xc().xc(), density, core);
      }
    throw internal_error("Casida's equation without exchange and correlation");
  }

  /// <a|b> of functions at the points.
  [[nodiscard]] InnerProduct product() const {
    const double points = static_cast<double>(world_.sum(static_cast<Index>(densities_.front().size())));
    return {world_, space_.integrate([](std::size_t) { return 1.0; }) / points};
  }
  [[nodiscard]] static Bands<double> block(std::span<const FieldValues> functions) {
    const auto rows = static_cast<Index>(functions.front().size());
    Bands<double> all(rows, static_cast<Index>(functions.size()));
    for (std::size_t n = 0; n < functions.size(); ++n)
      std::ranges::copy(functions[n], all.view().band(static_cast<Index>(n)));
    return all;
  }

  void add_dipoles() {
    std::vector<FieldValues> positions;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vec3 along{0, 0, 0};
      along[axis] = 1;
      positions.push_back(positions_along(space_, problem_, along));
    }
    const Bands<double> r = block(positions);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const Bands<double> density = block(std::span(densities_).subspan(p, 1));
      const Matrix<double> found = overlap<double>(product(), r.view(), density.view());
      pairs_[p].dipole = {found(0, 0), found(1, 0), found(2, 0)};
    }
  }

  /// The potential of a pair's density that acts on one spin.
  [[nodiscard]] FieldValues potential(std::size_t pair, const FieldValues& coulomb, int spin) const {
    const FieldValues& f = kernel_[kernel_.size() == 1 ? 0 : static_cast<std::size_t>(pairs_[pair].spin + spin)];
    const FieldValues& density = densities_[pair];
    FieldValues v(coulomb);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += f[i] * density[i];
    return v;
  }

  [[nodiscard]] Matrix<double> interactions() {
    const auto count = static_cast<Index>(pairs_.size());
    Matrix<double> all(count, count);
    for (int spin = 0; spin < problem_.spins; ++spin) {
      // Pairs of a spin follow each other.
      const auto of_spin = [&](const BandPair& pair) { return pair.spin == spin; };
      const auto first = std::ranges::find_if(pairs_, of_spin) - pairs_.begin();
      const auto size = std::ranges::count_if(pairs_, of_spin);
      if (size == 0) continue;
      const Bands<double> densities =
          block(std::span(densities_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)));
      for (std::size_t begin = 0; begin < pairs_.size(); begin += potentials_held) {
        const std::size_t end = std::min(pairs_.size(), begin + potentials_held);
        std::vector<FieldValues> potentials;
        for (std::size_t p = begin; p < end; ++p) potentials.push_back(potential(p, coulomb(p), spin));
        const Matrix<double> part = overlap<double>(product(), block(potentials).view(), densities.view());
        for (Index q = 0; q < part.columns(); ++q)
          for (Index p = 0; p < part.rows(); ++p) all(static_cast<Index>(begin) + p, first + q) = part(p, q);
      }
    }
    return all;
  }
  [[nodiscard]] FieldValues coulomb(std::size_t pair) const {
    if (is_triplet()) return FieldValues(densities_[pair].size(), 0.0);
    return space_.to_values(space_.coulomb_potential(space_.to_field(densities_[pair])));
  }

  const Comm& world_;
  Space& space_;
  const Problem& problem_;
  bool contributes_;
  SpinFields kernel_;  ///< f_xc: one, or uu, ud and dd
  Index operator_points_ = 0;
  std::vector<BandPair> pairs_;
  std::vector<FieldValues> densities_;  ///< phi_i phi_a of each pair, 1/bohr^3
};

}  // namespace wavegrid
